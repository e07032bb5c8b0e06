import { describe, expect, it } from 'vitest';
import { account } from './support.ts';
import { joinTriggers } from '../../../src/stages/4-primitives/join/joinTriggers.ts';
import type { KnownContracts } from '../../../src/stages/4-primitives/match/provenProtocol.ts';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import type { DraftPrimitive, Leg } from '../../../src/model/primitive.ts';
import type { ValueFlow } from '../../../src/model/valueFlow.ts';

const [POOL, MANAGER, USER] = [account(1), account(2), account(3)];
const FAMILY = { slug: 'family', version: 1, matchedBy: 'family' } as const;
const LISTED = { slug: 'listed', version: 1, matchedBy: 'address' } as const;
const tx = { logs: [] } as unknown as CanonicalTx;

const leg = (role: string, ...movements: number[]): Leg => ({
  role,
  asset: `asset${movements[0]}`,
  amount: 1n,
  account: USER,
  movements,
  exact: true,
});

/** What log `at` tells. */
function told(at: number, kind: string, legs: Leg[], more: Partial<DraftPrimitive> = {}): DraftPrimitive {
  return {
    kind,
    seq: at,
    basis: 'event',
    shape: 'shape',
    protocol: FAMILY,
    venue: POOL,
    poolId: null,
    roles: [{ role: 'owner', account: USER }],
    legs,
    claims: [],
    tags: [],
    evidence: [{ kind: 'log', frame: null, log: at, contract: POOL }],
    about: [],
    position: null,
    portions: [],
    ...more,
  };
}

/** Movement `m` is log `100 + m`. */
const flow = {
  movements: Array.from({ length: 20 }, (_, m) => ({
    evidence: { kind: 'log', frame: null, log: 100 + m, contract: POOL },
  })),
} as unknown as ValueFlow;
const known = { listing: () => undefined } as unknown as KnownContracts;
const joined = (...found: DraftPrimitive[]) => joinTriggers(found, tx, flow, known);
const logsOf = (act: { evidence: readonly { log: number | null }[] }) => act.evidence.map(({ log }) => log);

