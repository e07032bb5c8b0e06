import { canonicalize } from '../../stages/2-canonical/canonicalize.ts';
import { buildValueFlow } from '../../stages/3-flow/buildValueFlow.ts';
import type { Analysis } from '../../analyze.ts';
import { balances } from '../../value/balances.ts';
import { distance } from '../../value/amount.ts';
import { amountText, labelFormat } from '../../value/labelFormat.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Simulation, SimulatedRun } from '../../model/simulation.ts';
import type { Allowance, AssetId, ValueFlow } from '../../model/valueFlow.ts';
import { controlChanges } from './controlChanges.ts';

/** Share of an amount that may differ, in percent. */
const CLOSE = 1n;

/** Whether an allowance lets somebody take from then on. */
export const isGrant = ({ kind }: Pick<Allowance, 'kind'>) => kind !== 'revoked' && kind !== 'decreased';

/**
 * What differs between two runs on the same state at the same time, a text each. Only a contract that wants
 * to know how it is run goes by fee, gas limit and fee recipient.
 */
export function differencesOfRuns(analysis: Analysis, { changes, again }: Simulation): string[] {
  const { tx, flow, context, attribution, rulebook } = analysis;
  const own = new Set([tx.from, attribution.actor ?? tx.from]);
  /** The effect of a run on the signer's side: its balances by asset, and rights given from then on. */
  const outcomeOf = (run: CanonicalTx, moves: ValueFlow, state: SimulatedRun['changes']) => ({
    failed: !run.succeeded,
    net: balances(moves, own),
    rights: new Set([
      ...moves.allowances
        .filter((allowance) => own.has(allowance.owner) && isGrant(allowance))
        .map(({ token, spender }) => `${spender} may take ${token}`),
      ...controlChanges(state ?? []).map(({ text }) => text),
    ]),
  });
  const other = canonicalize(again.raw);
  const first = outcomeOf(tx, flow, changes);
  const moved = buildValueFlow(other, rulebook);
  const second = outcomeOf(other, moved, again.changes);
  if (first.failed !== second.failed)
    return [`it ${first.failed ? 'fails' : 'succeeds'} in one and not in the other`];
  const format = labelFormat(context.tokens, rulebook);
  const text = (id: AssetId, raw: bigint): string => {
    const asset = flow.assets.get(id) ?? moved.assets.get(id)!;
    const amount = amountText({ asset, amount: distance(raw, 0n) }, format);
    return `${raw < 0n ? 'sends' : 'receives'} ${amount}`;
  };
  const amounts = [...new Set([...first.net.keys(), ...second.net.keys()])].flatMap((id) => {
    const [a, b] = [first.net.get(id)?.net ?? 0n, second.net.get(id)?.net ?? 0n];
    const isClose = distance(a, b) * 100n <= distance(a, 0n) * CLOSE;
    return isClose ? [] : [`it ${text(id, a)} in one and ${text(id, b)} in the other`];
  });
  const onlyOne = [...first.rights, ...second.rights].filter(
    (right) => !(first.rights.has(right) && second.rights.has(right)),
  );
  return [...amounts, ...onlyOne.map((right) => `${right} in one and not in the other`)];
}
