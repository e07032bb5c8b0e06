import type { Confidence, DisplayMoney, Evidence, Status } from '../../src/model/generated/report.ts';
import { h, link, type Child } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { moneyText, whyUnavailable } from '../../src/tools/wording/amounts.ts';
import { trustOf } from '../../src/tools/wording/sentences.ts';
import { countText, shortHex, shown } from '../../src/tools/wording/text.ts';
import type { View } from './view.ts';

/** `Proven · High`, in warning colours for anything that is not fully proven. */
export function badge(status: Status, confidence: Confidence, size: 'big' | 'small' = 'small'): HTMLElement {
  const trust = trustOf({ status, confidence });
  const sign = trust === 'proven' ? 'shield' : trust === 'suspected' ? 'caution' : 'question';
  return h(
    'span',
    { class: `badge ${trust} ${size}` },
    icon(sign),
    `${shown(status, 20)} · ${shown(confidence, 20)}`,
  );
}

/** A full address or hash with a copy button and a link to the explorer, where the report names one. */
function fullHex(hex: string, url: string | null, host: string | undefined): HTMLElement {
  return h(
    'span',
    { class: 'hex' },
    h('code', {}, hex),
    copyButton(hex, 'Copy'),
    url !== null &&
      link(
        url,
        { class: 'out', 'aria-label': `${shortHex(hex)} at ${host ?? 'the explorer'}, opens a new tab` },
        shown(host, 40),
        icon('out'),
      ),
  );
}

export function addressLine(view: View, address: string): HTMLElement {
  return fullHex(address, view.explorer?.account(address) ?? null, view.explorer?.host);
}

export function copyButton(text: string, label: string): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'copy', 'aria-label': `${label} ${shortHex(text)}`, title: label },
    icon('copy'),
  );
  button.addEventListener('click', () => {
    void navigator.clipboard?.writeText(text).then(
      () => {
        button.replaceChildren(icon('check'));
        setTimeout(() => button.replaceChildren(icon('copy')), 1_200);
      },
      () => {},
    );
  });
  return button;
}

/** A button that copies a text made when it is pressed. */
export function copyText(label: string, make: () => string): HTMLElement {
  const words = h('span', {}, label);
  const button = h('button', { type: 'button', class: 'proof' }, icon('copy'), words);
  button.addEventListener('click', () => {
    void navigator.clipboard?.writeText(make()).then(
      () => {
        words.textContent = 'Copied';
        setTimeout(() => (words.textContent = label), 1_200);
      },
      () => {},
    );
  });
  return button;
}

/** Money as people read it, or its dash with the reason. */
export function money(view: View, value: DisplayMoney): HTMLElement {
  if (value.available) return h('span', { class: 'money' }, moneyText(value));
  const why = whyUnavailable(view.assets, value.reason);
  return h(
    'span',
    { class: 'money none', title: why },
    '—',
    h('span', { class: 'sr' }, ` not available: ${why}`),
  );
}

/** A button that opens the evidence of a claim. */
export function proofButton(label: string, evidence: readonly Evidence[], act: () => void): HTMLElement {
  return h(
    'button',
    { type: 'button', class: 'proof', onclick: act },
    icon('proof'),
    label,
    evidence.length > 1 && h('span', { class: 'count' }, String(evidence.length)),
  );
}

export interface LongList<T> {
  readonly items: readonly T[];
  /** Number of items shown at first. */
  readonly first: number;
  /** Plural noun of the items, for the button that shows the rest. */
  readonly what: string;
  readonly list: HTMLElement;
}

/** A list that shows its first items, and the rest on demand, so that long reports stay fast. */
export function longList<T>(
  { items, first, what, list }: LongList<T>,
  make: (item: T, index: number) => HTMLElement,
): readonly Child[] {
  const show = (from: number, to: number): void =>
    list.append(...items.slice(from, to).map((item, i) => make(item, from + i)));
  show(0, first);
  if (items.length <= first) return [list];
  const more = h('button', { type: 'button', class: 'more' }, `Show all ${countText(items.length)} ${what}`);
  more.addEventListener('click', () => {
    const before = list.children.length;
    show(first, items.length);
    more.remove();
    (list.children[before]?.querySelector('button, a') as HTMLElement | null)?.focus();
  });
  return [list, more];
}

/** A titled section of the report. */
export function section(
  id: string,
  heading: string,
  aside: Child,
  ...children: readonly Child[]
): HTMLElement {
  return h(
    'section',
    { class: `card ${id}`, 'aria-labelledby': `${id}-title` },
    h(
      'header',
      { class: 'card-head' },
      h('h2', { id: `${id}-title` }, heading),
      h('div', { class: 'card-aside' }, aside),
    ),
    children,
  );
}
