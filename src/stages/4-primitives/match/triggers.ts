import { prepareMapping, type PreparedMapping } from './preparedMapping.ts';
import { poolFamilies } from './provenProtocol.ts';
import type { Trigger } from '../bind/applyMapping.ts';
import type { CanonicalTx, Frame } from '../../../model/canonicalTx.ts';
import type { Hex } from '../../../model/hex.ts';
import type { EventMapping, Rulebook } from '../../../model/rulebook.ts';

/** The mappings of one event or function. Prepared on first use: most never occur. */
class TriggerMappings {
  /** Only the transaction's own call matches. */
  readonly rootOnly: boolean;
  readonly #prepare: () => readonly PreparedMapping[];
  #prepared: readonly PreparedMapping[] | undefined;

  constructor(prepare: () => readonly PreparedMapping[], rootOnly: boolean) {
    this.rootOnly = rootOnly;
    this.#prepare = prepare;
  }

  get all(): readonly PreparedMapping[] {
    return (this.#prepared ??= this.#prepare());
  }
}

/** Mappings by trigger: events by `<topic0>:<topic count>`, calls by selector. */
export interface TriggerIndex {
  readonly events: ReadonlyMap<string, TriggerMappings>;
  readonly calls: ReadonlyMap<Hex, TriggerMappings>;
}

/** Indexes the rulebook's mappings. */
export function indexTriggers({ events, calls }: Pick<Rulebook, 'events' | 'calls'>): TriggerIndex {
  const poolsOf = poolFamilies();
  const mappings = (specs: readonly EventMapping[], rootOnly: boolean): TriggerMappings =>
    new TriggerMappings(() => specs.map((spec) => prepareMapping(spec, poolsOf)), rootOnly);
  return {
    events: new Map([...events].map(([key, { meanings }]) => [key, mappings(meanings, false)])),
    calls: new Map(
      [...calls].map(([selector, { meanings, depth }]) => [selector, mappings(meanings, depth === 'root')]),
    ),
  };
}

/** A log or call, and the mappings that its topic or selector is indexed under. */
interface TriggerMatch {
  readonly mappings: TriggerMappings;
  readonly trigger: Trigger;
}

/** Logs and calls that the index has mappings for, logs first; each list in execution order. */
export function findTriggers(tx: CanonicalTx, index: TriggerIndex): TriggerMatch[] {
  return [...matchLogs(tx, index.events), ...matchCalls(tx, index.calls)];
}

function matchLogs({ logs }: CanonicalTx, events: TriggerIndex['events']): TriggerMatch[] {
  const matches: TriggerMatch[] = [];
  for (const { topics, data, address, seq, frame, index } of logs) {
    const mappings = events.get(`${topics[0]}:${topics.length}`);
    if (!mappings) continue;
    matches.push({
      mappings,
      trigger: {
        basis: 'event',
        seq,
        contract: address,
        caller: null,
        value: null,
        args: { topics, data, base: 0 },
        output: null,
        evidence: { kind: 'log', frame, log: index, contract: address },
      },
    });
  }
  return matches;
}

/** The transaction's calls that the index has mappings for, in execution order. */
function matchCalls(tx: CanonicalTx, calls: TriggerIndex['calls']): TriggerMatch[] {
  const matches: TriggerMatch[] = [];
  for (const frame of tx.frames) {
    const { selector, seq, to, from, value, index } = frame;
    if (selector === null || to === null || !frame.effective || frame.static) continue;
    const mappings = calls.get(selector);
    if (!mappings || (mappings.rootOnly && frame.parent !== null) || forwarded(tx, frame)) continue;
    matches.push({
      mappings,
      trigger: {
        basis: 'call',
        seq,
        contract: to,
        caller: from,
        value,
        args: { topics: [], data: frame.input, base: 4 },
        output: { topics: [], data: frame.output, base: 0 },
        evidence: { kind: 'frame', frame: index, log: null, contract: to },
      },
    });
  }
  return matches;
}

/**
 * Whether the frame is a proxy's delegation of the same call to its code, or no call with effects of its own.
 */
function forwarded({ frames }: CanonicalTx, { type, parent, input }: Frame): boolean {
  if (type === 'CALL') return false;
  if (type !== 'DELEGATECALL' && type !== 'CALLCODE') return true;
  return parent !== null && frames[parent]!.input === input;
}
