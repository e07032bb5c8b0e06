import { recognise, type Candidate, type RecognitionRun } from '../bind/applyMapping.ts';
import { matchCalls, type TriggerIndex } from './triggers.ts';
import type { OpenPrimitive, StructureContext } from '../structure/context.ts';
import type { Address } from '../../../model/hex.ts';

/** Kinds that accompany other acts and do not explain the purpose of a movement. */
const ACCOMPANYING: ReadonlySet<string> = new Set([
  'approval',
  'wrap',
  'unwrap',
  'account_execution',
  'user_operation',
  'account_administration',
  'message',
  'attestation',
]);

/**
 * Mappings that rest on the called function's name alone. Only where neither event nor structure explains
 * anything, only for calls that the signer or a smart account made itself, and only over movements that are
 * still unexplained.
 */
export function hintedCandidates(
  { tx, explained }: StructureContext,
  calls: TriggerIndex['calls'],
  run: RecognitionRun,
  found: readonly OpenPrimitive[],
): Candidate[] {
  if (found.some((f) => !ACCOMPANYING.has(f.kind))) return [];
  const callers = new Set<Address>([tx.from, ...accountOwners(found)]);
  const candidates: Candidate[] = [];
  for (const { mappings, trigger } of matchCalls(tx, calls)) {
    if (!callers.has(trigger.caller!)) continue;
    const candidate = recognise(mappings.hints, trigger, run);
    if (candidate?.binding.legs.every(({ leg }) => leg.movements.every((m) => !explained.has(m))))
      candidates.push(candidate);
  }
  return candidates;
}

/** Smart accounts that executed something. */
function accountOwners(found: readonly OpenPrimitive[]): Address[] {
  return found
    .filter(({ kind }) => kind === 'account_execution' || kind === 'user_operation')
    .flatMap(({ roles }) => roles.filter(({ role }) => role === 'owner').map(({ account }) => account));
}
