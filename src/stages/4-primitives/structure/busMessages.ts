import { structural } from '../../../value/claims.ts';
import { kindOf } from '../../../lib/motifKinds.ts';
import { balances, netSides } from '../../../value/balances.ts';
import { distinctEvidence, logEvidence } from '../../../lib/evidence.ts';
import { type StructureContext, isAccompaniment, legsByAsset, principalsOf } from './context.ts';
import { UnclaimedFlows } from './unclaimedFlows.ts';
import type { Address, Hash } from '../../../model/hex.ts';
import type { LexiconEntry } from '../../../model/vocabulary.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { Movement } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';

type Message = NonNullable<ReturnType<typeof messageOf>>;

/**
 * Value that crosses chains with a message of a known bus, whichever application used it: value an account
 * gave for nothing beside a message that was sent, or got beside one that was received. Always Suspected.
 * Only where nothing but trades and accompanying acts was found.
 */
export function findBusMessages(context: StructureContext): DraftPrimitive[] {
  const message = messageOf(context);
  if (message === null || !context.found.every((act) => goesAlong(act, context))) return [];
  const open = new UnclaimedFlows(context);
  const principals = [...principalsOf(context)];
  for (const account of [...principals, ...soleRecipient(open, message.entry, principals)]) {
    const moved = movedBy(open, account, message.entry);
    if (moved) return [actOf(message, account, moved)];
  }
  // Swapped on the way: the movements are the trade's, but the account only gave, or only got.
  const traded = principals.find((account) => {
    const own = balances(context.flow, account, { dust: 'drop' });
    return netSides(own.values()) === message.entry.flow;
  });
  return traded !== undefined && context.legsByAccount.size > 0 ? [actOf(message, traded, [])] : [];
}

/** The account a received message paid alone: a relayer delivers it for that account and gives nothing. */
function soleRecipient(
  open: UnclaimedFlows,
  { flow }: LexiconEntry,
  principals: readonly Address[],
): Address[] {
  if (flow !== 'received' || principals.some((account) => open.of(account).sent.length > 0)) return [];
  const recipients = open.recipients();
  return recipients.length === 1 ? recipients : [];
}

function messageOf({ tx, rulebook }: StructureContext) {
  const known = rulebook.prepared.derive(entriesByTopic);
  for (const log of tx.logs) {
    const entry = known.get(log.topics[0] as Hash);
    if (entry) return { log, entry };
  }
  return null;
}

function entriesByTopic({ lexicon }: Rulebook): ReadonlyMap<Hash, LexiconEntry> {
  return new Map(lexicon.flatMap((entry) => [...entry.messages].map((topic) => [topic, entry] as const)));
}

/** Trades on the way, and acts that show no purpose: those that moved nothing among them. */
function goesAlong({ kind, legs }: DraftPrimitive, context: StructureContext): boolean {
  const { trade } = kindOf(context.rulebook, kind);
  return legs.length === 0 || isAccompaniment(kind, context) || (trade !== null && trade !== 'shares');
}

/** The rest of the account's flow, burns and mints included; null where it does not all go one way. */
function movedBy(open: UnclaimedFlows, account: Address, { flow }: LexiconEntry): readonly Movement[] | null {
  const own = open.of(account);
  const gave = [...own.sent, ...own.burnt];
  const got = [...own.received, ...own.minted];
  const gained = open.gained(own);
  const kept = got.filter((m) => m.kind === 'mint' || gained.has(open.mergedAsset(m.asset)));
  if (flow === 'sent') return gave.length > 0 && kept.length === 0 ? gave : null;
  return got.length > 0 && gave.length === 0 ? got : null;
}

function actOf({ log, entry }: Message, owner: Address, moved: readonly Movement[]): DraftPrimitive {
  return structural({
    kind: entry.kind,
    seq: log.seq,
    venue: log.address,
    roles: [{ role: 'owner', account: owner }],
    legs: legsByAsset(moved, owner, () => entry.leg),
    tags: ['structural', 'named'],
    evidence: distinctEvidence([logEvidence(log), ...moved.slice(0, 8).map((m) => m.evidence)]),
  });
}
