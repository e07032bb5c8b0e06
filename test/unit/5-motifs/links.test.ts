import { describe, expect, it } from 'vitest';
import { account, rulebook } from '../4-primitives/support.ts';
import { assignOwners } from '../../../src/stages/5-motifs/links.ts';
import { mergeSilent } from '../../../src/stages/5-motifs/mergeLike.ts';
import { kindOf } from '../../../src/lib/motifKinds.ts';
import { canonicalTx, valueFlow } from '../../support/builders.ts';
import type { MotifDraft } from '../../../src/stages/5-motifs/draftMotif.ts';
import type { CanonicalTx, Frame } from '../../../src/model/canonicalTx.ts';
import type { Address } from '../../../src/model/hex.ts';

const POOL = account(1);
const LISTED = { slug: 'pool', version: 1, matchedBy: 'address' } as const;
const FAMILY = { slug: 'family', version: 1, matchedBy: 'family' } as const;
/** Frame 1 lies in frame 0, frame 2 in frame 1. */
const frames = [[], [0], [0, 0]].map((path, index) => ({ index, path })) as unknown as Frame[];

/** An act that sent and received these movements. */
function act(kind: string, sent: number[], received: number[], more: Partial<MotifDraft> = {}): MotifDraft {
  const leg = (role: string, movements: number[]) => ({ role, movements, asset: 'a', amount: 1n });
  return {
    index: -1,
    parent: null,
    whole: null,
    children: [],
    kind,
    traits: kindOf(rulebook, kind),
    protocol: LISTED,
    basis: 'event',
    venue: POOL,
    scopeFrame: 0,
    seq: 0,
    movements: [...sent, ...received].sort((a, b) => a - b),
    legs: [leg('in', sent), leg('out', received)],
    evidence: [],
    tags: [],
    participants: [],
    ...more,
  } as unknown as MotifDraft;
}

function nested(...drafts: MotifDraft[]): readonly MotifDraft[] {
  assignOwners(drafts, { tx: canonicalTx({ frames }), flow: valueFlow([]), rulebook });
  return drafts;
}

describe('one side of a movement', () => {
  it('makes the act with fewer movements a part of the one that has them all', () => {
    const [liquidation, repayment] = [act('liquidation', [0], [1]), act('repay', [0], [])];
    expect(nested(repayment, liquidation)).toHaveLength(2);
    expect([repayment.whole, liquidation.whole]).toEqual([liquidation, null]);
  });

  const exact = {
    legs: [{ role: 'in', movements: [0], asset: 'a', amount: 1n, account: null, exact: true }],
  };

  it.each([
    ['states exact amounts', 'exact', exact, { scopeFrame: 2 }],
    ['is by a listed contract', 'listed', {}, { protocol: FAMILY, scopeFrame: 2 }],
    ['is in the inner frame', 'inner', { scopeFrame: 2 }, {}],
    ['came first', 'first', { seq: 1 }, { seq: 2 }],
  ])('is of the act that %s; the other is its part, with the reason', (_, reason, winner, loser) => {
    const [won, lost] = [act('swap', [0], [1], winner), act('vault_withdraw', [0], [2], loser)];
    for (const order of [
      [won, lost],
      [lost, won],
    ]) {
      won.whole = lost.whole = null;
      nested(...order);
      expect([won.whole, lost.whole, lost.reason]).toEqual([null, won, reason]);
    }
  });

  it('is of a summary, whatever the order of the acts that it sums up', () => {
    const [swap, summary] = [act('swap', [0], [1], exact), act('aggregation', [0], [2])];
    nested(swap, summary);
    expect([swap.whole, swap.reason, summary.whole]).toEqual([summary, 'whole', null]);
  });

  it('stays apart where one act sent what another received: acts that follow one another', () => {
    const [first, second] = [act('swap', [0], [1]), act('swap', [1], [2])];
    nested(first, second);
    expect([first.whole, second.whole]).toEqual([null, null]);
  });

  it('counts for the composite that an act is of', () => {
    const [one, two] = [act('swap', [0], [1]), act('swap', [1], [2])];
    const route = act('route', [], [], { children: [one, two], movements: [0, 1, 2], legs: [] });
    const summary = act('aggregation', [0], [2]);
    nested(route, one, two, summary);
    expect([one.whole, two.whole, summary.whole]).toEqual([route, route, route]);
  });
});

describe('a change of a position that is told twice', () => {
  it("is the known protocol's act, with the reading of a family as its part", () => {
    const known = act('stake', [0], [1]);
    const echo = act('vault_deposit', [0], [1], { protocol: FAMILY });
    nested(echo, known);
    expect([echo.whole, echo.reason, known.whole]).toEqual([known, 'listed', null]);
  });

  it('is of the act that moved more, known or not', () => {
    const known = act('stake', [0], []);
    const wider = act('vault_deposit', [0], [1], { protocol: FAMILY });
    nested(known, wider);
    expect(known.whole).toBe(wider);
  });
});

describe('what moved nothing', () => {
  const [ANN, BOB] = [account(7), account(8)];
  const tx = { frames, logs: [] } as unknown as CanonicalTx;
  const silent = (kind: string, owner: Address | null, log: number, more: Partial<MotifDraft> = {}) =>
    act(kind, [], [], {
      legs: [],
      doubt: null,
      tags: [`tag${log}`],
      participants: owner ? [{ role: 'owner', account: owner }] : [],
      evidence: [{ kind: 'log', frame: null, log, contract: POOL }],
      ...more,
    });
  const logsOf = (drafts: readonly MotifDraft[]) =>
    mergeSilent(drafts, { tx, flow: valueFlow([]), rulebook }).map(({ evidence }) =>
      evidence.map(({ log }) => log),
    );

  it('is one act of a kind, protocol and owner, whoever names no owner included', () => {
    const [registry, registrar] = [silent('name_service', null, 1), silent('name_service', ANN, 2)];
    expect(logsOf([registry, registrar, silent('name_service', ANN, 3)])).toEqual([[1, 2, 3]]);
  });

  it('is an act each of different owners, kinds and protocols', () => {
    const drafts = [
      silent('name_service', ANN, 1),
      silent('name_service', BOB, 2),
      silent('attestation', ANN, 3),
      silent('name_service', ANN, 4, { protocol: FAMILY }),
      silent('account_execution', ANN, 5),
      silent('account_execution', ANN, 6),
    ];
    expect(logsOf(drafts)).toEqual([[1], [2], [3], [4], [5], [6]]);
  });

  it('has the tags and the proof of the best known, and keeps doubtful allowances apart', () => {
    const [call, event] = [
      silent('name_service', ANN, 1, { doubt: 'function_name_only', status: 'Suspected' }),
      silent('name_service', ANN, 2, { status: 'Proven' }),
    ];
    const [joined] = mergeSilent([call, event], { tx, flow: valueFlow([]), rulebook });
    expect([joined!.status, joined!.tags]).toEqual(['Proven', ['tag2']]);
    const unasked = silent('approval', ANN, 4, { doubt: 'unproven_motif' });
    expect(logsOf([silent('approval', ANN, 3), unasked])).toEqual([[3], [4]]);
  });
});
