import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { loadRulebook } from '../../../src/rules/compile/loadRulebook.ts';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { readBlockHeader } from '../../../src/evm/blockHeader.ts';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../src/stages/4-primitives/findPrimitives.ts';
import { buildMotifs } from '../../../src/stages/5-motifs/buildMotifs.ts';
import { FACT_VOCABULARY } from '../../../src/stages/7-intent/facts/registry.ts';
import { keptText, type Kept } from '../../../src/stages/7-intent/kept.ts';
import { subjectOf } from '../../../src/stages/7-intent/intentInput.ts';
import { matchIntents } from '../../../src/stages/7-intent/matchIntents.ts';
import { findSuspects } from '../../../src/value/suspectTokens.ts';
import { electActor } from '../../../src/stages/6-actor/electActor.ts';
import { rawContext } from '../../support/builders.ts';
import {
  account,
  analyse,
  asks,
  event,
  send,
  transfer,
  v2Swap,
  WETH,
  ZERO,
  type Step,
} from '../4-primitives/support.ts';
import { NATIVE } from '../../../src/value/asset.ts';
import type { LabelFormat } from '../../../src/value/labelFormat.ts';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Verdict } from '../../../src/model/intent.ts';

const ROOT = join(import.meta.dirname, '../../..');
const rulebook = loadRulebook([join(ROOT, 'rules')], { facts: FACT_VOCABULARY });
/** Amounts with the first letters of their token's address. */
const format = {
  amount: (asset: { address: string | null }, amount: bigint) =>
    `${amount} ${asset.address?.slice(0, 6) ?? 'ETH'}`,
  asset: (asset: { address: string | null }) => asset.address?.slice(0, 6) ?? 'ETH',
  account: (a: Address) => a.slice(0, 6),
  name: () => null,
  protocol: (slug: string) => slug,
  worth: () => 0,
};

async function verdictOn(tx: CanonicalTx, coinbase: Address): Promise<Verdict & { kinds: string[] }> {
  const flow = buildValueFlow(tx, rulebook);
  const motifs = buildMotifs({
    tx,
    flow,
    primitives: findPrimitives(tx, flow, rulebook),
    rulebook,
    coinbase,
  });
  const header = { number: tx.blockNumber, hash: tx.blockHash, timestamp: 0, baseFeePerGas: 0n, coinbase };
  const suspects = findSuspects(tx, flow, rawContext(), rulebook);
  const attribution = electActor({ tx, flow, motifs, rulebook, header, delegations: new Map(), suspects });
  return {
    ...(await matchIntents({ tx, flow, motifs, rulebook, header, subject: subjectOf(attribution) }, format)),
    kinds: motifs.map((m) => m.kind),
  };
}

function recorded(name: string) {
  const r = JSON.parse(readFileSync(join(ROOT, 'test/recordings', `${name}.json`), 'utf8'));
  const tx = canonicalize({
    hash: r.hash,
    tx: r.rpc.tx,
    receipt: r.rpc.receipt,
    trace: { dialect: 'call_tracer', result: r.rpc.callTracer },
  });
  return verdictOn(tx, readBlockHeader(r.rpc.block, tx).coinbase);
}

describe('labels of acts on positions', () => {
  it.each([
    ['aave-supply', 'Supply 10000000000000000000 0xc02a to aave-v3'],
    ['aave-borrow', 'Borrow 8000000000 0xa0b8 from aave-v3'],
    ['aave-repay', 'Repay 3000000000 0xa0b8 to aave-v3'],
    ['aave-withdraw', 'Withdraw 1000000000000000000 0xc02a from aave-v3'],
    ['vault-deposit', 'Deposit 1000000000000000000000 0x6b17 into 0x2e50'],
  ])('%s tell what was put in or taken out, not the tokens that stand for it', async (name, label) => {
    expect((await recorded(name)).label).toBe(label);
  });

  it('take what went through a router as the actor held it', async () => {
    expect((await recorded('add-liquidity-v2')).label).toMatch(
      /^Add (\d+ ETH and 6800000000 0xa0b8|6800000000 0xa0b8 and \d+ ETH) to uniswap-v2$/,
    );
  });
});

