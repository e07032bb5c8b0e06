import type { UnlimitedAmounts } from '../../model/rulebook.ts';
import type { IntentKindSpec, MotifKindSpec, MotifTraits } from '../../model/vocabulary.ts';
import { NO_TRAITS } from '../../lib/motifKinds.ts';
import { SENT_ROLES } from '../../lib/roles.ts';
import type { RawMotifKind, RawPrecedence, RawVocabulary } from '../../model/generated/rules.ts';
import { didYouMean } from './didYouMean.ts';
import { Spot, camel, ofKind, type RuleItem } from './ruleItem.ts';

/** Categories of the published report schema. */
const PUBLISHED: Readonly<Record<'intent_categories' | 'position_categories', readonly string[]>> = {
  intent_categories: `
    transfer trade liquidity lending staking vault bridge nft governance account mev contract failed unknown
  `.match(/\w+/g)!,
  position_categories: `
    liquidity lending_supply lending_debt stake vault order withdrawal_request bridge_claim
  `.match(/\w+/g)!,
};

/** The words rules may use, merged over all directories. */
export interface Vocabulary {
  readonly motifKinds: Map<string, MotifKindSpec>;
  readonly intentKinds: Map<string, IntentKindSpec>;
  readonly legRoles: Map<string, 'sent' | 'received'>;
  readonly accountRoles: Map<string, string>;
  readonly unlimited: UnlimitedAmounts;
}

/** Merges vocabularies (overlays add; `override: true` redefines) and ranks the intents by precedence. */
export function compileVocabulary(items: readonly RuleItem[]): Vocabulary {
  const vocabularies = ofKind<RawVocabulary>(items, 'vocabulary');
  const intents = mergeWords(vocabularies, 'intents');
  const legRoles = mergeWords(vocabularies, 'leg_roles');
  for (const [role, { value, spot }] of legRoles) {
    const side = SENT_ROLES.has(role) ? 'sent' : 'received';
    if (value !== side) spot.report('leg_side', `${role} is ${side}`);
  }
  const ranks = rankIntents(items, new Set(intents.keys()));
  const values = <T>(words: Map<string, { value: T }>): Map<string, T> =>
    new Map([...words].map(([k, v]) => [k, v.value]));
  return {
    motifKinds: compileMotifKinds(vocabularies, intents),
    intentKinds: compileIntentKinds(intents, ranks, categoriesIn(vocabularies, 'intent_categories')),
    legRoles: values(legRoles),
    accountRoles: values(mergeWords(vocabularies, 'account_roles')),
    unlimited: unlimitedIn(vocabularies),
  };
}

function compileMotifKinds(
  vocabularies: readonly RuleItem<RawVocabulary>[],
  intents: Words<'intents'>,
): Map<string, MotifKindSpec> {
  const categoryOf = categoriesIn(vocabularies, 'position_categories');
  const motifKinds = new Map<string, MotifKindSpec>();
  for (const [kind, { value, spot }] of mergeWords(vocabularies, 'motifs')) {
    const { title, fragment = null, position: raw, ...declared } = value;
    if (fragment !== null) spot.at('fragment').known('unknown_intent_kind', fragment, intents);
    const position = raw ? { ...raw, ...categoryOf(raw.category, spot.at('position', 'category')) } : null;
    motifKinds.set(kind, { kind, title, fragment, position, ...traitsOf(declared) });
  }
  return motifKinds;
}

/** Without a word of it only the whole range is. */
function unlimitedIn(items: readonly RuleItem<RawVocabulary>[]): UnlimitedAmounts {
  const said = items.flatMap(({ value }) => value.unlimited_allowance ?? []).at(-1);
  const { from, exactly } = said ?? { from: `0x${'f'.repeat(64)}`, exactly: [] };
  return { from: BigInt(from), exactly: new Set(exactly.map(BigInt)) };
}

