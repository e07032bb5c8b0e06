import { NO_TRAITS } from '../../../src/lib/motifKinds.ts';
import { describe, expect, it } from 'vitest';
import { erc20Id, nftId } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { assignOwners } from '../../../src/stages/5-motifs/links.ts';
import { draftOf } from '../../support/drafts.ts';
import { positionChanges } from '../../../src/stages/8-economics/positions/positionChanges.ts';
import type { Motif } from '../../../src/model/motif.ts';
import {
  account,
  attribution,
  canonicalTx,
  classified,
  motif,
  rulebook,
  SIGNER,
  valueFlow,
  type MovementSketch,
} from '../../support/builders.ts';

const [ZAP, POOL, META] = [account('c1'), account('d1'), account('d2')];
const [USD, LP, META_LP] = [erc20Id(account('f1')), erc20Id(account('f2')), erc20Id(account('f3'))];
const kinds = rulebook({
  // A router that the rules list: what others convert is none of a Proven position.
  entities: { [ZAP]: ['router'] },
  motifKinds: [
    { kind: 'add_liquidity', position: { category: 'liquidity', effect: 'increase' } },
    { kind: 'bridge_deposit', position: { category: 'bridge_claim', effect: 'open' } },
    { kind: 'withdraw', position: { category: 'lending_supply', effect: 'decrease' } },
    { kind: 'supply', position: { category: 'lending_supply', effect: 'increase' } },
    { kind: 'vault_deposit', position: { category: 'vault', effect: 'increase' } },
    { kind: 'vault_withdraw', position: { category: 'vault', effect: 'decrease' } },
    { kind: 'borrow', position: { category: 'lending_debt', effect: 'increase' } },
  ],
});

/** Each with the acts that only carried its value on as its parts, as the assembly leaves them. */
function changes(movements: readonly MovementSketch[], motifs: readonly Motif[]) {
  const flow = valueFlow(movements);
  const drafts = classified(motifs, kinds).map((one) => draftOf(one, flow));
  assignOwners(drafts, { tx: canonicalTx({}), flow, rulebook: kinds });
  return positionChanges({
    tx: canonicalTx({}),
    motifs: drafts.map((draft) => ({ ...draft, parent: draft.whole?.index ?? null })),
    flow,
    rulebook: kinds,
    attribution: attribution({ actor: SIGNER, entity: [SIGNER] }),
  });
}
const owner = (who: typeof ZAP) => [{ role: 'owner', account: who }];

