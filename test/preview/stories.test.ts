// A preview on the state before a transaction tells what the report of the mined transaction tells.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { readConfig } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { jsonText } from '../../src/lib/reportJson.ts';
import type { Hash } from '../../src/model/hex.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { openPreviewer, type Previewer } from '../../src/tools/preview/preview.ts';
import { readRequest } from '../../src/tools/preview/readRequest.ts';
import { ALL, runStory, type Story } from '../devnet/story.ts';
import { previewed, told } from './told.ts';

let story: Story;
let previewer: Previewer;
let analyze: (hash: string) => Promise<TxReport>;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  story = await runStory({ scenarios: ALL });
  const config = readConfig({ RPC_URL: story.devnet.rpcUrl });
  previewer = await openPreviewer(config);
  const upstream = createUpstream(config);
  const log = createLog({ level: 'silent', stream: { write: () => {} } });
  const run = await createServiceAnalyze({ upstream, config, log });
  analyze = async (hash) => {
    const { signal } = new AbortController();
    const { json } = await run(hash as Hash, { signal, deadlineAt: performance.now() + 60_000 });
    return JSON.parse(jsonText(json)) as TxReport;
  };
  closing.push(
    () => previewer.close(),
    async () => run.close?.(),
    () => upstream.close(),
    () => story.stop(),
  );
});

afterAll(async () => {
  for (const close of closing) await close();
});

const published = new Ajv2020({ strict: false, validateFormats: false });
for (const name of ['tx-report', 'preview-report'])
  published.addSchema(
    JSON.parse(
      readFileSync(join(import.meta.dirname, `../../schemas/http/${name}.schema.json`), 'utf8'),
    ) as object,
  );
const isPreview = published.getSchema('https://txreport.dev/schemas/preview-report.schema.json')!;

/** Stories in which an account that exists gets other owners or other code. */
const HANDS_OVER = new Set([
  'safe-add-owner',
  '7702-self',
  '7702-sponsored',
  'delegation-only',
  'delegation-revoked',
]);

/** Stories in which value leaves and comes back, if at all, as what no list speaks for, or goes to somebody else. */
const ONE_SIDED = new Set([
  'batch-native',
  'batch-token',
  'nft-mint',
  'unknown-deposit',
  'safe-transfer',
  'safe-multisend',
  'userop-first',
  'userop-paymaster',
  'userop-failed',
  'safe-refund',
  'permit-relayed',
  '7702-self',
  '7702-sponsored',
  '7702-ordinary',
  'cow-other-receiver',
  'aave-flashloan',
  'vault-deposit',
  'stake',
  'nft-sale',
  'liquid-stake',
  'round-trip',
  'wash-trade',
  'swap-for-another',
  'delegatecall-value',
  'selfdestruct',
  'value-to-contract',
  'deployment-value',
  'nft-bundle',
  'vault-supplies-on',
]);

describe.each(ALL.map(({ name }) => name))('%s', (name) => {
  it('is previewed as it is mined', async () => {
    const { hash } = story.told.find(({ scenario }) => scenario.name === name)!;
    const tx = (await story.devnet.chain.rpc('eth_getTransactionByHash', [hash])) as Record<string, string>;
    const mined = await analyze(hash);
    const request = readRequest(tx, { block: String(mined.tx.block_number - 1) });
    const preview = await previewer.preview(request);
    expect(isPreview(preview), JSON.stringify(isPreview.errors)).toBe(true);
    expect(preview.classification.caveats!.at(-1)!.code).toBe('simulated');
    expect(told(preview)).toEqual(told(previewed(mined, name)));
    const codes = preview.warnings.map(({ code }) => code);
    expect(codes).not.toContain('depends_on_environment');
    expect(codes.includes('nothing_received'), codes.join()).toBe(ONE_SIDED.has(name));
    const warned = preview.warnings.some(({ code }) => code === 'control_changes');
    expect(warned).toBe(HANDS_OVER.has(name));
  });
});