/** Intent kinds with their rank; without a precedence list none is missing from it. */
function compileIntentKinds(
  intents: Words<'intents'>,
  ranks: ReadonlyMap<string, number>,
  categoryOf: CategoryOf,
): Map<string, IntentKindSpec> {
  const intentKinds = new Map<string, IntentKindSpec>();
  for (const [kind, { value, spot }] of intents) {
    const rank = ranks.get(kind);
    if (rank === undefined && ranks.size > 0) spot.reportKey('unranked_intent', kind);
    intentKinds.set(kind, {
      kind,
      ...categoryOf(value.category, spot.at('category')),
      rank: rank ?? ranks.size,
      headline: value.headline ?? true,
      ledgerLabel: value.ledger ?? null,
      tags: value.tags ?? [],
    });
  }
  return intentKinds;
}

function traitsOf(declared: Omit<RawMotifKind, 'title' | 'fragment' | 'position'>): MotifTraits {
  const traits = { ...NO_TRAITS, ...camel(declared) };
  return {
    ...traits,
    plain: traits.venue === 'none',
    actsOnVenue: traits.venue === 'account' || traits.venue === 'created' || traits.allowance,
  };
}

type CategoryOf = (
  category: string,
  spot: Spot,
) => { readonly category: string; readonly subcategory?: string };

/** Resolves categories: one of the vocabulary's own is shown as the published one it names. */
function categoriesIn(
  items: readonly RuleItem<RawVocabulary>[],
  key: 'intent_categories' | 'position_categories',
): CategoryOf {
  const own = new Map(items.flatMap(({ value }) => Object.entries(value[key] ?? {})));
  return (category, spot) => {
    const shownAs = own.get(category);
    if (shownAs !== undefined) return { category: shownAs, subcategory: category };
    if (!PUBLISHED[key].includes(category)) {
      const meant = didYouMean(category, [...PUBLISHED[key], ...own.keys()]);
      spot.report('unknown_category', `${meant}; declare one of your own in ${key}`);
    }
    return { category };
  };
}

type Section = 'motifs' | 'intents' | 'leg_roles' | 'account_roles';
type WordOf<S extends Section> = NonNullable<RawVocabulary[S]>[string];
type Words<S extends Section> = Map<string, { readonly value: WordOf<S>; readonly spot: Spot }>;

function mergeWords<S extends Section>(items: readonly RuleItem<RawVocabulary>[], section: S): Words<S> {
  const words: Words<S> = new Map();
  for (const item of items)
    for (const [word, value] of Object.entries(item.value[section] ?? {}) as [string, WordOf<S>][]) {
      const spot = new Spot(item, [section, word]);
      if (words.has(word) && item.value.override !== true) spot.reportKey('duplicate_kind', word);
      else words.set(word, { value, spot });
    }
  return words;
}

/** The one ordered list: `order` of the base, then each overlay's `insert` in turn. */
function rankIntents(items: readonly RuleItem[], known: ReadonlySet<string>): Map<string, number> {
  const order: string[] = [];
  for (const item of ofKind<RawPrecedence>(items, 'precedence')) {
    const spot = new Spot(item);
    const { order: listed, insert, override } = item.value;
    if (listed && override === true) order.length = 0;
    else if (listed && order.length > 0)
      spot.at('order').reportKey('duplicate_rank', 'an overlay replaces the order only with override: true');
    for (const [kind, at] of spot.each('order', listed))
      if (canRank(at, kind, known, order)) order.push(kind);
    for (const [entry, at] of spot.each('insert', insert)) insertRank(at, entry, known, order);
  }
  return new Map(order.map((kind, rank) => [kind, rank]));
}

function insertRank(
  spot: Spot,
  entry: NonNullable<RawPrecedence['insert']>[number],
  known: ReadonlySet<string>,
  order: string[],
): void {
  const side = entry.before === undefined ? 'after' : 'before';
  const at = order.indexOf(entry[side]!);
  if (!canRank(spot.at('intent'), entry.intent, known, order)) return;
  if (at >= 0) order.splice(side === 'before' ? at : at + 1, 0, entry.intent);
  else spot.at(side).report('unknown_intent_kind', `${didYouMean(entry[side]!, order)} is not ranked yet`);
}

function canRank(spot: Spot, kind: string, known: ReadonlySet<string>, order: readonly string[]): boolean {
  if (!spot.known('unknown_intent_kind', kind, known)) return false;
  if (order.includes(kind)) spot.report('duplicate_rank', kind);
  return !order.includes(kind);
}
