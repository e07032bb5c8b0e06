import type { TxReport } from '../../src/model/generated/report.ts';
import { graphSection } from './graph/graphSection.ts';
import { h, replaceChildren } from './lib/dom.ts';
import { addressesSection } from './sections/addresses.ts';
import { aboutSection } from './sections/about.ts';
import { allowancesSection } from './sections/allowances.ts';
import { attributionSection, whoClaim } from './sections/attribution.ts';
import { callTreeSection } from './sections/callTree.ts';
import { deltasSection } from './sections/deltas.ts';
import { callClaim, headline, transactionSection, whyClaim } from './sections/headline.ts';
import { moneySection } from './sections/money.ts';
import { moneyClaim } from './sections/moneyClaims.ts';
import { motifsSection } from './sections/motifs.ts';
import { positionsSection } from './sections/positions.ts';
import type { Panel } from './panel.ts';
import { claimOf } from './claims.ts';
import { createView, type Claim, type View } from './view.ts';

/** The claim that a page's address names. */
function claimAt(view: View, key: string): Claim | null {
  if (key === 'call' && (view.report.tx.method ?? null) === null) return null;
  const own = { why: whyClaim, who: whoClaim, call: callClaim }[key];
  return own?.(view) ?? moneyClaim(view, key) ?? claimOf(view, key);
}

/** A report as a page: verdict and money, the transaction, the graph, then balance changes and the proof. */
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
    const steps = motifsSection(view);
    const left = h('div', { class: 'column' }, deltasSection(view), steps);
    const right = h('div', { class: 'column' }, allowances, positions, attribution);
    replaceChildren(
      page,
      headline(view),
      moneySection(view),
      transactionSection(view),
      graphSection(view),
      h('div', { class: 'columns' }, left, right),
      callTreeSection(view),
      addressesSection(view),
      aboutSection(view),
    );
    if (steps) requestAnimationFrame(() => balance(left, right, steps));
    return view;
  };
  const [as, open] = [place.get('as'), place.get('open')];
  const known = report.inventory_deltas.some((d) => d.subject === as);
  const view = draw(known ? as! : report.economics.subject);
  const claim = open === null ? null : claimAt(view, open);
  // Shown once the page stands.
  if (claim) setTimeout(() => view.inspect(claim));
  return page;
}

/** Moves the last section of the left column to the right one where that leaves less room empty. */
function balance(left: HTMLElement, right: HTMLElement, last: HTMLElement): void {
  const [a, b, moved] = [left.offsetHeight, right.offsetHeight, last.offsetHeight];
  const stacked = right.offsetTop > left.offsetTop;
  if (!stacked && Math.abs(a - moved - (b + moved)) < Math.abs(a - b)) right.append(last);
}
