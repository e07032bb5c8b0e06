import { describe, expect, it } from 'vitest';
import {
  account,
  analyse,
  event,
  rulebook,
  nftTransfer,
  send,
  transfer,
  v2Swap,
  WETH,
  ZERO,
  type Step,
  type TxOptions,
} from '../4-primitives/support.ts';
import { buildMotifs } from '../../../src/stages/5-motifs/buildMotifs.ts';
import { findScopes } from '../../../src/stages/5-motifs/scopes.ts';
import type { Address } from '../../../src/model/hex.ts';

const [USER, ROUTER, P1, P2, VAULT, A, B, C, FRIEND, OTHER, ENTRY] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12].map(
  account,
) as Address[] as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];

/** The kinds of each scope's motifs. */
function scopesOf(steps: readonly Step[], options: TxOptions = {}): string[] {
  const { tx, flow, primitives } = analyse(steps, options);
  const motifs = buildMotifs({ tx, flow, primitives, rulebook, coinbase: null });
  return findScopes(tx, motifs).map((scope) => scope.map((i) => motifs[i]!.kind).join(' '));
}

const trade = (
  pool: Address,
  payer: Address,
  taker: Address,
  tokenIn: Address,
  x: bigint,
  tokenOut: Address,
  y: bigint,
): Step[] => [
  transfer(tokenIn, payer, pool, x),
  transfer(tokenOut, pool, taker, y),
  v2Swap(pool, taker, [x, 0n, 0n, y]),
];
const deposit = (owner: Address, asset: Address, assets: bigint, shares: bigint): Step[] => [
  transfer(asset, owner, VAULT, assets),
  transfer(VAULT, ZERO, owner, shares),
  event(VAULT, 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)', [
    owner,
    owner,
    assets,
    shares,
  ]),
];
const allow = (token: Address, owner: Address, spender: Address): Step =>
  event(token, 'Approval(address indexed owner, address indexed spender, uint256 value)', [
    owner,
    spender,
    10n ** 30n,
  ]);
const operation = (sender: Address): Step =>
  event(
    ENTRY,
    'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    [`0x${'11'.repeat(32)}`, sender, ZERO, 0n, true, 1n, 1n],
  );
const deployed = (sender: Address): Step =>
  event(
    ENTRY,
    'AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)',
    [`0x${'22'.repeat(32)}`, sender, OTHER, ZERO],
  );
const wrap = (owner: Address, amount: bigint): Step[] => [
  send(owner, WETH, amount),
  event(WETH, 'Deposit(address indexed dst, uint256 wad)', [owner, amount]),
];

describe('one scope', () => {
  it('holds acts of which one uses what another brought', () => {
    expect(scopesOf([...trade(P1, USER, USER, A, 100n, B, 90n), ...deposit(USER, B, 90n, 80n)])).toEqual([
      'swap vault_deposit',
    ]);
    // There and back through one pool is no cycle, and still one affair.
    expect(
      scopesOf([...trade(P1, USER, ROUTER, A, 100n, B, 90n), ...trade(P1, ROUTER, USER, B, 90n, A, 99n)]),
    ).toEqual(['swap swap']);
  });

  it('holds what else its account did: allowances, wrapping, payments, deposits', () => {
    expect(scopesOf([...trade(P1, USER, USER, A, 100n, B, 90n), allow(C, USER, P1)])).toEqual([
      'swap approval',
    ]);
    expect(scopesOf([...wrap(USER, 100n), ...trade(P1, USER, USER, WETH, 100n, B, 90n)])).toEqual([
      'wrap swap',
    ]);
    expect(
      scopesOf([
        allow(C, USER, P2),
        transfer(A, USER, FRIEND, 5n),
        ...trade(P1, USER, USER, A, 100n, B, 90n),
        ...deposit(USER, WETH, 90n, 80n),
      ]),
    ).toEqual(['approval protocol_fee swap vault_deposit']);
  });

  it('holds payments of one payer, and payments both ways', () => {
    expect(
      scopesOf([
        transfer(A, USER, FRIEND, 5n),
        nftTransfer(B, OTHER, USER, 7n),
        transfer(A, USER, OTHER, 6n),
      ]),
    ).toEqual(['transfer transfer transfer']);
  });

  it('holds all of a user operation: the account made for it, its allowances, its act', () => {
    expect(
      scopesOf([deployed(USER), ...deposit(USER, A, 100n, 90n), allow(A, USER, VAULT), operation(USER)], {
        from: FRIEND,
        to: ENTRY,
      }),
    ).toEqual(['account_administration vault_deposit approval user_operation']);
    expect(scopesOf([deployed(USER), operation(USER)], { from: FRIEND, to: ENTRY })).toEqual([
      'account_administration user_operation',
    ]);
    expect(scopesOf([allow(A, USER, VAULT), operation(USER)], { from: FRIEND, to: ENTRY })).toEqual([
      'approval user_operation',
    ]);
  });

  it('is the call itself where nothing is recognised, and there is none where all was undone', () => {
    expect(scopesOf([])).toEqual(['']);
    const { tx } = analyse([]);
    expect(findScopes({ ...tx, succeeded: false }, [])).toEqual([]);
  });
});

describe('scopes of their own', () => {
  it('have the acts of strangers at one venue', () => {
    expect(
      scopesOf([...trade(P1, USER, USER, A, 100n, B, 90n), ...trade(P1, FRIEND, FRIEND, B, 50n, A, 49n)]),
    ).toEqual(['swap', 'swap']);
  });

  it('have the user operations of a bundle', () => {
    const bundle = [
      ...deposit(USER, A, 100n, 90n),
      operation(USER),
      deployed(FRIEND),
      ...trade(P2, FRIEND, FRIEND, B, 100n, C, 90n),
      allow(B, FRIEND, P2),
      operation(FRIEND),
    ];
    expect(scopesOf(bundle, { from: OTHER, to: ENTRY })).toEqual([
      'vault_deposit user_operation',
      'account_administration swap approval user_operation',
    ]);
  });

  it('have acts that share neither movement nor party', () => {
    expect(scopesOf([allow(C, OTHER, FRIEND), ...trade(P1, USER, USER, A, 100n, B, 90n)])).toEqual([
      'approval',
      'swap',
    ]);
  });
});

it('stays near-linear in thousands of acts of one account', () => {
  const time = (n: number): number => {
    const { tx, flow, primitives } = analyse(
      Array.from({ length: n }, (_, i) => BigInt(i + 1)).flatMap((i) => [
        ...trade(P1, USER, USER, A, 1000n + i, B, 900n + i),
        allow(A, USER, P1),
      ]),
    );
    const motifs = buildMotifs({ tx, flow, primitives, rulebook, coinbase: null });
    const started = performance.now();
    findScopes(tx, motifs);
    return performance.now() - started;
  };
  time(200);
  const small = time(500);
  expect(time(2_000)).toBeLessThan(Math.max(small, 20) * 12);
});
