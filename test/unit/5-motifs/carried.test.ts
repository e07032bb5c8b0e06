import { describe, expect, it } from 'vitest';
import { erc20Id } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { assignOwners } from '../../../src/stages/5-motifs/links.ts';
import type { Motif } from '../../../src/model/motif.ts';
import {
  account,
  canonicalTx,
  classified,
  motif,
  rulebook,
  SIGNER,
  valueFlow,
  type MovementSketch,
} from '../../support/builders.ts';
import { draftOf } from '../../support/drafts.ts';

const [VAULT, ROUTER, MARKET, OTHER] = [account('c1'), account('c2'), account('d1'), account('a7')];
const [USD, SHARE, RECEIPT] = [erc20Id(account('f1')), erc20Id(VAULT), erc20Id(account('f3'))];
const kinds = rulebook({
  motifKinds: [
    { kind: 'deposit', position: { category: 'vault', effect: 'increase' } },
    { kind: 'withdrawal', position: { category: 'vault', effect: 'decrease' } },
    { kind: 'supply', position: { category: 'lending_supply', effect: 'increase' } },
    { kind: 'stake', position: { category: 'stake', effect: 'increase' } },
    { kind: 'unstake', position: { category: 'stake', effect: 'decrease' } },
    { kind: 'borrow', position: { category: 'lending_debt', effect: 'increase' } },
    { kind: 'repay', position: { category: 'lending_debt', effect: 'decrease' } },
  ],
});
const LISTED = { slug: 'market', version: 1, matchedBy: 'address' } as const;

const put = (kind: string, who: typeof SIGNER, asset: typeof USD, more: Partial<Motif>): Partial<Motif> => ({
  kind,
  participants: [{ role: 'owner', account: who }],
  assetsOut: [{ asset, amount: 200n, role: 'in' }],
  ...more,
});
const shares = (asset: typeof USD) => [{ asset, amount: 200n, role: 'share_out' }];
const moved = (from: typeof SIGNER, to: typeof SIGNER, asset: typeof USD): MovementSketch => {
  return { from, to, asset, amount: 200n };
};

/** Per act the index of the act that it is a part of. */
function wholes(movements: readonly MovementSketch[], acts: readonly Partial<Motif>[]) {
  const flow = valueFlow(movements);
  const drafts = classified(
    acts.map((act, index) => motif({ index, ...act })),
    kinds,
  ).map((one) => draftOf(one, flow));
  assignOwners(drafts, { tx: canonicalTx({}), flow, rulebook: kinds });
  return drafts.map(({ whole, reason }) => (whole === null ? null : [whole.index, reason]));
}

describe('an act that only carried value on', () => {
  const toVault = moved(SIGNER, VAULT, USD);
  const onward = [toVault, moved(VAULT, ROUTER, USD), moved(ROUTER, MARKET, USD)];
  const minted = moved(ZERO_ADDRESS, SIGNER, SHARE);
  const deposit = put('deposit', SIGNER, USD, { venue: VAULT, movements: [0] });
  const supplied = put('supply', ROUTER, USD, { venue: MARKET, movements: [2] });

  it('is a part of the one whose assets it put on, whichever event came first', () => {
    expect(wholes(onward, [deposit, supplied])).toEqual([null, [0, 'carried']]);
    expect(wholes(onward, [supplied, deposit])).toEqual([[1, 'carried'], null]);
  });

  it('is a part of the withdrawal that it paid for', () => {
    const out = (who: typeof SIGNER, movement: number): Partial<Motif> => ({
      kind: 'withdrawal',
      participants: [{ role: 'owner', account: who }],
      assetsIn: [{ asset: USD, amount: 200n, role: 'out' }],
      movements: [movement],
    });
    const flow = [moved(MARKET, VAULT, USD), moved(VAULT, SIGNER, USD)];
    expect(wholes(flow, [out(VAULT, 0), out(SIGNER, 1)])).toEqual([[1, 'carried'], null]);
    // Two withdrawals of one amount from one venue lie on no common way.
    const both = [moved(MARKET, OTHER, USD), moved(MARKET, SIGNER, USD)];
    expect(wholes(both, [out(OTHER, 0), out(SIGNER, 1)])).toEqual([null, null]);
  });

  it('is the vault’s own act beside its shares, whatever the amounts', () => {
    const flow = [toVault, minted, { ...moved(VAULT, MARKET, USD), amount: 90n }];
    const vault = { ...deposit, assetsIn: shares(SHARE), movements: [0, 1] };
    const own = { ...put('deposit', VAULT, USD, {}), assetsOut: [{ asset: USD, amount: 90n, role: 'in' }] };
    expect(wholes(flow, [{ ...own, venue: MARKET, movements: [2] }, vault])).toEqual([[1, 'carried'], null]);
    const taken = { ...own, kind: 'withdrawal', venue: MARKET, movements: [2] };
    expect(wholes(flow, [taken, vault])).toEqual([null, null]);
  });

  it('is never the act whose token the user got: then the event around it is the part', () => {
    const flow = [...onward, moved(ZERO_ADDRESS, SIGNER, RECEIPT)];
    const market = { ...supplied, assetsIn: shares(RECEIPT), movements: [2, 3] };
    expect(wholes(flow, [deposit, market])).toEqual([[1, 'carried'], null]);
    const vault = { ...deposit, assetsIn: shares(SHARE), movements: [0, 4] };
    expect(wholes([...flow, minted], [vault, market])).toEqual([null, null]);
  });

  it('is never an act in the name of an account that the value did not pass', () => {
    const others = { ...supplied, ...put('supply', OTHER, USD, {}), venue: MARKET, movements: [2] };
    expect(wholes(onward, [deposit, others])).toEqual([null, null]);
  });

  it('is the less known of two in the name of one user', () => {
    const named = { ...supplied, ...put('supply', SIGNER, USD, { protocol: LISTED }) };
    expect(wholes(onward, [deposit, { ...named, venue: MARKET, movements: [2] }])).toEqual([
      [1, 'carried'],
      null,
    ]);
  });
});

