import { isRecognised, kindOf } from './motifKinds.ts';
import { SENT_ROLES } from './roles.ts';
import type { Motif, ProofDoubt } from '../model/motif.ts';
import type { Primitive } from '../model/primitive.ts';
import type { Rulebook } from '../model/rulebook.ts';

/**
 * Why an act of one primitive is not proven; null where it is. Every invariant has to hold, and the act has to
 * be a plain movement, happen at a contract known by its address, or show itself in movements: any contract
 * can log an event, and only the event states the purpose of a one-sided payment. The name of a function alone
 * proves nothing.
 */
export function prove(act: Primitive, suspect: boolean, rulebook: Rulebook): ProofDoubt | null {
  const { basis, protocol, invariants, tags, legs } = act;
  const known = isRecognised(protocol);
  if (basis === 'call' && (!known || legs.every(({ movements }) => movements.length === 0)))
    return 'function_name_only';
  const failed = invariants.filter(({ holds }) => !holds);
  if (failed.some(({ name }) => name === 'amounts_agree')) return 'amounts_differ';
  if (suspect || failed.length > 0 || tags.some((tag) => UNPROVEN_TAGS.has(tag))) return 'unproven_motif';
  return basis === 'structure' || known || showsItself(act, rulebook) ? null : 'unproven_motif';
}

/** Why an act made of others is not proven: its own invariants and each of its parts have to be. */
export function proveWhole(
  { invariants }: Pick<Motif, 'invariants'>,
  parts: readonly Motif[],
): ProofDoubt | null {
  const holds = invariants.every((i) => i.holds) && parts.every(({ status }) => status === 'Proven');
  return holds ? null : 'unproven_motif';
}

/** Structure that only suggests an act, and rules on trial. */
const UNPROVEN_TAGS: ReadonlySet<string> = new Set(['structural', 'experimental']);

/** Whether movements carry both sides of an exchange that leaves no position behind. */
function showsItself({ kind, legs }: Primitive, rulebook: Rulebook): boolean {
  const carries = (sent: boolean): boolean =>
    legs.some(({ role, movements }) => movements.length > 0 && SENT_ROLES.has(role) === sent);
  return kindOf(rulebook, kind).position === null && carries(true) && carries(false);
}