describe('a transaction of several acts', () => {
  const [USER, FRIEND, POOL, VAULT, A, B, C] = [1, 20, 21, 22, 30, 31, 32].map(account) as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
  ];
  const deposit: Step[] = [
    transfer(C, USER, VAULT, 100n),
    transfer(VAULT, ZERO, USER, 90n),
    event(VAULT, 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)', [
      USER,
      USER,
      100n,
      90n,
    ]),
  ];
  const swap: Step[] = [
    transfer(A, USER, POOL, 50n),
    transfer(B, POOL, USER, 40n),
    v2Swap(POOL, USER, [50n, 0n, 0n, 40n]),
  ];

  it('is called by what the headline moved, with payments beside it among the parts', async () => {
    const { tx } = analyse([transfer(WETH, USER, FRIEND, 7n), ...swap, ...deposit]);
    const { kind, label, fragments } = await verdictOn(tx, account(99));
    expect([kind, label]).toEqual(['VaultDeposit', `Deposit 100 0x0000 into ${VAULT.slice(0, 6)}`]);
    expect(fragments.map((f) => f.kind)).toEqual(['TokenTransfer', 'DirectSwap', 'VaultDeposit']);
  });

  it('names what the builder was paid apart from what the pool took', async () => {
    const builder = account(99);
    const weth: Step[] = [
      transfer(WETH, USER, POOL, 50n),
      transfer(B, POOL, USER, 40n),
      v2Swap(POOL, USER, [50n, 0n, 0n, 40n]),
    ];
    const { tx } = analyse([...weth, send(USER, builder, 3n)]);
    const { label, fragments } = await verdictOn(tx, builder);
    expect(label).toBe('Swap 50 0xc02a for 40 0x0000 on 0x0000, tipping 3 ETH');
    expect(fragments.map((f) => f.kind)).toEqual(['DirectSwap', 'BuilderPayment']);
    // Of ether that was given or got, it is a part: the wallet shows one sum.
    const ether: Step[] = [
      send(USER, POOL, 50n),
      transfer(B, POOL, USER, 40n),
      v2Swap(POOL, USER, [50n, 0n, 0n, 40n]),
    ];
    const paid = await verdictOn(analyse([...ether, send(USER, builder, 3n)]).tx, builder);
    expect(paid.label).toBe('Swap 53 ETH for 40 0x0000 on 0x0000, 3 ETH of it as a tip');
    const got: Step[] = [
      transfer(B, USER, POOL, 40n),
      send(POOL, USER, 50n),
      v2Swap(POOL, USER, [0n, 40n, 50n, 0n]),
    ];
    const sold = await verdictOn(analyse([...got, send(USER, builder, 3n)]).tx, builder);
    expect(sold.label).toBe('Swap 40 0x0000 for 47 ETH on 0x0000, after a tip of 3 ETH');
    // A payment to anybody else is not the builder's.
    expect((await verdictOn(tx, account(98))).label).not.toContain('tipping');
  });

  it('states what the actor gave and got, and apart from it what the tokens took on both sides', async () => {
    const { tx } = analyse([
      asks(A, USER, POOL, 1_000n),
      transfer(A, USER, A, 10n),
      transfer(A, USER, POOL, 990n),
      asks(B, POOL, USER, 500n),
      transfer(B, POOL, B, 20n),
      transfer(B, POOL, USER, 480n),
      v2Swap(POOL, USER, [990n, 0n, 0n, 500n]),
    ]);
    const { label } = await verdictOn(tx, account(99));
    expect(label).toBe('Swap 1000 0x0000 for 480 0x0000 on 0x0000 (1 % and 4 % token taxes)');
  });

  it('states the own amounts where the token sold its taxes into the pool as well', async () => {
    const { tx } = analyse([
      transfer(A, A, POOL, 400n),
      transfer(B, POOL, FRIEND, 300n),
      v2Swap(POOL, FRIEND, [400n, 0n, 0n, 300n]),
      transfer(A, USER, POOL, 1_000n),
      transfer(B, POOL, USER, 500n),
      v2Swap(POOL, USER, [1_000n, 0n, 0n, 500n]),
    ]);
    const { label } = await verdictOn(tx, account(99));
    expect(label).toMatch(/^Swap 1000 0x0000 for 500 0x0000/);
    expect(label).not.toContain('fees');
  });

  it('names the one account that a swap paid, and what it got', async () => {
    const { tx } = analyse([
      transfer(A, USER, POOL, 50n),
      transfer(B, POOL, FRIEND, 40n),
      v2Swap(POOL, FRIEND, [50n, 0n, 0n, 40n]),
    ]);
    const { rule, label } = await verdictOn(tx, account(99));
    expect([rule?.slug, label]).toEqual([
      'direct-swap-to-other',
      'Swap 50 0x0000 for 40 0x0000 on 0x0000, paid to 0x0000',
    ]);
  });

  it('counts the pools of a cycle that went through the actor between them', async () => {
    const second = account(23);
    const { tx } = analyse([
      transfer(A, USER, POOL, 50_000n),
      transfer(B, POOL, USER, 40_000n),
      v2Swap(POOL, USER, [50_000n, 0n, 0n, 40_000n]),
      transfer(B, USER, second, 40_000n),
      transfer(A, second, USER, 60_000n),
      v2Swap(second, USER, [0n, 40_000n, 60_000n, 0n]),
    ]);
    const { kind, label } = await verdictOn(tx, account(99));
    expect([kind, label]).toEqual(['AtomicArbitrage', 'Arbitrage across 2 pools for 10000 0x0000']);
  });

  it('does not call a payment what its recipient made something of', async () => {
    const { tx } = analyse([transfer(WETH, USER, FRIEND, 7n), transfer(A, FRIEND, ZERO, 1n), ...deposit]);
    expect((await verdictOn(tx, account(99))).fragments.map((f) => f.kind)).not.toContain('TokenTransfer');
  });
});

