import { checksumAddress } from '../../../evm/address.ts';
import { eventNamed, keyOfLog } from '../../../evm/signatures.ts';
import type { Log } from '../../../model/canonicalTx.ts';
import type { Address } from '../../../model/hex.ts';
import type { LegMiss, MappingMiss, MissReason } from '../../../model/primitive.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { findPrimitives } from '../../../stages/4-primitives/findPrimitives.ts';
import type { ExaminedTx } from './loadTx.ts';

/** An event or call without a motif, and why each shape that knows its topic or selector rejected it. */
export interface Unrecognised {
  readonly log: number | null;
  readonly frame: number | null;
  readonly contract: Address;
  /** `Name(types)` where the rules or their signature tables have it, else the topic or selector. */
  readonly what: string;
  readonly reasons: readonly { readonly shape: string | null; readonly text: string }[];
}

/** Logs, then calls that no shape recognised. `shadowed`: also those another shape recognised. */
export function unrecognised(examined: ExaminedTx, rulebook: Rulebook, shadowed = false): Unrecognised[] {
  const { tx, flow, primitives } = examined;
  const misses: MappingMiss[] = [];
  const made = findPrimitives(tx, flow, rulebook, { missed: (miss) => misses.push(miss) });
  // A primitive by structure or name is no recognition: a shape may still be meant to know the event.
  const byShape = [...made, ...primitives].filter(({ shape }) => shape !== null);
  const called = byShape.filter(({ basis }) => basis === 'call').flatMap((p) => p.evidence);
  const moved = [...flow.movements, ...flow.nonEconomic].filter((m) => m.kind !== 'event');
  const evidence = [...byShape.flatMap((p) => p.evidence), ...moved.map((m) => m.evidence)];
  const logs = new Set(evidence.map(({ log }) => log));
  const frames = new Set(called.map(({ frame }) => frame));
  const reasonsOf = (of: (miss: MappingMiss) => boolean): Unrecognised['reasons'] =>
    misses.filter(of).map(({ shape, reason }) => ({ shape, text: reasonText(reason, examined) }));
  const found: Unrecognised[] = [];
  for (const log of tx.logs) {
    const reasons = reasonsOf(({ trigger }) => trigger.evidence.log === log.index);
    if (logs.has(log.index) && !(shadowed && reasons.length > 0)) continue;
    const why = reasons.length > 0 ? reasons : [otherTopicCounts(log, rulebook)];
    const what = eventName(log, rulebook);
    found.push({ log: log.index, frame: null, contract: log.address, what, reasons: why });
  }
  for (const frame of tx.frames) {
    const reasons = reasonsOf(({ trigger: t }) => t.basis === 'call' && t.evidence.frame === frame.index);
    if (reasons.length === 0 || frames.has(frame.index) || frame.to === null) continue;
    const what = rulebook.calls.get(frame.selector!)?.signature ?? frame.selector!;
    found.push({ log: null, frame: frame.index, contract: frame.to, what, reasons });
  }
  return found;
}

function eventName(log: Log, rulebook: Rulebook): string {
  const { topics } = log;
  const known = rulebook.events.get(keyOfLog(log)) ?? othersOf(log, rulebook)[0];
  if (known || topics.length === 0) return known?.signature ?? 'anonymous';
  const named = eventNamed(rulebook.signatures, topics[0]!, topics.length);
  return named ? `${topics[0]} (${named.signature})` : topics[0]!;
}

function othersOf({ topics }: Log, rulebook: Rulebook) {
  return [...rulebook.events.values()].filter(({ topic0 }) => topic0 === topics[0]);
}

/** ERC-20 and ERC-721 `Transfer` differ in nothing but the number of indexed parameters. */
function otherTopicCounts(log: Log, rulebook: Rulebook): Unrecognised['reasons'][number] {
  const [other] = othersOf(log, rulebook);
  if (!other) return { shape: null, text: 'no shape knows this event' };
  const { length } = log.topics;
  const counts = `known with ${other.topicCount - 1} indexed parameters, and this log has ${length - 1}`;
  return { shape: other.mappings[0]!.shape, text: `${counts}: mark them indexed as the contract does` };
}

function short(text: string): string {
  if (/^0x[0-9a-f]{40}$/.test(text)) return checksumAddress(text as Address);
  return text.length > 70 ? `${text.slice(0, 66)}…` : text;
}

function reasonText(reason: MissReason, examined: ExaminedTx): string {
  switch (reason.why) {
    case 'condition': {
      const left = reason.left === null ? 'an argument that cannot be read' : short(reason.left);
      const right = reason.right === null ? '' : ` ${short(reason.right)}`;
      const should = OPERATOR_WORDS[reason.operator];
      return `condition ${reason.index + 1} of \`when\` is false: ${left} ${should}${right}`;
    }
    case 'leg':
      return `leg ${reason.index + 1} (${reason.role}) bound nothing: ${legText(reason, examined)}`;
    case 'amounts':
      return 'the event states several amounts, and no movement carries any of them exactly';
    case 'venue':
      return 'its venue cannot be read from the arguments';
    case 'emitter':
      return UNLISTED;
    case 'shadowed':
      return reason.listed
        ? `not tried: a protocol with shape ${reason.by} lists the contract`
        : `not tried: shape ${reason.by} took the event first`;
  }
}

const UNLISTED =
  'the contract belongs to no protocol with this shape, ' +
  'and only those are believed (any_emitter: false, or legless)';

const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  equals: 'should equal',
  differs: 'should differ from',
  above: 'should be above',
  below: 'should be below',
  gt0: 'should be above 0',
  lt0: 'should be below 0',
  is0: 'should be 0',
};

function legText({ unread, nearest }: LegMiss, { flow }: ExaminedTx): string {
  if (unread.length > 0)
    return `${unread.join(' and ')} gave no value (an argument that is missing, zero or of another kind)`;
  if (!nearest) return 'no value moved in this transaction';
  const { asset, amount, from, to } = flow.movements[nearest.movement]!;
  const differs = nearest.differs.map(({ what, wanted, found }) =>
    what === 'use' ? `it is taken by ${found}` : `${what} is ${short(found)}, wanted ${short(wanted)}`,
  );
  const shown = `${amount} ${asset} from ${short(from)} to ${short(to)}`;
  const why = differs.join('; ') || 'its asset is the one of another leg';
  return `the nearest movement (${shown}) differs: ${why}`;
}

/** Printed lines, one per event or call and one per reason. */
export function unrecognisedLines(list: readonly Unrecognised[]): string[] {
  return list.flatMap(({ log, frame, contract, what, reasons }) => {
    const [only] = reasons;
    if (only?.shape === null) return [`  event no shape knows: ${what} of ${short(contract)}, log ${log}`];
    const place = log === null ? `call in frame ${frame}` : `event in log ${log}`;
    return [
      `  not recognised: ${place} of ${short(contract)}: ${what}`,
      ...reasons.map(({ shape, text }) => `      shape ${shape}: ${text}`),
    ];
  });
}
