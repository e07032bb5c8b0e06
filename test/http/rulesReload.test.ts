import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startServer } from '../../src/service/main.ts';
import type { RunningServer } from '../../src/service/server.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { HASH, sampleHandlers, sampleTransaction } from '../support/sampleTransaction.ts';

const overlay = mkdtempSync(join(tmpdir(), 'txreport-rules-'));
const write = (version: string) =>
  writeFileSync(
    join(overlay, 'ruleset.yaml'),
    `# yaml-language-server: $schema=ruleset.schema.json\nname: acme\nversion: ${version}\nengine: 1\n`,
  );
let node: FakeNode;
let server: RunningServer;

beforeAll(async () => {
  write('0.1.0');
  node = await startFakeNode({ handlers: sampleHandlers(sampleTransaction()) });
  server = await startServer({
    rpcUrl: node.url,
    port: 0,
    logLevel: 'silent',
    rulesDirs: [overlay],
    rulesReload: true,
  });
});
afterAll(async () => {
  await server.close();
  await node.close();
  rmSync(overlay, { recursive: true });
});

async function rulesetOf(): Promise<string | undefined> {
  const response = await fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: HASH }),
  });
  return ((await response.json()) as TxReport).engine?.ruleset_version;
}

it('picks up a changed overlay while running, and keeps the last good set when a change breaks it', async () => {
  expect(await rulesetOf()).toMatch(/\+acme\.0\.1\.0$/);
  write('0.2.0');
  await vi.waitFor(async () => expect(await rulesetOf()).toMatch(/\+acme\.0\.2\.0$/), {
    timeout: 60_000,
    interval: 300,
  });
  write('not-a-version');
  await new Promise((wait) => setTimeout(wait, 3_500));
  expect(await rulesetOf()).toMatch(/\+acme\.0\.2\.0$/);
  write('0.3.0');
  await vi.waitFor(async () => expect(await rulesetOf()).toMatch(/\+acme\.0\.3\.0$/), {
    timeout: 60_000,
    interval: 300,
  });
});
