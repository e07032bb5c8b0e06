import { languageOf, type Language, type Repertoire } from './repertoire.ts';
import { filedUnder } from '../../../evm/topicIndex.ts';
import type { Utterance } from '../bind/applyMapping.ts';
import type { CanonicalTx, Frame } from '../../../model/canonicalTx.ts';
import type { Rulebook } from '../../../model/rulebook.ts';

/** Something said, and what it may mean. */
interface Told {
  readonly repertoire: Repertoire;
  readonly utterance: Utterance;
}

/** Logs and calls the rulebook has a meaning for, logs first; each list in execution order. */
export function utterances(tx: CanonicalTx, rulebook: Rulebook): Told[] {
  const { events, calls } = languageOf(rulebook);
  const told: Told[] = [];
  hearLogs(tx, events, told);
  hearCalls(tx, calls, told);
  return told;
}

/** Of the calls the transaction made. */
export function spokenCalls(tx: CanonicalTx, rulebook: Rulebook): Told[] {
  const told: Told[] = [];
  hearCalls(tx, languageOf(rulebook).calls, told);
  return told;
}

function hearLogs({ logs }: CanonicalTx, events: Language['events'], told: Told[]): void {
  for (const { topics, data, address, seq, frame, index } of logs) {
    const repertoire = topics.length === 0 ? undefined : filedUnder(events, topics[0]!, topics.length);
    if (!repertoire) continue;
    told.push({
      repertoire,
      utterance: {
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
}

function hearCalls(tx: CanonicalTx, calls: Language['calls'], told: Told[]): void {
  for (const frame of tx.frames) {
    const { selector, seq, to, from, value, index } = frame;
    if (selector === null || to === null || !frame.effective || frame.static) continue;
    const repertoire = calls.get(selector);
    if (!repertoire || (repertoire.rootOnly && frame.parent !== null) || !speaks(tx, frame)) continue;
    told.push({
      repertoire,
      utterance: {
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
}

/** A proxy's forwarding of the same call to its code is not said twice. */
function speaks({ frames }: CanonicalTx, { type, parent, input }: Frame): boolean {
  if (type === 'CALL') return true;
  if (type !== 'DELEGATECALL' && type !== 'CALLCODE') return false;
  return parent === null || frames[parent]!.input !== input;
}
