import { describe, expect, it } from 'vitest';
import {
  account,
  analyse,
  asks,
  erc20,
  ETH,
  event,
  gist,
  kinds,
  nftTransfer,
  send,
  transfer,
  v2Swap,
  WETH,
  ZERO,
} from './support.ts';

const [USER, ROUTER, POOL, A, B, FRIEND, SHARE] = [
  account(1),
  account(2),
  account(3),
  account(4),
  account(5),
  account(6),
  account(7),
] as const;
const approve = (token: typeof A, owner: typeof A, spender: typeof A, amount: bigint) =>
  event(token, 'Approval(address indexed owner, address indexed spender, uint256 value)', [
    owner,
    spender,
    amount,
  ]);

describe('plain movements', () => {
  it('knows native and token transfers and who paid them', () => {
    const native = analyse([], { to: FRIEND, value: 5n }).primitives;
    expect(native.map(gist)).toEqual([`transfer @${FRIEND}: paid 5 slip44:60`]);
    expect(native[0]!.roles).toEqual([
      { role: 'owner', account: USER },
      { role: 'payer', account: USER },
      { role: 'recipient', account: FRIEND },
    ]);
    expect(analyse([transfer(A, USER, FRIEND, 5n)], { to: A }).primitives.map(gist)).toEqual([
      `transfer @${A}: paid 5 erc20:${A}`,
    ]);
  });

  it('sees through routers to who pays and who is paid', () => {
    const { primitives } = analyse([send(ROUTER, FRIEND, 3n), send(ROUTER, account(8), 2n)], { value: 5n });
    expect(primitives.map((p) => p.roles.map((r) => r.account))).toEqual([
      [USER, USER, FRIEND],
      [USER, USER, account(8)],
    ]);
  });

  it('pairs both sides of wrapping and unwrapping', () => {
    const wrap = analyse([event(WETH, 'Deposit(address indexed dst, uint256 wad)', [USER, 5n])], {
      to: WETH,
      value: 5n,
    }).primitives;
    expect(wrap.map(gist)).toEqual([`wrap @${WETH}: in 5 slip44:60, out 5 ${erc20(WETH).slice(9)}`]);
    const unwrap = analyse(
      [event(WETH, 'Withdrawal(address indexed src, uint256 wad)', [USER, 5n]), send(WETH, USER, 5n)],
      { to: WETH },
    ).primitives;
    expect(unwrap.map(gist)).toEqual([`unwrap @${WETH}: in 5 ${erc20(WETH).slice(9)}, out 5 slip44:60`]);
    expect([...wrap, ...unwrap].every((p) => p.claims.every((i) => i.holds))).toBe(true);
  });

  it('keeps grants and revocations apart from the traces an allowance leaves when it is used', () => {
    const { primitives } = analyse([
      approve(A, USER, ROUTER, 7n),
      transfer(B, USER, FRIEND, 3n),
      approve(B, USER, ROUTER, 4n),
      approve(A, USER, ROUTER, 0n),
    ]);
    expect(primitives.filter((p) => p.kind === 'approval').map((p) => [p.venue, p.tags])).toEqual([
      [A, ['granted']],
      [A, ['revoked']],
    ]);
  });

  it('knows issuance without counter-flow, per asset and holder', () => {
    const { primitives } = analyse([
      transfer(A, ZERO, USER, 5n),
      transfer(A, ZERO, USER, 6n),
      transfer(B, USER, ZERO, 7n),
      nftTransfer(SHARE, ZERO, USER, 1n),
      nftTransfer(SHARE, ZERO, USER, 2n),
    ]);
    expect(primitives.map(gist)).toEqual([
      `token_mint @${A}: out 11 erc20:${A}`,
      `token_burn @${B}: in 7 erc20:${B}`,
      `nft_mint @${SHARE}: out 1 erc721:${SHARE}/1, out 1 erc721:${SHARE}/2`,
    ]);
  });

  it('counts a token’s tax on a direct transfer as a fee, not as a second payment', () => {
    const paid = (asked: bigint): readonly string[] =>
      kinds(
        analyse(
          [
            asks(A, USER, FRIEND, asked),
            transfer(A, USER, account(8), 5n),
            transfer(A, USER, ZERO, 5n),
            transfer(A, USER, FRIEND, 90n),
          ],
          { to: A },
        ).primitives,
      ).sort();
    expect(paid(100n)).toEqual(['protocol_fee', 'transfer']);
    // On top of the amount asked for.
    expect(paid(90n)).toEqual(['protocol_fee', 'transfer']);
    // The call did not ask for as much: the burn is another matter.
    expect(paid(95n)).toEqual(['protocol_fee', 'token_burn', 'transfer']);
  });

  it('knows contracts that were created', () => {
    const { primitives } = analyse([
      { frame: { from: ROUTER, to: POOL, type: 'CREATE2' } },
      { frame: { from: ROUTER, to: SHARE, type: 'CREATE', effective: false } },
    ]);
    expect(primitives.map((p) => [p.kind, p.venue, p.tags])).toEqual([['deployment', POOL, ['inner']]]);
  });
});

