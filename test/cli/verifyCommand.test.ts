import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { HASH_OF, startRecordedNode } from './recordedNode.ts';
import { runCli, startCli } from './runCli.ts';

vi.setConfig({ testTimeout: 120_000 });

const SWAP = HASH_OF['swap-v2-eth-usdc']!;
let node: FakeNode;
beforeAll(async () => {
  node = await startRecordedNode();
});
afterAll(() => node.close());
const cli = (args: readonly string[], input = '') =>
  runCli(args, { env: { RPC_URL: node.url, NO_COLOR: '1' }, input });

describe('verify and validate', () => {
  it('says that a report of another ruleset is not verified, or holds in part where that is accepted', async () => {
    const { out: json } = await cli(['analyze', SWAP, '--json']);
    const report = JSON.parse(json) as TxReport;
    const others = [
      { ...report, engine: { ...report.engine!, ruleset_digest: `0x${'0'.repeat(64)}` } },
      { ...report, engine: { ...report.engine!, version: '99.0.0' } },
    ].map((other) => JSON.stringify(other));
    for (const other of others) {
      const refused = await cli(['verify', '-'], other);
      expect([refused.code, refused.out.split('  ')[0]]).toEqual([2, 'not verified']);
      const quiet = await cli(['verify', '-', '--quiet'], other);
      expect([quiet.code, quiet.out]).toEqual([2, `not verified  ${SWAP}\n`]);
      const accepted = await cli(['verify', '-', '--accept-other-ruleset'], other);
      expect([accepted.code, accepted.out.split('  ')[0]]).toEqual([0, 'holds in part']);
      expect(accepted.out).toMatch(/not checked labels, names, symbols, protocols/);
      const forged = other.replaceAll('3388111026', '3388111027');
      expect((await cli(['verify', '-', '--accept-other-ruleset'], forged)).code).toBe(1);
    }
    const alone = await cli(['verify', '-', '--no-anew', '--json'], json);
    expect(alone.code).toBe(0);
    expect((JSON.parse(alone.out) as { verdict: string }[])[0]!.verdict).toBe('holds in part');
    // One wrong report among unverified ones decides.
    const wrong = json.replaceAll('3388111026', '3388111027').trim();
    expect((await cli(['verify', '-'], `${others[0]}\n${wrong}\n`)).code).toBe(1);
  });

  it('refuses an empty --rpc instead of asking another node', async () => {
    const { out: json } = await cli(['analyze', SWAP, '--json']);
    const unset = await cli(['verify', '-', '--rpc', ''], json);
    expect([unset.code, unset.out]).toEqual([2, '']);
    expect(unset.err).toContain('RPC_URL');
  });

  it.each([
    ['verify', (json: string) => json.replaceAll('3388111026', '3388111027')],
    ['validate', (json: string) => json.replaceAll('"DirectSwap"', '7')],
  ])('the exit status of %s survives a reader that leaves', async (command, forge) => {
    const { out: json } = await cli(['analyze', SWAP, '--json']);
    // The first report holds; the reader leaves after the first line.
    const input = `${json.trim()}\n${`${forge(json).trim()}\n`.repeat(3)}`;
    const run = startCli([command, '-'], { env: { RPC_URL: node.url }, input });
    run.child.stdout!.once('data', () => run.child.stdout!.destroy());
    expect(await run.ended).toBe(1);
  });

  it.each([
    ['one line', (json: string) => json],
    ['a document', (json: string) => JSON.stringify(JSON.parse(json), null, 2)],
  ])('refuses a key that stands twice: %s', async (_, written) => {
    const { out: json } = await cli(['analyze', SWAP, '--json']);
    const twice = written(json).replace(
      '"intent_kind"',
      '"intent_kin\\u0064": "TokenTransfer", "intent_kind"',
    );
    for (const command of ['validate', 'verify']) {
      const run = await cli([command, '-'], twice);
      expect([command, run.code]).toEqual([command, 2]);
      expect(run.err).toContain('has the key "intent_kind" twice');
    }
  });

  it('reads NDJSON, and documents over several lines', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'txreport-cli-'));
    const reports = (await cli(['batch'], `${SWAP}\n${HASH_OF['approval']}\n${HASH_OF['safe-swap']}\n`)).out;
    writeFileSync(join(folder, 'three.ndjson'), reports);
    writeFileSync(join(folder, 'one.json'), JSON.stringify(JSON.parse(reports.split('\n')[0]!), null, 2));
    const valid = await cli(['validate', join(folder, 'three.ndjson'), join(folder, 'one.json')]);
    expect(valid).toMatchObject({
      code: 0,
      out: `${[1, 2, 3].map((n) => `${folder}/three.ndjson:${n}: valid\n`).join('')}${folder}/one.json: valid\n`,
    });
    expect((await cli(['verify', join(folder, 'three.ndjson')])).out.match(/holds/g)).toHaveLength(3);
    writeFileSync(join(folder, 'bad.ndjson'), `${reports}{"schema_version":2}\n`);
    const bad = await cli(['validate', '-q', join(folder, 'bad.ndjson')]);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain(`${folder}/bad.ndjson:4: `);
    expect(bad.out).not.toContain(': valid');
    writeFileSync(join(folder, 'torn.ndjson'), `${reports}{"schema`);
    expect(await cli(['validate', join(folder, 'torn.ndjson')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('torn.ndjson:4 is not JSON') as string,
    });
  });
});