describe('an act whose token another one took in', () => {
  const make = put('deposit', ROUTER, USD, { venue: VAULT, assetsIn: shares(SHARE), movements: [1, 2] });
  const stake = put('stake', SIGNER, SHARE, { venue: MARKET, assetsIn: shares(RECEIPT), movements: [3, 4] });
  const zapped = (through: typeof SIGNER): MovementSketch[] => [
    moved(SIGNER, through, USD),
    moved(through, VAULT, USD),
    moved(ZERO_ADDRESS, through, SHARE),
    moved(through, MARKET, SHARE),
    moved(ZERO_ADDRESS, SIGNER, RECEIPT),
  ];

  it('is a part of it where a router made both for the user', () => {
    expect(wholes(zapped(ROUTER), [make, stake])).toEqual([[1, 'carried'], null]);
  });

  it('is an act of its own where the user did both', () => {
    const own = zapped(OTHER).map((one) => ({
      ...one,
      from: one.from === OTHER ? SIGNER : one.from,
      to: one.to === OTHER ? SIGNER : one.to,
    }));
    expect(wholes(own.slice(1), shifted([put('deposit', SIGNER, USD, make), stake]))).toEqual([null, null]);
  });

  it('is an act of its own where it made a second token, too', () => {
    const flow = [...zapped(ROUTER), moved(ZERO_ADDRESS, SIGNER, erc20Id(OTHER))];
    const both = { ...make, assetsIn: [...shares(SHARE), ...shares(erc20Id(OTHER))], movements: [1, 2, 5] };
    expect(wholes(flow, [both, stake])).toEqual([null, null]);
  });

  it('is a part of it where a vault made its shares for itself and staked them for the user', () => {
    const flow = [
      moved(SIGNER, VAULT, USD),
      moved(ZERO_ADDRESS, VAULT, SHARE),
      moved(VAULT, MARKET, SHARE),
      moved(ZERO_ADDRESS, SIGNER, RECEIPT),
    ];
    const silent = put('deposit', SIGNER, USD, { venue: VAULT, movements: [0] });
    expect(wholes(flow, [silent, { ...stake, movements: [2, 3] }])).toEqual([[1, 'carried'], null]);
  });
});

