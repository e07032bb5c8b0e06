import { actAmounts } from './actAmounts.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { IntentRule } from '../../model/rulebook.ts';
import type { Asset } from '../../model/valueFlow.ts';

/** How a label writes assets, accounts and protocols. Texts from the chain arrive cleaned: the caller knows the metadata. */
export interface LabelFormat {
  /** `1.5 ETH`, or null where the amount cannot be written (unknown decimals). */
  readonly amount: (asset: Asset, amount: bigint) => string | null;
  readonly account: (account: Address) => string;
  readonly protocol: (slug: string) => string;
}

/** What a label calls a protocol of which only the behaviour is known: the name of a shape means nothing to its reader. */
const UNKNOWN_PROTOCOL = 'an unknown protocol';

/** More assets than this are counted, not listed. */
const MAX_LISTED = 3;

/**
 * Fills `{sent}`, `{received}`, `{protocol}`, `{actor}`, `{counterparty}`, `{count}`, `{nft}` and `{venue}`. Where one
 * of those a rule's label uses has no value its fallback text is taken whole, so no label ever shows a hole.
 */
export function renderLabel(rule: IntentRule, view: SubjectView, motifs: readonly Motif[], format: LabelFormat): string {
  const parts = partsOf(rule);
  let text = parts[0]!;
  for (let i = 1; i < parts.length; i += 2) {
    const value = PLACEHOLDERS[parts[i]!]?.(view, motifs, format) ?? null;
    if (value === null) return rule.labelFallback;
    text += value + parts[i + 1]!;
  }
  return text;
}

const PARTS = new WeakMap<IntentRule, readonly string[]>();

/** A label taken apart once: text and names of placeholders by turns. */
function partsOf(rule: IntentRule): readonly string[] {
  let parts = PARTS.get(rule);
  if (!parts) PARTS.set(rule, (parts = rule.label.split(/\{([a-z]+)\}/)));
  return parts;
}

type Placeholder = (view: SubjectView, motifs: readonly Motif[], format: LabelFormat) => string | null;

const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  sent: (view, motifs, format) => listed(actAmounts(view, motifs, 'gave').map((told) => format.amount(told.asset, told.amount))),
  received: (view, motifs, format) => listed(actAmounts(view, motifs, 'got').map((told) => format.amount(told.asset, told.amount))),
  protocol: (_, motifs, format) => {
    const names = new Set<string>();
    for (const { protocol } of motifs) if (protocol !== null) names.add(protocol.matchedBy === 'family' ? UNKNOWN_PROTOCOL : format.protocol(protocol.slug));
    return names.size === 0 || names.size > MAX_LISTED ? null : [...names].join(', ');
  },
  actor: (view, _, format) => format.account(view.input.subject.account),
  counterparty: (view, _, format) => {
    const others = view.payees.size > 0 ? view.payees : new Set(view.got.flatMap((l) => l.incoming.map((m) => m.from)));
    return others.size === 1 ? format.account([...others][0]!) : null;
  },
  count: (view) => String(view.payees.size),
  nft: (view, _, format) => listed([...view.got, ...view.gave].filter((l) => l.asset.kind === 'erc721' || l.asset.kind === 'erc1155')
    .map((l) => format.amount(l.asset, l.net < 0n ? -l.net : l.net))),
  venue: (_, motifs, format) => {
    const venues = new Set(motifs.map((m) => m.venue));
    return venues.size === 1 ? format.account([...venues][0]!) : null;
  },
};

function listed(texts: readonly (string | null)[]): string | null {
  if (texts.length === 0 || texts.includes(null)) return null;
  return texts.length > MAX_LISTED ? `${texts.length} assets` : texts.join(' and ');
}
