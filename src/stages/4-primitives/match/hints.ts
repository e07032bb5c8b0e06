import { SHARE_ROLES } from '../../../lib/roles.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { callTrigger, eventTrigger, holdsHashPath, type NamedTrigger } from './namedTriggers.ts';
import type { StructureContext } from '../structure/context.ts';
import type { CanonicalTx, Frame, Log } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { LexiconEntry } from '../../../model/vocabulary.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

/** Triggers looked at; only transactions with very many events or calls have more. */
const MAX_TRIGGERS = 256;

/** A trigger and an entry of the lexicon that applies to it. */
export interface Hint {
  readonly trigger: NamedTrigger;
  readonly entry: LexiconEntry;
  readonly rank: number;
}

/**
 * Hints, best entry first, then events before calls, then in execution order. `found`: acts that need no
 * hint.
 */
export function findHints(
  { tx, wrappedNative, flow }: StructureContext,
  rulebook: Rulebook,
  found: readonly DraftPrimitive[],
  principals: ReadonlySet<Address>,
): Hint[] {
  const explained = new Set(found.flatMap(({ evidence }) => evidence.map(({ log }) => log)));
  for (const { evidence } of flow.movements) explained.add(evidence.log);
  for (const { kind, evidence } of flow.nonEconomic) if (kind === 'approval') explained.add(evidence.log);
  const triggers = callTriggers(tx, rulebook, principals);
  let events = 0;
  for (const log of tx.logs) {
    if (explained.has(log.index) || wrappedNative.has(log.address) || isRead(log, rulebook)) continue;
    if (++events > MAX_TRIGGERS) break;
    const trigger = eventTrigger(log, rulebook);
    if (trigger) triggers.push(trigger);
  }
  if (triggers.length === 0) return [];
  const basis = { event: 0, call: 1 };
  const stated = statedChanges(found, rulebook);
  return triggers
    .flatMap((trigger) => hintsOf(trigger, tx, rulebook))
    .filter(
      ({ trigger, entry }) => trigger.basis !== 'call' || !stated.has(`${entry.kind} ${trigger.contract}`),
    )
    .sort(
      (a, b) =>
        a.rank - b.rank || basis[a.trigger.basis] - basis[b.trigger.basis] || a.trigger.seq - b.trigger.seq,
    );
}

/**
 * Whether a rule reads amounts from this event at this very contract: where none moved, words know
 * no better.
 */
function isRead({ address, topics }: Log, { events }: Rulebook): boolean {
  const meanings = events.get(`${topics[0]}:${topics.length}`)?.meanings ?? [];
  return meanings.some(
    ({ protocols, legs }) =>
      legs.some(({ amount }) => amount.length > 0) &&
      protocols.some(({ addresses }) => addresses.has(address)),
  );
}

/** Position changes that events state, by contract: the name of a call there adds nothing to them. */
function statedChanges(found: readonly DraftPrimitive[], rulebook: Rulebook): ReadonlySet<string> {
  return new Set(
    found
      .filter(({ basis, kind, legs }) => {
        const moved = legs.some(({ role, movements }) => movements.length > 0 && !SHARE_ROLES.has(role));
        return basis === 'event' && moved && kindOf(rulebook, kind).position !== null;
      })
      .map(({ kind, venue }) => `${kind} ${venue}`),
  );
}

/**
 * Calls that principals made themselves, those that the called contract made to itself (`multicall`), and
 * its own calls.
 */
function callTriggers(tx: CanonicalTx, rulebook: Rulebook, principals: ReadonlySet<Address>): NamedTrigger[] {
  const byPrincipal = ({ type, from, to }: Frame): boolean =>
    type === 'CALL' && principals.has(from) && !principals.has(to!);
  const toSelf = ({ type, from, to }: Frame): boolean =>
    to === tx.to && (type === 'DELEGATECALL' || from === to);
  const byCalled = ({ type, from }: Frame): boolean => type === 'CALL' && from === tx.to;
  const triggers: NamedTrigger[] = [];
  for (const frame of tx.frames) {
    if (triggers.length === MAX_TRIGGERS) break;
    if (!frame.effective || frame.static || frame.to === null) continue;
    const direct = byPrincipal(frame) || toSelf(frame);
    if (!direct && !byCalled(frame)) continue;
    const trigger = callTrigger(frame, rulebook, direct);
    if (trigger) triggers.push(trigger);
  }
  return triggers;
}

/** Entries that apply to a trigger; at a known protocol's address only those of kinds it is known for. */
function hintsOf(trigger: NamedTrigger, tx: CanonicalTx, rulebook: Rulebook): Hint[] {
  const known = rulebook.prepared.kindsOf(trigger.contract);
  const hints: Hint[] = [];
  for (const rank of trigger.entries) {
    const entry = rulebook.lexicon[rank]!;
    if (known && !known.has(entry.kind)) continue;
    // A contract's own calls name acts on others, not payments to or by its caller.
    if (!trigger.direct && entry.flow !== 'any') continue;
    if (entry.sign === 'hash_path' && !holdsHashPath(tx.frames[trigger.evidence.frame!]!.input)) continue;
    hints.push({ trigger, entry, rank });
  }
  return hints;
}