describe('an act of a listed protocol beside a stranger’s event', () => {
  const [POOL, BANK] = [account('d3'), account('d4')];
  const forged = {
    protocol: { slug: 'family', version: 1, matchedBy: 'family' },
    status: 'Suspected',
    doubt: 'unproven_motif',
  } as const;
  const take = (kind: string, who: typeof SIGNER, more: Partial<Motif>): Partial<Motif> => ({
    kind,
    participants: [{ role: kind === 'borrow' ? 'borrower' : 'owner', account: who }],
    assetsIn: [{ asset: USD, amount: 200n, role: 'out' }],
    ...more,
  });
  const strange = take('withdrawal', OTHER, { venue: VAULT, ...forged });

  it.each(['withdrawal', 'borrow'])('stays an act where a payee passes its %s on', (kind) => {
    const flow = [moved(MARKET, SIGNER, USD), moved(SIGNER, VAULT, USD), moved(VAULT, OTHER, USD)];
    const real = take(kind, SIGNER, { venue: MARKET, protocol: LISTED, movements: [0] });
    expect(wholes(flow, [real, { ...strange, movements: [2] }])).toEqual([null, null]);
  });

  it('stays an act where the stranger paid what it puts in', () => {
    const flow = [
      moved(OTHER, VAULT, USD),
      moved(VAULT, SIGNER, USD),
      moved(SIGNER, MARKET, USD),
      moved(ZERO_ADDRESS, SIGNER, RECEIPT),
    ];
    const fake = put('deposit', OTHER, USD, { venue: VAULT, ...forged, movements: [0] });
    const assetsIn = shares(RECEIPT);
    const real = put('supply', SIGNER, USD, { venue: MARKET, protocol: LISTED, assetsIn, movements: [2, 3] });
    expect(wholes(flow, [fake, real])).toEqual([null, null]);
  });

  it('stays a repayment where the market lends the same amount to the stranger', () => {
    const flow = [
      moved(SIGNER, MARKET, USD),
      moved(MARKET, ROUTER, USD),
      moved(ROUTER, VAULT, USD),
      moved(ZERO_ADDRESS, OTHER, SHARE),
    ];
    const real = put('repay', SIGNER, USD, { venue: MARKET, protocol: LISTED, movements: [0] });
    const assetsIn = shares(SHARE);
    const fake = put('deposit', OTHER, USD, { venue: VAULT, ...forged, assetsIn, movements: [2, 3] });
    expect(wholes(flow, [real, fake])).toEqual([null, null]);
  });

  it('stays the signer’s own withdrawal where a listed pool pays another user as much', () => {
    const flow = [moved(MARKET, SIGNER, USD), moved(SIGNER, POOL, USD), moved(POOL, OTHER, USD)];
    const one = take('withdrawal', SIGNER, { venue: MARKET, protocol: LISTED, movements: [0] });
    const two = take('withdrawal', OTHER, { venue: POOL, protocol: LISTED, movements: [2] });
    expect(wholes(flow, [one, two])).toEqual([null, null]);
  });

  it('stays the signer’s own redemption of what it unstaked, though it pays all on', () => {
    const flow = [
      moved(MARKET, SIGNER, SHARE),
      moved(SIGNER, ZERO_ADDRESS, SHARE),
      { ...moved(VAULT, SIGNER, USD), amount: 300n },
      { ...moved(SIGNER, OTHER, USD), amount: 300n },
    ];
    const unstaked = { asset: SHARE, amount: 200n, role: 'out' };
    const first = take('unstake', SIGNER, { venue: MARKET, protocol: LISTED, movements: [0] });
    const redeemed = take('withdrawal', SIGNER, {
      venue: VAULT,
      protocol: LISTED,
      assetsOut: [{ asset: SHARE, amount: 200n, role: 'share_in' }],
      assetsIn: [{ asset: USD, amount: 300n, role: 'out' }],
      movements: [1, 2],
    });
    expect(wholes(flow, [{ ...first, assetsIn: [unstaked] }, redeemed])).toEqual([null, null]);
  });

  it('stays a deposit beside shares that its venue made for somebody else', () => {
    const flow = [
      { ...moved(SIGNER, VAULT, RECEIPT), amount: 7n },
      moved(OTHER, VAULT, USD),
      moved(ZERO_ADDRESS, ROUTER, SHARE),
      moved(ROUTER, BANK, SHARE),
    ];
    const assetsOut = [{ asset: RECEIPT, amount: 7n, role: 'in' }];
    const real = put('supply', SIGNER, RECEIPT, {
      venue: VAULT,
      protocol: LISTED,
      assetsOut,
      movements: [0],
    });
    const fake = put('stake', OTHER, SHARE, { venue: BANK, ...forged, movements: [3] });
    expect(wholes(flow, [real, fake])).toEqual([null, null]);
  });

  it('stays one of two deposits that a router was paid for twice', () => {
    const paid = [moved(SIGNER, ROUTER, USD), moved(SIGNER, ROUTER, USD)];
    const flow = [...paid, moved(ROUTER, MARKET, USD), moved(ROUTER, VAULT, USD)];
    const one = put('supply', SIGNER, USD, { venue: MARKET, protocol: LISTED, movements: [2] });
    const two = put('deposit', SIGNER, USD, { venue: VAULT, protocol: LISTED, movements: [3] });
    expect(wholes(flow, [one, two])).toEqual([null, null]);
  });
});

/** The same acts in a flow without the first movement. */
function shifted(acts: readonly Partial<Motif>[]): Partial<Motif>[] {
  return acts.map((act) => ({ ...act, movements: act.movements!.map((at) => at - 1) }));
}