describe('structure where no event speaks', () => {
  it('finds the venue of a trade, and neither the trader nor the router', () => {
    const { primitives } = analyse([
      transfer(A, USER, ROUTER, 100n),
      transfer(A, ROUTER, POOL, 100n),
      transfer(B, POOL, ROUTER, 50n),
      transfer(B, ROUTER, USER, 50n),
    ]);
    expect(primitives.map(gist)).toEqual([`swap @${POOL}: in 100 erc20:${A}, out 50 erc20:${B}`]);
    expect(primitives[0]).toMatchObject({ basis: 'structure', protocol: null, tags: ['structural'] });
  });

  it('finds a venue that was called directly', () => {
    const { primitives } = analyse([transfer(B, POOL, USER, 50n)], { to: POOL, value: 100n });
    expect(primitives.map(gist)).toEqual([`swap @${POOL}: in 100 slip44:60, out 50 erc20:${B}`]);
  });

  it('finds none at a venue an event already explains, nor where nobody on the signer’s side traded', () => {
    const explained = analyse([
      transfer(A, USER, POOL, 10n),
      transfer(B, POOL, USER, 9n),
      v2Swap(POOL, USER, [10n, 0n, 0n, 9n]),
    ]);
    expect(kinds(explained.primitives)).toEqual(['swap']);
    const relayed = analyse([transfer(A, FRIEND, POOL, 10n), transfer(B, POOL, FRIEND, 9n)]);
    expect(kinds(relayed.primitives)).toEqual(['transfer', 'transfer']);
    const gifts = analyse([transfer(A, USER, POOL, 10n), transfer(B, USER, POOL, 9n)]);
    expect(kinds(gifts.primitives)).toEqual(['transfer', 'transfer']);
  });

  it('does not tell a pool’s trade again at the account that holds its assets', () => {
    const trade =
      'RfqTrade(address recipient, address sellerToken, address buyerToken, uint256 sellerTokenAmount, ' +
      'uint256 buyerTokenAmount, bytes16 quoteId, address signer)';
    const { primitives } = analyse([
      transfer(A, USER, FRIEND, 100n),
      transfer(B, FRIEND, USER, 50n),
      event(POOL, trade, [USER, A, B, 100n, 50n, `0x${'01'.repeat(16)}`, FRIEND]),
    ]);
    expect(primitives.map(gist)).toEqual([`swap @${POOL}: in 100 erc20:${A}, out 50 erc20:${B}`]);
    expect(primitives[0]!.basis).not.toBe('structure');
  });

  it('does not take wrapping for a trade', () => {
    const { primitives } = analyse([event(WETH, 'Deposit(address indexed dst, uint256 wad)', [USER, 5n])], {
      to: WETH,
      value: 5n,
    });
    expect(kinds(primitives)).toEqual(['wrap']);
  });

  it('knows deposits and withdrawals by the share token', () => {
    const deposit = analyse([transfer(A, USER, SHARE, 100n), transfer(SHARE, ZERO, USER, 90n)], {
      to: SHARE,
    });
    expect(deposit.primitives.map(gist)).toEqual([
      `vault_deposit @${SHARE}: in 100 erc20:${A}, share_out 90 erc20:${SHARE}`,
    ]);
    expect(deposit.primitives[0]!.tags).toEqual(['structural']);
    const withdrawal = analyse([transfer(SHARE, USER, ZERO, 90n), transfer(A, SHARE, USER, 101n)], {
      to: SHARE,
    });
    expect(withdrawal.primitives.map(gist)).toEqual([
      `vault_withdraw @${SHARE}: out 101 erc20:${A}, share_in 90 erc20:${SHARE}`,
    ]);
    const through = analyse([
      transfer(A, USER, ROUTER, 100n),
      transfer(A, ROUTER, SHARE, 100n),
      transfer(SHARE, ZERO, ROUTER, 90n),
      transfer(SHARE, ROUTER, USER, 90n),
    ]);
    expect(through.primitives.map(gist)).toEqual([
      `vault_deposit @${SHARE}: in 100 erc20:${A}, share_out 90 erc20:${SHARE}`,
    ]);
    expect(through.primitives[0]!.roles).toEqual([{ role: 'owner', account: USER }]);
    const both = analyse(
      [transfer(A, USER, SHARE, 100n), transfer(B, USER, SHARE, 50n), transfer(SHARE, ZERO, USER, 90n)],
      { to: SHARE },
    );
    expect(kinds(both.primitives)).toEqual(['add_liquidity']);
  });

  it('knows change and skims', () => {
    const swap = [
      transfer(A, USER, POOL, 1000n),
      transfer(B, POOL, ROUTER, 900n),
      v2Swap(POOL, ROUTER, [1000n, 0n, 0n, 900n]),
    ];
    const skim = analyse([...swap, transfer(B, ROUTER, FRIEND, 9n), transfer(B, ROUTER, USER, 891n)]);
    expect(skim.primitives.map((p) => [p.kind, p.legs.at(-1)!.amount])).toEqual([
      ['swap', 900n],
      ['protocol_fee', 9n],
    ]);
    const change = analyse([send(ROUTER, POOL, 80n), transfer(B, POOL, USER, 5n), send(ROUTER, USER, 20n)], {
      value: 100n,
    });
    expect(change.primitives.map((p) => [p.kind, p.legs[0]!.asset, p.legs[0]!.amount])).toEqual([
      ['swap', ETH, 80n],
      ['refund', ETH, 20n],
    ]);
  });

  it('guesses at the charges and change of routers that no rule lists, not at those of listed ones', () => {
    const charges = (router: typeof A): readonly unknown[] =>
      analyse(
        [
          send(router, POOL, 80n),
          transfer(B, POOL, router, 900n),
          transfer(B, router, FRIEND, 9n),
          transfer(B, router, USER, 891n),
          send(router, USER, 20n),
        ],
        { to: router, value: 100n },
      ).primitives.map(({ kind, tags }) => [kind, tags.includes('structural')]);
    const universalRouter = '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad';
    expect(charges(universalRouter)).toEqual([
      ['swap', true],
      ['protocol_fee', false],
      ['refund', false],
    ]);
    expect(charges(ROUTER)).toEqual([
      ['swap', true],
      ['protocol_fee', true],
      ['refund', true],
    ]);
    // A multicall contract makes whatever calls it is given.
    expect(charges('0xca11bde05977b3631167028862be2a173976ca11')).toEqual(charges(ROUTER));
  });
});