it('the first payment of an account made in the same transaction is told, and proven', async () => {
  const { kind, status, rule, kinds } = await recorded('userop-first');
  expect([kind, status, rule?.slug]).toEqual(['TokenTransfer', 'Proven', 'account-transfer']);
  expect(kinds).toEqual(['deployment', 'account_administration', 'transfer', 'user_operation']);
});

it.each([
  [
    encodeFunctionData({ abi: parseAbi(['function multicall(bytes[] data)']), args: [['0x01']] }),
    'Failed: call multicall() with 7 ETH on 0x0000',
  ],
  [
    encodeFunctionData({
      abi: parseAbi(['function swapExactETHForTokens(uint256,address[],address,uint256)']),
      args: [1n, [], WETH, 9n],
    }),
    'Failed: swap 7 ETH on 0x0000',
  ],
])('a failed call says what ether it carried: %s', async (input, label) => {
  const { tx } = analyse([], { value: 7n, input });
  const verdict = await verdictOn({ ...tx, succeeded: false }, account(99));
  expect([verdict.kind, verdict.label]).toEqual(['Reverted', label]);
});

describe('what others kept of a swap', () => {
  const part = (side: Kept['side'], amount: bigint): Kept => ({
    id: 'eip155:1/slip44:60',
    asset: NATIVE,
    amount,
    side,
    of: 10_000n,
    tax: 0n,
    holder: null,
    share: null,
  });
  const format = { amount: () => null } as unknown as LabelFormat;

  it('is told apart where the text is shortest', () => {
    const [before, after] = [part('sent', 1_021n), part('received', 3_333n)];
    expect(keptText([before, after], 5, format)).toBe(', others kept 10.21 % before and 33.33 % after');
    expect(keptText([{ ...before, share: 'fee' }, after], 5, format)).toBe(', others kept 33.33 % after');
    expect(keptText([{ ...before, share: 'fee' }], 5, format)).toBe('');
    expect(keptText([before], 4, format)).toBe(', of which others kept 10.21 %');
  });

  it('is a tip where the block builder has it', () => {
    const tips = (['sent', 'received'] as const).map(
      (side): Kept => ({ ...part(side, 1_021n), share: 'tip' }),
    );
    expect(keptText(tips, 0, format)).toBe(', 10.21 % of it as a tip, after a tip of 10.21 %');
  });
});