describe('position owners', () => {
  it('are followed through a zap, which keeps no position of its own', () => {
    const found = changes(
      [
        { from: SIGNER, to: ZAP, asset: USD, amount: 200n },
        { from: ZAP, to: POOL, asset: USD, amount: 200n },
        { from: ZERO_ADDRESS, to: ZAP, asset: LP, amount: 190n, kind: 'mint' },
        { from: ZAP, to: META, asset: LP, amount: 190n },
        { from: ZERO_ADDRESS, to: ZAP, asset: META_LP, amount: 180n, kind: 'mint' },
        { from: ZAP, to: SIGNER, asset: META_LP, amount: 180n },
      ],
      [
        motif({
          index: 0,
          kind: 'add_liquidity',
          venue: POOL,
          participants: owner(ZAP),
          assetsOut: [{ asset: USD, amount: 200n, role: 'in' }],
          assetsIn: [{ asset: LP, amount: 190n, role: 'share_out' }],
          movements: [1, 2],
        }),
        motif({
          index: 1,
          kind: 'add_liquidity',
          venue: META,
          participants: owner(ZAP),
          assetsOut: [{ asset: LP, amount: 190n, role: 'in' }],
          assetsIn: [{ asset: META_LP, amount: 180n, role: 'share_out' }],
          movements: [3, 4],
        }),
      ],
    );
    expect(found).toMatchObject([
      {
        owner: SIGNER,
        position: META_LP,
        delta: 180n,
        motifs: [0, 1],
        parts: [{ asset: USD, delta: -200n, role: 'principal' }],
      },
    ]);
    expect(found).toHaveLength(1);
  });

  const bridged = (index: number, who: typeof ZAP, asset: typeof USD, movement: number) =>
    motif({
      index,
      kind: 'bridge_deposit',
      venue: POOL,
      participants: owner(who),
      assetsOut: [{ asset, amount: 200n, role: 'in' }],
      movements: [movement],
    });

  it('count once what the bridge hands on to its own portal, twice what was put in twice', () => {
    const once: MovementSketch[] = [
      { from: SIGNER, to: ZAP, asset: USD, amount: 200n },
      { from: ZAP, to: POOL, asset: USD, amount: 200n },
    ];
    const acts = [bridged(0, SIGNER, USD, 0), bridged(1, ZAP, USD, 1)];
    expect(changes(once, acts)).toMatchObject([{ owner: SIGNER, motifs: [0, 1] }]);
    const named = [bridged(0, SIGNER, USD, 0), bridged(1, SIGNER, USD, 1)];
    expect(changes(once, named)).toMatchObject([{ owner: SIGNER, motifs: [0, 1] }]);
    const twice: MovementSketch[] = [...once, { from: SIGNER, to: META, asset: USD, amount: 200n }];
    const again = [...acts, bridged(2, SIGNER, USD, 2)];
    expect(changes(twice, again).map((c) => [c.owner, c.motifs])).toEqual([
      [SIGNER, [0, 1]],
      [SIGNER, [2]],
    ]);
  });

  const put = (kind: string, index: number, who: typeof ZAP, legs: Partial<Motif>) =>
    motif({ index, kind, venue: index === 0 ? META : POOL, participants: owner(who), ...legs });
  const given = { assetsOut: [{ asset: USD, amount: 200n, role: 'in' }], movements: [0] };

  it('leave what a vault put on to its vault, whoever the market names', () => {
    const flow: MovementSketch[] = [
      { from: SIGNER, to: META, asset: USD, amount: 200n },
      { from: ZERO_ADDRESS, to: SIGNER, asset: META_LP, amount: 190n, kind: 'mint' },
      { from: META, to: POOL, asset: USD, amount: 200n },
      { from: ZERO_ADDRESS, to: META, asset: LP, amount: 200n, kind: 'mint' },
    ];
    const shares = { assetsIn: [{ asset: META_LP, amount: 190n, role: 'share_out' }], movements: [0, 1] };
    const vault = put('vault_deposit', 0, SIGNER, { ...given, ...shares });
    const on = { ...given, assetsIn: [{ asset: LP, amount: 200n, role: 'share_out' }], movements: [2, 3] };
    for (const named of [META, SIGNER]) {
      const market = put('supply', 1, named, named === META ? on : { ...given, movements: [2] });
      expect(changes(flow, [vault, market])).toMatchObject([
        { owner: SIGNER, category: 'vault', position: META_LP, delta: 190n, motifs: [0, 1] },
      ]);
    }
  });

  it('are not closed because a gateway that withdrew for the owner has no more shares', () => {
    const withdrawal = (who: typeof ZAP) =>
      changes(
        [
          { from: SIGNER, to: ZAP, asset: LP, amount: 190n },
          { from: who, to: ZERO_ADDRESS, asset: LP, amount: 190n, kind: 'burn' },
          { from: POOL, to: who, asset: USD, amount: 200n },
          { from: ZAP, to: SIGNER, asset: USD, amount: 200n },
        ].slice(...(who === ZAP ? [0, 4] : [1, 3])) as MovementSketch[],
        [
          motif({
            kind: 'withdraw',
            venue: POOL,
            participants: owner(who),
            assetsOut: [{ asset: LP, amount: 190n, role: 'share_in' }],
            assetsIn: [{ asset: USD, amount: 200n, role: 'out' }],
            movements: who === ZAP ? [1, 2] : [0, 1],
            tags: ['closes'],
          }),
        ],
      );
    expect(withdrawal(ZAP)).toMatchObject([{ owner: SIGNER, effect: 'decrease', delta: -190n }]);
    expect(withdrawal(SIGNER)).toMatchObject([{ owner: SIGNER, effect: 'close', delta: -190n }]);
  });

  it('are told in what their owner gave or got, where a router converted it on the way', () => {
    const out = [{ asset: USD, amount: 200n, role: 'out' }];
    const redeemed = put('vault_withdraw', 0, SIGNER, {
      assetsOut: [{ asset: LP, amount: 190n, role: 'share_in' }],
      assetsIn: out,
      movements: [0, 1],
    });
    const flow: MovementSketch[] = [
      { from: SIGNER, to: ZERO_ADDRESS, asset: LP, amount: 190n, kind: 'burn' },
      { from: META, to: ZAP, asset: USD, amount: 200n },
      { from: ZAP, to: SIGNER, asset: META_LP, amount: 7n },
    ];
    expect(changes(flow, [redeemed])).toMatchObject([
      { owner: SIGNER, delta: -190n, parts: [{ asset: META_LP, delta: 7n, role: 'principal' }] },
    ]);
    // It gave something else, too: what came back is no longer for the shares alone.
    const mixed: MovementSketch[] = [...flow, { from: SIGNER, to: POOL, asset: USD, amount: 1n }];
    expect(changes(mixed, [redeemed])[0]!.parts).toMatchObject([{ asset: USD, delta: 200n }]);
  });

  it('count what was minted beside a router as earned, not as sent', () => {
    const flow: MovementSketch[] = [
      { from: ZERO_ADDRESS, to: SIGNER, asset: LP, amount: 3n, kind: 'mint' },
      { from: SIGNER, to: ZAP, asset: LP, amount: 100n },
      { from: ZAP, to: ZERO_ADDRESS, asset: LP, amount: 100n, kind: 'burn' },
      { from: POOL, to: SIGNER, asset: USD, amount: 100n },
    ];
    const taken = put('withdraw', 0, ZAP, {
      assetsOut: [{ asset: LP, amount: 100n, role: 'share_in' }],
      assetsIn: [{ asset: USD, amount: 100n, role: 'out' }],
      movements: [2, 3],
    });
    expect(changes(flow, [taken]).map(({ owner: who, effect, delta }) => [who, effect, delta])).toEqual([
      [SIGNER, 'decrease', -100n],
      [SIGNER, 'collect', 3n],
    ]);
  });

  it('have all the tokens that one deposit made: principal and yield', () => {
    const flow: MovementSketch[] = [
      { from: SIGNER, to: META, asset: USD, amount: 200n },
      { from: ZERO_ADDRESS, to: SIGNER, asset: META_LP, amount: 190n, kind: 'mint' },
      { from: ZERO_ADDRESS, to: SIGNER, asset: LP, amount: 190n, kind: 'mint' },
    ];
    const shares = [META_LP, LP].map((asset) => ({ asset, amount: 190n, role: 'share_out' }));
    const both = put('vault_deposit', 0, SIGNER, { ...given, assetsIn: shares, movements: [0, 1, 2] });
    expect(changes(flow, [both])).toMatchObject([
      { position: META_LP, delta: 190n, beside: [{ asset: LP, delta: 190n }] },
    ]);
  });

  it('are followed through a router that converts what it bridges', () => {
    const found = changes(
      [
        { from: SIGNER, to: ZAP, asset: USD, amount: 200n },
        { from: ZAP, to: META, asset: USD, amount: 200n },
        { from: ZERO_ADDRESS, to: ZAP, asset: LP, amount: 200n, kind: 'mint' },
        { from: ZAP, to: POOL, asset: LP, amount: 200n },
      ],
      [bridged(0, ZAP, LP, 3)],
    );
    expect(found.map((c) => c.owner)).toEqual([SIGNER]);
  });

  it('are not given to a principal whose other value a contract passed on beside its own deposit', () => {
    const [STRANGER, PAYEE] = [account('d5'), account('d6')];
    const deposited = [
      { from: STRANGER, to: ZAP, asset: USD, amount: 100n },
      { from: ZAP, to: POOL, asset: USD, amount: 100n },
    ];
    const act = motif({
      index: 0,
      kind: 'supply',
      venue: POOL,
      participants: owner(ZAP),
      assetsOut: [{ asset: USD, amount: 100n, role: 'in' }],
      movements: [1],
    });
    const through = (from: typeof ZAP, to: typeof ZAP): MovementSketch[] => [
      { from, to: ZAP, asset: LP, amount: 1n },
      { from: ZAP, to, asset: LP, amount: 1n },
    ];
    for (const passed of [through(SIGNER, PAYEE), through(PAYEE, SIGNER)])
      expect(changes([...deposited, ...passed], [act]).map((change) => change.owner)).toEqual([ZAP]);
  });

  it('count interest once: as part of what a withdrawal paid out, or as an effect of its own', () => {
    const burnt: MovementSketch = { from: SIGNER, to: ZERO_ADDRESS, asset: LP, amount: 95n, kind: 'burn' };
    const paid: MovementSketch = { from: POOL, to: SIGNER, asset: USD, amount: 100n };
    const withdrawal = motif({
      kind: 'withdraw',
      venue: POOL,
      participants: owner(SIGNER),
      assetsOut: [{ asset: LP, amount: 95n, role: 'share_in' }],
      assetsIn: [{ asset: USD, amount: 100n, role: 'out' }],
      movements: [0, 1],
      portions: [{ role: 'interest', asset: USD, amount: 5n }],
    });
    expect(changes([burnt, paid], [withdrawal])[0]!.parts).toEqual([
      { asset: USD, delta: 95n, role: 'principal' },
      { asset: USD, delta: 5n, role: 'interest' },
    ]);
    const minted: MovementSketch = { from: ZERO_ADDRESS, to: SIGNER, asset: LP, amount: 3n, kind: 'mint' };
    const effects = changes([burnt, paid, minted], [withdrawal]);
    expect(effects.map(({ effect, delta }) => [effect, delta])).toEqual([
      ['decrease', -95n],
      ['collect', 3n],
    ]);
  });

  it('keep collateral apart from debt, and a loan is owed', () => {
    const found = changes(
      [
        { from: SIGNER, to: POOL, asset: LP, amount: 50n },
        { from: POOL, to: SIGNER, asset: USD, amount: 30n },
      ],
      [
        motif({
          kind: 'borrow',
          venue: POOL,
          participants: owner(SIGNER),
          assetsOut: [{ asset: LP, amount: 50n, role: 'in' }],
          assetsIn: [{ asset: USD, amount: 30n, role: 'out' }],
          movements: [0, 1],
        }),
      ],
    );
    expect(found.map(({ category, effect, parts }) => [category, effect, parts[0]!.delta])).toEqual([
      ['lending_supply', 'increase', -50n],
      ['lending_debt', 'increase', 30n],
    ]);
  });
});

