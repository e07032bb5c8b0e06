import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Suites of `npm run test:all` that `npm test` leaves out, for their time. */
const LONG = [
  'test/cli/batch.test.ts',
  'test/cli/batchCorpus.test.ts',
  'test/cli/blocks.test.ts',
  'test/cli/blocksCorpus.test.ts',
  'test/cli/clonedRepository.test.ts',
  'test/cli/packed.test.ts',
  'test/cli/preview.test.ts',
  'test/cli/verifyCommand.test.ts',
  'test/client/agreement.test.ts',
  'test/client/libraryPackage.test.ts',
  'test/client/package.test.ts',
  'test/deploy/docker.test.ts',
  'test/deploy/hardening.test.ts',
  'test/deploy/kubernetes.test.ts',
  'test/docs/guides.test.ts',
  'test/docs/queries.test.ts',
  'test/faults/blockAttacks.test.ts',
  'test/faults/cliSecrets.test.ts',
  'test/faults/faults.test.ts',
  'test/faults/fullDisk.test.ts',
  'test/faults/inconsistent.test.ts',
  'test/faults/oneClient.test.ts',
  'test/faults/processSecrets.test.ts',
  'test/faults/secretForms.test.ts',
  'test/findings/chain.test.ts',
  'test/findings/corpus.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/http/large.test.ts',
  'test/http/logReader.test.ts',
  'test/http/processes.test.ts',
  'test/http/rulesReload.test.ts',
  'test/http/tracing.test.ts',
  'test/labels/labels.test.ts',
  'test/ledger/programs.test.ts',
  'test/ledger/sequence.test.ts',
  'test/long/growth.test.ts',
  'test/long/reconcile.test.ts',
  'test/mcp/mcp.test.ts',
  'test/rules-cli/lsp.test.ts',
  'test/rules-cli/mistakes.test.ts',
  'test/rules-cli/shipped.test.ts',
  'test/rules-cli/strangers.test.ts',
  'test/soak/soak.test.ts',
  'test/verify/corpus.test.ts',
  'test/verify/falsehoods.test.ts',
  'test/verify/pnlRecomputed.test.ts',
  'test/verify/verifyReport.test.ts',
  'test/viewer/accessibility.test.ts',
  'test/viewer/people.test.ts',
  'test/viewer/playground.test.ts',
  'test/viewer/viewer.test.ts',
];
const missing = LONG.filter((path) => !existsSync(join(import.meta.dirname, path)));
if (missing.length > 0)
  throw new Error(`vitest.config.ts lists suites that do not exist: ${missing.join(', ')}`);

const PURE = ['test/architecture.test.ts', 'test/unit/**/*.test.ts'];
/** Suites that run the service in their own process beside a chain; `npm test` runs one or two of each folder. */
const CHAIN = ['devnet', 'e2e', 'forgeries', 'negative', 'openapi', 'positions', 'preview', 'prices'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
const CHAIN_IN_SHORT = [
  'test/e2e/*.test.ts',
  'test/forgeries/signatures.test.ts',
  'test/negative/movements.test.ts',
  'test/openapi/*.test.ts',
  'test/positions/lending.test.ts',
  'test/preview/hostile.test.ts',
  'test/prices/{everyday,roundTrips}.test.ts',
];

export default defineConfig({
  test: {
    // For what hangs, not for what is slow: a busy machine takes a test ten times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // Many suites start an anvil node or a service of their own; two at a time suit two cores.
    maxWorkers: 2,
    reporters: process.env['CI']
      ? ['default', ['junit', { outputFile: 'test-results/junit.xml' }]]
      : ['default'],
    projects: [
      // Without isolation the modules are loaded once per worker: half the CPU time, 85 s to 40 s when measured.
      { extends: true, test: { name: 'unit', include: PURE, isolate: false } },
      { extends: true, test: { name: 'chain', include: CHAIN_IN_SHORT, isolate: false } },
      {
        extends: true,
        test: { name: 'scenarios', include: CHAIN, exclude: CHAIN_IN_SHORT, isolate: false },
      },
      {
        extends: true,
        test: { name: 'system', include: ['test/**/*.test.ts'], exclude: [...PURE, ...CHAIN, ...LONG] },
      },
      // Some of these measure time beside other work: one that fails is run again, and the output says so.
      { extends: true, test: { name: 'long', include: LONG, retry: process.env['CI'] ? 1 : 0 } },
    ],
  },
});
