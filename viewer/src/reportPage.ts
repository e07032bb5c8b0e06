import type { TxReport } from '../../src/model/generated/report.ts';
import { graphSection } from './graph/graphSection.ts';
import { h } from './lib/dom.ts';
import { aboutSection } from './sections/about.ts';
import { attributionSection } from './sections/attribution.ts';
import { deltasSection } from './sections/deltas.ts';
import { headline } from './sections/headline.ts';
import { moneySection } from './sections/money.ts';
import { motifsSection } from './sections/motifs.ts';
import { positionsSection } from './sections/positions.ts';
import type { Panel } from './panel.ts';
import { createView } from './view.ts';

/** A report as a page: verdict and money, the graph, then who ended up with what and the proof. */
export function reportPage(report: TxReport, panel: Panel): HTMLElement {
  const view = createView(report, (claim) => panel.show(view, claim));
  const empty = (report.movements ?? []).length === 0;
  const [deltas, positions, motifs, attribution] = [
    deltasSection(view),
    positionsSection(view),
    motifsSection(view),
    attributionSection(view),
  ];
  return h(
    'div',
    { class: `report${empty ? ' still' : ''}` },
    headline(view),
    moneySection(view),
    graphSection(view),
    h(
      'div',
      { class: 'columns' },
      h('div', { class: 'column' }, deltas, motifs),
      h('div', { class: 'column' }, positions, attribution),
    ),
    aboutSection(view),
  );
}
