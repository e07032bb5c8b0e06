import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startFakeNode } from '../support/fakeNode.ts';
import { INTENT, SHAPE, SMALL, writeRuleset, type Files } from '../unit/rules/smallRuleset.ts';
import { runRules } from './runRules.ts';

const RECORDINGS = new URL('../recordings/', import.meta.url).pathname;

/** Enough rules for one kind of pool, and a second rule that always stands behind the first. */
const POOL_RULES: Files = {
  'shapes/pair.yaml': `slug: pair
version: 1
status: stable
summary: A concentrated-liquidity pool.
references: [https://example.org]
source: npm @uniswap/v3-core 1.0.1
any_emitter: true
events:
  - event: "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick)"
    kind: swap
    roles: {caller: $sender}
    legs:
      - {role: in, to: $venue, amount: [positive($amount0), positive($amount1)]}
      - {role: out, from: $venue, amount: [negative($amount0), negative($amount1)]}
`,
  'intents/direct.yaml': `- ${INTENT.trimEnd().replace('motif.swap.count, is: eq', 'motif.swap.count, is: eq').replaceAll('\n', '\n  ')}
- ${INTENT.trimEnd()
    .replace('slug: direct', 'slug: any-swap')
    .replace('intent: DirectSwap', 'intent: Unknown')
    .replace(/when: .*/, 'when: {fact: motif.swap.count, is: gte, value: 1}')
    .replace('count: 2', 'count: 0')
    .replaceAll('\n', '\n  ')}
- ${INTENT.trimEnd()
    .replace('slug: direct', 'slug: nearly')
    .replace(
      /when: .*/,
      'when: {all: [{fact: motif.swap.own, is: gte, value: 1}, {fact: actor.sides, is: eq, value: both}, {fact: actor.received.assets, is: eq, value: 2}]}',
    )
    .replace('{motif.swap.count: 1}', '{motif.swap.own: 1, actor.sides: both, actor.received.assets: 2}')
    .replaceAll('\n', '\n  ')}
`,
};

