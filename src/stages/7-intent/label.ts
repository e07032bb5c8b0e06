import { actAmounts, netOf, type ActAmount } from './actAmounts.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { IntentRule } from '../../model/rulebook.ts';
import type { Asset } from '../../model/valueFlow.ts';

/**
 * How a label writes assets, accounts and protocols. Texts from the chain arrive cleaned: the caller knows
 * the metadata.
 */
export interface LabelFormat {
  /** `1.5 ETH`, or null where the amount cannot be written (unknown decimals). */
  readonly amount: (asset: Asset, amount: bigint) => string | null;
  readonly account: (account: Address) => string;
  readonly protocol: (slug: string) => string;
}

/** Name for a protocol known only by its behaviour: a shape's name means nothing to readers. */
const UNKNOWN_PROTOCOL = 'an unknown protocol';

/** More assets than this are counted, not listed. */
const MAX_LISTED = 3;

/**
 * Fills `{sent}`, `{received}`, `{protocol}`, `{actor}`, `{counterparty}`, `{count}`, `{nft}` and `{venue}`.
 * Where one of those a rule's label uses has no value its fallback text is taken whole, so no label ever
 * shows a hole.
 */
export function renderLabel(
  rule: IntentRule,
  view: SubjectView,
  motifs: readonly Motif[],
  format: LabelFormat,
): string {
  const { start, gaps } = takeApart(rule.label);
  let text = start;
  for (const { fill, after } of gaps) {
    const value = fill(view, motifs, format);
    if (value === null) return rule.labelFallback;
    text += value + after;
  }
  return text;
}

/** A parsed label: its first text, and its placeholders, each with the text behind it. */
interface Template {
  readonly start: string;
  readonly gaps: readonly { readonly fill: Placeholder; readonly after: string }[];
}

function takeApart(label: string): Template {
  // Text and names of placeholders by turns.
  const [start, ...rest] = label.split(/\{([a-z]+)\}/);
  const gaps: { fill: Placeholder; after: string }[] = [];
  for (let i = 0; i < rest.length; i += 2)
    gaps.push({ fill: PLACEHOLDERS[rest[i]!] ?? (() => null), after: rest[i + 1]! });
  return { start: start!, gaps };
}

type Placeholder = (view: SubjectView, motifs: readonly Motif[], format: LabelFormat) => string | null;

const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  sent: (view, motifs, format) => listed(actAmounts(view, motifs, 'sent'), format),
  received: (view, motifs, format) => listed(actAmounts(view, motifs, 'received'), format),
  protocol: (_, motifs, format) => {
    const names = new Set<string>();
    for (const { protocol } of motifs)
      if (protocol !== null)
        names.add(protocol.matchedBy === 'family' ? UNKNOWN_PROTOCOL : format.protocol(protocol.slug));
    if (names.size === 0 || names.size > MAX_LISTED) return null;
    return names.size === 1 ? first(names) : [...names].join(', ');
  },
  actor: (view, _, format) => format.account(view.input.subject.account),
  counterparty: (view, _, format) => {
    const others = view.payees.size > 0 ? view.payees : view.sources;
    return others.size === 1 ? format.account(first(others)) : null;
  },
  count: (view) => String(view.payees.size),
  nft: (view, _, format) =>
    listed(
      [...view.received, ...view.sent]
        .filter((l) => l.asset.kind === 'erc721' || l.asset.kind === 'erc1155')
        .map(netOf),
      format,
    ),
  venue: (_, motifs, format) => {
    const venues = new Set(motifs.map((m) => m.venue));
    return venues.size === 1 ? format.account(first(venues)) : null;
  },
};

function first<T>(of: ReadonlySet<T>): T {
  for (const one of of) return one;
  throw new Error('nothing to take');
}

function listed(amounts: readonly ActAmount[], format: LabelFormat): string | null {
  let text: string | null = null;
  for (const { asset, amount } of amounts) {
    const one = format.amount(asset, amount);
    if (one === null) return null;
    text = text === null ? one : `${text} and ${one}`;
  }
  return amounts.length > MAX_LISTED ? `${amounts.length} assets` : text;
}
