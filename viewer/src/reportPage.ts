import type { TxReport } from '../../src/model/generated/report.ts';
import { graphSection } from './graph/graphSection.ts';
import { h, replaceChildren } from './lib/dom.ts';
import { addressesSection } from './sections/addresses.ts';
import { aboutSection } from './sections/about.ts';
import { allowancesSection } from './sections/allowances.ts';
import { attributionSection } from './sections/attribution.ts';
import { callTreeSection } from './sections/callTree.ts';
import { deltasSection } from './sections/deltas.ts';
import { headline } from './sections/headline.ts';
import { moneySection } from './sections/money.ts';
import { motifsSection } from './sections/motifs.ts';
import { positionsSection } from './sections/positions.ts';
import type { Panel } from './panel.ts';
import { claimOf } from './claims.ts';
import { createView, type View } from './view.ts';

/** A report as a page: verdict and money, the graph, then balance changes and the proof. */
export function reportPage(report: TxReport, panel: Panel, trace: View['trace'] = null): HTMLElement {
  const still = (report.movements ?? []).length === 0;
  const page = h('div', { class: `report${still ? ' still' : ''}` });
  const place = new URLSearchParams(location.hash.slice(1));
  const remember = (name: 'as' | 'open', value: string | null): void => {
    if (value === null) place.delete(name);
    else place.set(name, value);
    const hash = place.size === 0 ? '' : `#${place.toString()}`;
    history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`);
  };
  panel.onChange = () => {};
  const draw = (subject: string): View => {
    panel.close();
    panel.onChange = (key) => remember('open', key);
    const view = createView(report, subject, {
      inspect: (claim) => panel.show(view, claim),
      trace,
      seeAs: (account) => {
        remember('as', account === report.economics.subject ? null : account);
        draw(account);
        page.querySelector<HTMLElement>('#seen-by')?.focus();
      },
    });
    const [allowances, positions, attribution] = [
      allowancesSection(view),
      positionsSection(view),
      attributionSection(view),
    ];
    replaceChildren(
      page,
      headline(view),
      moneySection(view),
      graphSection(view),
      h(
        'div',
        { class: 'columns' },
        h('div', { class: 'column' }, deltasSection(view), motifsSection(view)),
        h('div', { class: 'column' }, allowances, positions, attribution),
      ),
      callTreeSection(view),
      addressesSection(view),
      aboutSection(view),
    );
    return view;
  };
  const [as, open] = [place.get('as'), place.get('open')];
  const known = report.inventory_deltas.some((d) => d.subject === as);
  const view = draw(known ? as! : report.economics.subject);
  const claim = open === null ? null : claimOf(view, open);
  // Shown once the page stands.
  if (claim) setTimeout(() => view.inspect(claim));
  return page;
}
