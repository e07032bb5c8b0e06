import { filedUnder } from '../../lib/topicIndex.ts';
import type { Utterance } from './applyMeaning.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { MeaningSpec, Rulebook } from '../../model/rulebook.ts';

/** Logs and calls the rulebook has a meaning for, logs first; each list in execution order. */
export function* utterances(tx: CanonicalTx, rulebook: Rulebook): Generator<{ meanings: readonly MeaningSpec[]; utterance: Utterance }> {
  for (const log of tx.logs) {
    const spec = log.topics.length === 0 ? undefined : filedUnder(rulebook.events, log.topics[0]!, log.topics.length);
    if (!spec) continue;
    yield {
      meanings: spec.meanings,
      utterance: {
        basis: 'event', seq: log.seq, contract: log.address, caller: null, value: null,
        args: { topics: log.topics, data: log.data, base: 0 }, output: null,
        evidence: { kind: 'log', frame: log.frame, log: log.index, contract: log.address },
      },
    };
  }
  for (const frame of tx.frames) {
    const spec = frame.selector === null ? undefined : rulebook.calls.get(frame.selector);
    if (!spec || !speaks(tx, frame) || (spec.depth === 'root' && frame.parent !== null)) continue;
    yield {
      meanings: spec.meanings,
      utterance: {
        basis: 'call', seq: frame.seq, contract: frame.to!, caller: frame.from, value: frame.value,
        args: { topics: [], data: frame.input, base: 4 }, output: { topics: [], data: frame.output, base: 0 },
        evidence: { kind: 'frame', frame: frame.index, log: null, contract: frame.to! },
      },
    };
  }
}

/** A call that took effect; a proxy's forwarding of the same call to its code is not said twice. */
function speaks(tx: CanonicalTx, frame: Frame): boolean {
  if (!frame.effective || frame.static || frame.to === null) return false;
  if (frame.type === 'CALL') return true;
  if (frame.type !== 'DELEGATECALL' && frame.type !== 'CALLCODE') return false;
  return frame.parent === null || tx.frames[frame.parent]!.input !== frame.input;
}