describe.skipIf(!existsSync(join(RECORDINGS, 'swap-v3.json')))('commands that run the pipeline', () => {
  let dir: string;
  let places: string;
  beforeAll(() => {
    dir = writeRuleset(SMALL, POOL_RULES);
    places = writeRuleset({});
    for (const name of ['swap-v3', 'swap-v3-two-hops', 'stake', 'reverted-string'])
      copyFileSync(join(RECORDINGS, `${name}.json`), join(places, `${name}.json`));
  });

  it('explain: an event that gave way to another one about the same movements, and why', async () => {
    // The pool, which the position manager calls, emits its event in log 2.
    const { out } = await runRules('explain', 'add-liquidity-v3');
    expect(out).toContain(
      'also log 4 of 0xC36442b4a4522E871399CD717aBDD847Ab11FE88: gave way, the other is in an inner call',
    );
  });

  it('explain: in one sentence why a verdict is Suspected; nothing of the kind where it is Proven', async () => {
    expect((await runRules('explain', 'vault-deposit')).out).toContain(
      'Suspected because the vault deposit, 1,000 DAI at vDAI[0x2E50…A3Bb], is not proven: ' +
        'only an event of an unlisted contract says so, at an account that no rule lists.\n',
    );
    expect((await runRules('explain', 'add-liquidity-v3')).out).not.toContain('Suspected because');
  });

  it('explain: the winner condition by condition, the loser and why, the near miss and what it wants', async () => {
    const { code, out } = await runRules('explain', 'swap-v3', '--dirs', dir, '--recordings', places);
    expect(code).toBe(0);
    expect(out).toContain('DirectSwap: Swap   [');
    expect(out).toContain('direct v1 (DirectSwap) wins\n  ✓ all of\n    ✓ motif.swap.count eq 1   (is 1)');
    expect(out).toContain('lost: any-swap: Unknown is no. 2 of the precedence list, DirectSwap no. 1');
    expect(out).toContain('near miss: nearly (DirectSwap): actor.received.assets eq 2, but it is 1');
    expect(out).toMatch(/✓ 0x[0-9a-fA-F]{40} signed_the_transaction/);
  });

  it('explain --rule: what is in the way of one rule, for every candidate', async () => {
    const { out } = await runRules(
      'explain',
      'swap-v3-two-hops',
      '--rule',
      'direct',
      '--dirs',
      dir,
      '--recordings',
      places,
    );
    expect(
      out.match(/direct v1 \(DirectSwap\) does not match: motif\.swap\.count eq 1, but it is 2/g)!.length,
    ).toBeGreaterThan(1);
    const skipped = await runRules(
      'explain',
      'stake',
      '--rule',
      'direct',
      '--dirs',
      dir,
      '--recordings',
      places,
    );
    expect(skipped.out).toContain('event no shape knows: 0x');
    expect(
      await runRules('explain', 'swap-v3', '--rule', 'nobody', '--dirs', dir, '--recordings', places),
    ).toMatchObject({ code: 1, err: 'there is no rule nobody; --full lists every rule' });
    expect(await runRules('explain', 'no-such', '--dirs', dir, '--recordings', places)).toMatchObject({
      code: 1,
    });
  });

  it('test: draws an event that writes an account as a number', async () => {
    const dir = writeRuleset(SMALL, {
      'shapes/pair.yaml': SHAPE.replace('address indexed to)', 'uint256 to)').replace(
        '{caller: $sender}',
        '{caller: $sender, owner: $to}',
      ),
    });
    expect(await runRules('test', dir)).toMatchObject({ code: 0, out: '3 of 3 examples of 2 rules passed' });
  });

  it('test: recorded examples', async () => {
    const recorded = writeRuleset(SMALL, POOL_RULES, {
      'intents/direct.yaml': INTENT.replace('{facts: {motif.swap.count: 1}}', '{recording: swap-v3}').replace(
        '{facts: {motif.swap.count: 2}}',
        '{recording: swap-v3-two-hops}, {recording: stake}',
      ),
    });
    // The rule's three, and the one that is drawn for the shape's event.
    expect(await runRules('test', recorded, '--recordings', places)).toMatchObject({
      code: 0,
      out: '4 of 4 examples of 2 rules passed',
    });
    const wrong = writeRuleset(SMALL, POOL_RULES, {
      'intents/direct.yaml': INTENT.replace('{facts: {motif.swap.count: 1}}', '{recording: stake}').replace(
        '{facts: {motif.swap.count: 2}}',
        '{recording: swap-v3}',
      ),
    });
    const run = await runRules('test', wrong, '--recordings', places);
    expect(run.code).toBe(1);
    expect(run.out).toContain('motif.swap.count eq 1, but it is 0');
    expect(run.out).toContain('matches, though it should not (headline: DirectSwap by direct)');
  });

  it('coverage: conditions seen one way only', async () => {
    const { code, out } = await runRules('coverage', dir, '--recordings', places, '--strict');
    expect(code).toBe(0);
    expect(out).toContain('direct: headline of 1 recordings, every condition seen true and false');
    expect(out).toContain('4 recordings and 6 other examples');
  });

  it('diff: changed verdicts', async () => {
    expect(await runRules('diff', dir, '--dirs', dir, '--recordings', places)).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 of 4 verdicts differ') as string,
    });
    const other = writeRuleset(SMALL, POOL_RULES, {
      'intents/direct.yaml': INTENT.replace('is: eq, value: 1', 'is: gte, value: 1').replace(
        'count: 2',
        'count: 0',
      ),
    });
    const { code, out } = await runRules('diff', other, '--dirs', dir, '--recordings', places);
    expect(code).toBe(1);
    expect(out).toContain('swap-v3-two-hops\n  kind: Unknown → DirectSwap\n');
    expect(out).toContain('     1  Unknown → DirectSwap');
  });

  it('new --examples: scripts of version 2.0 are told that there is nothing to write', async () => {
    expect(await runRules('new', '--examples', 'pair')).toMatchObject({
      code: 0,
      err: 'nothing to write: rules test draws the examples of pair',
    });
  });

  it('new: a draft that lints and passes its own examples', async () => {
    const overlay = writeRuleset({ 'intents/.keep': '' });
    const out = join(overlay, 'intents/drafted.yaml');
    const run = await runRules(
      'new',
      '--tx',
      'swap-v3-two-hops',
      '--intent',
      'DirectSwap',
      '--slug',
      'drafted',
      '--out',
      out,
      '--dirs',
      dir,
      '--recordings',
      places,
    );
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(out, 'utf8')).toContain('slug: drafted\nversion: 1\nstatus: experimental\n');
    // Its examples are facts: lint asks for a transaction.
    const linted = await runRules('lint', dir, overlay);
    expect([linted.code, linted.err.match(/\b\w+_\w+(?=: )/g)]).toEqual([0, ['weak_example']]);
    expect(await runRules('test', dir, overlay, '--rule', 'drafted')).toMatchObject({ code: 0 });
    expect((await runRules('fmt', '--check', overlay)).code).toBe(0);
    expect(
      await runRules(
        'new',
        '--tx',
        'swap-v3',
        '--slug',
        'x',
        '--out',
        out,
        '--dirs',
        dir,
        '--recordings',
        places,
      ),
    ).toMatchObject({ code: 1 });
  });

  it('record: what the node says, readable again; never a word of its address', async () => {
    const { rpc, hash } = JSON.parse(readFileSync(join(places, 'swap-v3.json'), 'utf8')) as {
      hash: string;
      rpc: Record<string, unknown>;
    };
    const node = await startFakeNode({
      handlers: {
        eth_getTransactionByHash: () => rpc['tx'],
        eth_getTransactionReceipt: () => rpc['receipt'],
        eth_getBlockByNumber: () => rpc['block'],
        debug_traceTransaction: () => rpc['callTracer'],
        trace_transaction: () => rpc['trace'],
        eth_getCode: () => '0x',
        eth_call: () => '0x',
      },
    });
    const before = { ...process.env };
    process.env['RPC_URL'] = node.url;
    process.env['RULES_DIR'] = '';
    try {
      const folder = join(writeRuleset({}), 'made');
      mkdirSync(folder);
      const run = await runRules('record', hash, '--name', 'mine', '--out', folder, '--dirs', dir);
      expect(run).toMatchObject({ code: 0, err: '' });
      expect((await runRules('explain', 'mine', '--dirs', dir, '--recordings', folder)).out).toContain(
        'DirectSwap: Swap',
      );
      await node.close();
      const failed = await runRules('record', hash, '--name', 'again', '--out', folder, '--dirs', dir);
      expect(failed.code).toBe(1);
      expect(failed.err).not.toContain(node.url);
    } finally {
      process.env = before;
    }
  });
});
