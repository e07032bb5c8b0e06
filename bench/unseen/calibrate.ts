// npm run calibrate: writes docs/calibration.json, how often each rule is right on labelled recordings. The catalogue shows it.
import { writeFileSync } from 'node:fs';
import { loadRules } from '../../src/service/loadRules.ts';
import { buildValueFlow } from '../../src/stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../src/stages/4-primitives/findPrimitives.ts';
import { REPLAY_AVAILABLE, warnIfAbsent } from '../../test/support/replayNode.ts';
import { protocolsOf, without } from './hide.ts';
import { classify, labelled, LABELLED } from './labelled.ts';
import type { Verdict } from '../../src/model/intent.ts';

/** Answers of one rule: with all rules, and where the rules do not know the transaction's protocols (L3). */
interface Row {
  answers: number;
  right: number;
  unseen: number;
  unseenRight: number;
  /** Answers by confidence. */
  readonly confidence: Record<Verdict['confidence'], number>;
}

if (REPLAY_AVAILABLE) {
  const rulebook = loadRules();
  const rows = new Map<string, Row>();
  const rowOf = ({ rule }: Verdict): Row => {
    const slug = rule?.slug ?? '(no rule)';
    const row = rows.get(slug) ?? {
      answers: 0,
      right: 0,
      unseen: 0,
      unseenRight: 0,
      confidence: { High: 0, Medium: 0, Low: 0 },
    };
    rows.set(slug, row);
    return row;
  };
  for await (const label of labelled(LABELLED, rulebook)) {
    const verdict = await classify(label, rulebook);
    const row = rowOf(verdict);
    row.answers++;
    row.confidence[verdict.confidence]++;
    if (label.intents.includes(verdict.kind)) row.right++;
    const { tx } = label.found;
    const hidden = protocolsOf(findPrimitives(tx, buildValueFlow(tx, rulebook), rulebook));
    if (hidden.size === 0) continue;
    const blind = await classify(label, without(rulebook, hidden, 'L3', tx));
    const unseen = rowOf(blind);
    unseen.unseen++;
    unseen.confidence[blind.confidence]++;
    if (label.intents.includes(blind.kind)) unseen.unseenRight++;
  }
  const sorted = Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(
    new URL('../../docs/calibration.json', import.meta.url),
    `${JSON.stringify(sorted, null, 1)}\n`,
  );
} else warnIfAbsent('calibrate');
