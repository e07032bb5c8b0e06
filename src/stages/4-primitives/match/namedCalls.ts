import { recognise, type Draft, type RecognitionRun } from '../bind/applyMapping.ts';
import { spokenCalls } from './utterances.ts';
import type { Found } from '../structure/context.ts';
import type { Address } from '../../../model/hex.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

/** Acts that come with others and say nothing about what value moved for. */
const ACCOMPANYING = new Set([
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
 * What the name of the called function suggests: taken only where no event and no structure says anything, and only of
 * the calls the signer or a smart account made itself. `explained` are the movements that already have a meaning.
 */
export function hintedDrafts(
  tx: CanonicalTx,
  rulebook: Rulebook,
  run: RecognitionRun,
  found: readonly Found[],
  explained: ReadonlySet<number>,
): Draft[] {
  if (found.some((f) => !ACCOMPANYING.has(f.kind))) return [];
  const callers = new Set<Address>([
    tx.from,
    ...found
      .filter((f) => f.kind === 'account_execution' || f.kind === 'user_operation')
      .flatMap((f) => f.roles.filter((r) => r.role === 'owner').map((r) => r.account)),
  ]);
  const drafts: Draft[] = [];
  for (const { repertoire, utterance } of spokenCalls(tx, rulebook)) {
    if (!callers.has(utterance.caller!)) continue;
    const draft = recognise(repertoire.hints, utterance, run);
    if (draft && draft.binding.legs.every((b) => b.leg.movements.every((m) => !explained.has(m))))
      drafts.push(draft);
  }
  return drafts;
}