describe('what tells the same act', () => {
  const manager = [{ kind: 'log', frame: null, log: 2, contract: MANAGER }] as const;
  const managed = (protocol: DraftPrimitive['protocol'], ofPool: DraftPrimitive['protocol']) =>
    joined(
      told(1, 'add_liquidity', [leg('in', 0), leg('share_out', 5)], { protocol: ofPool, portions }),
      told(2, 'add_liquidity', [leg('in', 0)], { protocol, venue: MANAGER, evidence: manager }),
      told(3, 'swap', [leg('in', 0)]),
    );
  const portions = [{ role: 'principal', asset: 'asset0', amount: 1n }] as const;

  it.each([LISTED, FAMILY])(
    'is one kind with one movement in one role; one completes the other',
    (protocol) => {
      const acts = managed(protocol, protocol);
      expect(acts.map(({ kind, venue }) => [kind, venue])).toEqual([
        ['add_liquidity', POOL],
        ['swap', POOL],
      ]);
      expect(acts[0]!.legs.map(({ role }) => role)).toEqual(['in', 'share_out']);
      expect(acts[0]!.roles).toContainEqual({ role: 'venue', account: MANAGER });
      expect(logsOf(acts[0]!)).toEqual([1, 2]);
      expect(acts[0]!.others!.map(({ evidence, reason }) => [evidence.log, reason])).toEqual([[2, 'first']]);
    },
  );

  it('beside a listed contract is no more than evidence where another tells it', () => {
    const [act] = managed(LISTED, FAMILY);
    expect(act).toMatchObject({ venue: MANAGER, roles: [{ role: 'owner', account: USER }], portions: [] });
    expect(act!.legs.map(({ role }) => role)).toEqual(['in']);
    expect(logsOf(act!)).toEqual([2, 1]);
    expect(act!.others!.map(({ evidence, reason }) => [evidence.log, reason])).toEqual([[1, 'listed']]);
  });

  it('is a call of a family whose movements events explain: it is evidence, and adds no leg or role', () => {
    const call = told(9, 'stake', [leg('in', 0), leg('in', 1)], {
      basis: 'call',
      roles: [{ role: 'owner', account: MANAGER }],
    });
    const acts = joined(
      call,
      told(1, 'vault_deposit', [leg('in', 0)]),
      told(2, 'vault_deposit', [leg('in', 1)]),
    );
    expect(acts.map(({ legs }) => legs.length)).toEqual([1, 1]);
    expect(logsOf(acts[0]!)).toEqual([1, 9]);
    expect(acts[0]!.roles).toEqual([{ role: 'owner', account: USER }]);
  });

  it('but not where the call names a movement that no event has', () => {
    const call = told(9, 'stake', [leg('in', 0), leg('in', 1)], { basis: 'call' });
    expect(joined(told(1, 'vault_deposit', [leg('in', 0)]), call)).toHaveLength(2);
  });

  it('is a promise and the payout after it at the same venue, of the same position', () => {
    const promise = (at: number, about: string): DraftPrimitive =>
      told(at, 'remove_liquidity', [], { tags: ['deferred'], about: [about], protocol: LISTED });
    expect(joined({ ...promise(1, 'a'), protocol: FAMILY })).toEqual([]);
    const acts = joined(
      promise(1, `burn|${POOL}|a`),
      promise(2, `burn|${POOL}|b`),
      told(3, 'collect_fees', [leg('out', 0)], { about: [`burn|${POOL}|a`] }),
    );
    expect(acts.map(({ kind, legs }) => [kind, legs.length])).toEqual([
      ['remove_liquidity', 0],
      ['remove_liquidity', 1],
    ]);
    expect(logsOf(acts[1]!)).toEqual([1, 3]);
    expect(acts[1]!.claims).toEqual([]);
  });

  it("counts as a payout where the position's own token is burnt with it", () => {
    const burnt = told(3, 'collect_fees', [leg('out', 0), { ...leg('share_in', 1), asset: 'nft' }], {
      position: 'nft',
    });
    const [act, ...more] = joined(told(1, 'remove_liquidity', [], { tags: ['deferred'] }), burnt);
    expect(more).toEqual([]);
    expect([act!.kind, act!.legs.length]).toEqual(['remove_liquidity', 2]);
  });

  it('is several events over an asset each, where the rules say so', () => {
    const part = (at: number, holds: boolean): DraftPrimitive =>
      told(at, 'add_liquidity', [leg('in', at)], {
        tags: ['per_asset'],
        claims: [{ name: 'conserved', holds, operands: [] }],
      });
    const [act, ...more] = joined(part(1, true), part(2, false));
    expect(more).toEqual([]);
    expect(act!.legs).toHaveLength(2);
    expect(act!.tags).toEqual([]);
    expect(act!.claims.map(({ holds }) => holds)).toEqual([true, false]);
  });
});

describe('what a call pays out beside its event', () => {
  const place = (log: number) => ({ kind: 'log', frame: null, log, contract: POOL }) as const;
  const exit = (...legs: Leg[]) =>
    told(0, 'unstake', legs, { basis: 'call', evidence: [place(0), place(100), place(101)] });
  it('is not its own where another event tells of it, and neither is the evidence', () => {
    for (const legs of [[leg('out', 0), leg('out', 1)], [leg('out', 0, 1)]]) {
      const acts = joined(
        exit(...legs),
        told(1, 'unstake', [leg('out', 0)], { evidence: [place(1), place(100)] }),
        told(2, 'claim', [leg('reward', 1)], { evidence: [place(2), place(101)] }),
      );
      expect(acts.map(({ kind, legs: own }) => [kind, own.flatMap(({ movements }) => movements)])).toEqual([
        ['unstake', [0]],
        ['claim', [1]],
      ]);
      expect(logsOf(acts[0]!)).not.toContain(101);
    }
  });
  it('stays where no event says what it is', () => {
    const [act] = joined(exit(leg('out', 0), leg('out', 1)), told(1, 'unstake', [leg('out', 0)]));
    expect(act!.legs.flatMap(({ movements }) => movements)).toEqual([0, 1]);
  });
});
