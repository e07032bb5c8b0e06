import { keyOfLog } from '../../../evm/signatures.ts';
import { SHARE_ROLES } from '../../../lib/roles.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { lazy } from '../../../lib/lazy.ts';
import { callTrigger, eventTrigger, holdsHashPath, type NamedTrigger } from './namedTriggers.ts';
import type { StructureContext } from '../structure/context.ts';
import type { Frame, Log } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { LexiconEntry } from '../../../model/vocabulary.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

/** Triggers looked at; only transactions with very many events or calls have more. */
const MAX_TRIGGERS = 256;

/** A trigger and an entry of the lexicon that applies to it. */
export interface Hint {
  readonly trigger: NamedTrigger;
  readonly entry: LexiconEntry;
  readonly rank: number;
}

/** Hints, best entry first, then events before calls, then in execution order. */
export function findHints(context: StructureContext, principals: ReadonlySet<Address>): Hint[] {
  const hints: Hint[] = [];
  const stated = lazy(() => statedChanges(context));
  for (const trigger of callTriggers(context, principals))
    for (const hint of hintsOf(trigger, context))
      if (!stated().has(`${hint.entry.kind} ${trigger.contract}`)) hints.push(hint);
  if (context.tx.logs.length > 0)
    for (const trigger of eventTriggers(context)) hints.push(...hintsOf(trigger, context));
  const basis = { event: 0, call: 1 };
  return hints.sort(
    (a, b) =>
      a.rank - b.rank || basis[a.trigger.basis] - basis[b.trigger.basis] || a.trigger.seq - b.trigger.seq,
  );
}

/** Logs of acts, movements and approvals. */
function claimedLogs({ flow, found }: StructureContext): ReadonlySet<number | null> {
  const claimed = new Set<number | null>();
  for (const { evidence } of found) for (const { log } of evidence) claimed.add(log);
  for (const { evidence } of flow.movements) claimed.add(evidence.log);
  for (const { kind, evidence } of flow.nonEconomic) if (kind === 'approval') claimed.add(evidence.log);
  return claimed;
}

/** Events that neither an act nor a movement explains. */
function eventTriggers(context: StructureContext): NamedTrigger[] {
  const { tx, rulebook, wrappedNative } = context;
  const claimed = claimedLogs(context);
  const triggers: NamedTrigger[] = [];
  let events = 0;
  for (const log of tx.logs) {
    if (claimed.has(log.index) || wrappedNative.has(log.address)) continue;
    const key = keyOfLog(log);
    if (isRead(log, key, rulebook)) continue;
    if (++events > MAX_TRIGGERS) break;
    const trigger = eventTrigger(log, key, rulebook);
    if (trigger) triggers.push(trigger);
  }
  return triggers;
}

/**
 * Whether a rule reads amounts from this event at this very contract: where none moved, words know
 * no better.
 */
function isRead({ address }: Log, key: string, { events }: Rulebook): boolean {
  const mappings = events.get(key)?.mappings ?? [];
  return mappings.some(
    ({ protocols, legs }) =>
      legs.some(({ amount }) => amount.length > 0) &&
      protocols.some(({ addresses }) => addresses.has(address)),
  );
}

/** Position changes that events state, by contract: the name of a call there adds nothing to them. */
function statedChanges({ found, rulebook }: StructureContext): ReadonlySet<string> {
  const stated = new Set<string>();
  for (const { basis, kind, legs, venue } of found) {
    if (basis !== 'event' || kindOf(rulebook, kind).position === null) continue;
    const moved = legs.some(({ role, movements }) => movements.length > 0 && !SHARE_ROLES.has(role));
    if (moved) stated.add(`${kind} ${venue}`);
  }
  return stated;
}

/**
 * Calls that principals made themselves, those that the called contract made to itself (`multicall`), and
 * its own calls.
 */
function callTriggers({ tx, rulebook }: StructureContext, principals: ReadonlySet<Address>): NamedTrigger[] {
  const isDirect = ({ type, from, to }: Frame): boolean =>
    (type === 'CALL' && principals.has(from) && !principals.has(to!)) ||
    (to === tx.to && (type === 'DELEGATECALL' || from === to));
  const isOfCalled = ({ type, from }: Frame): boolean => type === 'CALL' && from === tx.to;
  const triggers: NamedTrigger[] = [];
  for (const frame of tx.frames) {
    if (triggers.length === MAX_TRIGGERS) break;
    if (!frame.effective || frame.static || frame.to === null) continue;
    const direct = isDirect(frame);
    const trigger = direct || isOfCalled(frame) ? callTrigger(frame, rulebook, direct) : null;
    if (trigger) triggers.push(trigger);
  }
  return triggers;
}

/** Entries that apply to a trigger; at a known protocol's address only those of kinds it is known for. */
function hintsOf(trigger: NamedTrigger, { tx, rulebook }: StructureContext): Hint[] {
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