describe('a position NFT that changes hands', () => {
  const [MANAGER, BOB] = [account('d9'), account('b9')];
  const POSITION = nftId('erc721', MANAGER, 7n);
  const moved = (manager: typeof MANAGER) => {
    const flow = valueFlow([{ from: SIGNER, to: BOB, asset: POSITION, amount: 1n }]);
    return positionChanges({
      tx: canonicalTx({}),
      motifs: [
        motif({
          kind: 'transfer',
          traits: {
            ...NO_TRAITS,
            kind: 'transfer',
            title: 'transfer',
            fragment: null,
            position: null,
            plain: true,
          },
          participants: [
            { role: 'payer', account: SIGNER },
            { role: 'recipient', account: BOB },
          ],
          assetsOut: [{ asset: POSITION, amount: 1n, role: 'paid' }],
          movements: [0],
        }),
      ],
      flow,
      rulebook: rulebook({
        entities: { [manager]: ['position_manager'] },
      }),
      attribution: attribution({ actor: SIGNER, entity: [SIGNER] }),
    });
  };

  it('is given by the sender and got by the receiver; another NFT is no position', () => {
    expect(moved(MANAGER)).toMatchObject([
      { owner: SIGNER, category: 'liquidity', effect: 'transfer', position: POSITION, delta: -1n },
      { owner: BOB, category: 'liquidity', effect: 'transfer', position: POSITION, delta: 1n },
    ]);
    expect(moved(BOB)).toEqual([]);
  });
});
