// What docs/qa.md says makes a predicate false: each tried on a report of a recording, against the node's own answers.
import { describe, expect, it } from 'vitest';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import type { Motif, TxReport } from '../../src/model/generated/report.ts';
import { reportOf, RULES } from './recorded.ts';

type Claim = NonNullable<Motif['claims']>[number];
/** A lie about a claim; false where it cannot be told of this one. */
type Lie = (claim: Claim, motif: Motif, report: TxReport) => boolean;

const RECORDINGS = [
  'swap-v2-eth-usdc',
  'swap-v3-two-hops',
  'add-liquidity-v3',
  'aave-borrow',
  'aave-liquidation',
  'arbitrage-builder',
  'arbitrage-flashloan',
  'safe-multisend',
  'approval',
  'deployment',
  'vault-deposit',
  'stake',
];

const otherMovement = (motif: Motif, claim: Claim): number | undefined =>
  motif.movements.find((m) => !claim.operands.concat(claim.against ?? []).includes(`movement:${m}`));

/** Names another movement of the same act. */
const swapped =
  (side: 'operands' | 'against'): Lie =>
  (claim, motif) => {
    const other = otherMovement(motif, claim);
    if (other === undefined || !claim[side]?.some((text) => text.startsWith('movement:'))) return false;
    claim[side] = [`movement:${other}`];
    return true;
  };
const dropped: Lie = (claim) => {
  claim.operands = claim.operands.slice(1);
  return true;
};
const account: Lie = (claim, _motif, { tx }) => {
  if (claim.operands.includes(tx.signer) && claim.operands.length === 1) return false;
  claim.operands = [tx.signer];
  return true;
};

/** For each predicate a lie that makes it false, and recordings where it can be told. */
const LIES: Readonly<Record<string, Lie>> = {
  amount_moved: swapped('against'),
  amounts_agree: (claim) => {
    const [text] = claim.operands as [string];
    claim.operands = [text.replace(/:(\d+)(?=(:-?(16)?)?$)/, (_, at: string) => `:${Number(at) + 1}`)];
    return claim.operands[0] !== text && !/:t\d/.test(text);
  },
  value_moved: (claim) => {
    claim.operands = [];
    return true;
  },
  happened_at: (claim, _motif, { tx }) => {
    claim.against = [tx.signer];
    return true;
  },
  assets_differ: (claim, motif) => {
    motif.assets_in[0]!.asset = motif.assets_out[0]!.asset;
    return claim.operands.length === 1;
  },
  minted_from_zero: swapped('operands'),
  single_venue: (claim) => {
    if (claim.operands.length === 0) return false;
    claim.against = [claim.operands[0]!];
    return true;
  },
  both_sides_equal: (claim) => {
    [claim.operands, claim.against] = [claim.against!, claim.operands];
    return true;
  },
  code_created: (claim, motif, { tx }) => {
    claim.operands = ['frame:9'];
    return motif.evidence.length > 0 && tx.hash !== '';
  },
  sum_of_parts: (claim) => {
    claim.against = claim.against!.slice(1);
    return true;
  },
  net_of_parts: (claim) => {
    claim.against = claim.against!.slice(1);
    return true;
  },
  one_payer: (claim, _motif, { movements = [] }) => {
    claim.operands = [...claim.operands, movements[0]!.to];
    return !claim.operands.slice(0, -1).includes(movements[0]!.to);
  },
  amounts_chain: dropped,
  hops_proven: (_claim, motif, { motifs }) => {
    motifs.find(({ parent_id: parent }) => parent === motif.id)!.status = 'Suspected';
    return true;
  },
  positive_residual: account,
};

describe('a claim', () => {
  it.each(Object.entries(LIES))('%s is found false', async (predicate, lie) => {
    let told = 0;
    for (const name of RECORDINGS) {
      const { report, answers } = await reportOf(name);
      const forged = structuredClone(report) as TxReport;
      for (const [i, motif] of forged.motifs.entries()) {
        const claim = motif.claims!.find((one) => one.predicate === predicate && one.holds);
        if (claim === undefined || !lie(claim, motif, forged)) continue;
        told++;
        const found = verifyReport(forged, answers).map(({ at }) => at);
        expect([name, found.some((at) => at.startsWith(`/motifs/${i}`))]).toEqual([name, true]);
        break;
      }
    }
    expect(told).toBeGreaterThan(0);
  });

  it('that is missing is found, by the rules or by the amount it spoke for', async () => {
    for (const name of RECORDINGS) {
      const { report, answers } = await reportOf(name);
      expect(verifyReport(report, answers, RULES)).toEqual([]);
      for (const [i, motif] of (report as TxReport).motifs.entries()) {
        if (motif.status !== 'Proven') continue;
        const forged = structuredClone(report) as TxReport;
        forged.motifs[i]!.claims = [];
        forged.motifs[i]!.invariants = [];
        const found = verifyReport(forged, answers, RULES).map(({ at }) => at);
        expect([name, found.some((at) => at.startsWith(`/motifs/${i}`))]).toEqual([name, true]);
      }
    }
  });
});
