import { isSwap } from '../../lib/motifKinds.ts';
import { netSides, type Sides } from '../../value/balances.ts';
import { assess, supportingMotifs, type Assessment } from './assess.ts';
import { SubjectView } from './facts/subjectView.ts';
import { factsAbout, type IntentInput } from './intentInput.ts';
import { renderLabel, type NamedIntent } from './label.ts';
import type { LabelFormat } from '../../value/labelFormat.ts';
import type { FactValue, PreparedIntent, RuleOutcome, Verdict, Fragment } from '../../model/intent.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';
import { groupBy } from '../../lib/lists.ts';
import { lazy } from '../../lib/lazy.ts';
import { memoize } from '../../lib/memo.ts';
import { roleOf } from '../../lib/roles.ts';
import { amountsOf, isShare } from '../../value/sides.ts';
import { totals } from './actAmounts.ts';
import { leftOpen, type Acts } from './kept.ts';
import type { Motif } from '../../model/motif.ts';
import type { Asset, AssetId } from '../../model/valueFlow.ts';

/** A verdict with everything it was made from, for explanations. */
export interface ExplainedVerdict {
  readonly verdict: Verdict;
  readonly facts: ReadonlyMap<string, FactValue>;
  /** Rules that were evaluated, best first. */
  readonly outcomes: readonly RuleOutcome[];
  /** Null for a heuristic without one. */
  readonly winner: IntentRule | null;
  /** Rules that matched as well and lost, best first. */
  readonly outranked: readonly IntentRule[];
  /** Slugs of rules left out because no motif they need is present. */
  readonly skipped: readonly string[];
}

/** Decides the subject's intent: the best matching rule, or a marked heuristic without one. */
export async function matchIntents(input: IntentInput, format: LabelFormat): Promise<Verdict> {
  const view = new SubjectView(input);
  return verdictBy(await bestMatch(view), view, format);
}

/**
 * The first rule that matches, is superseded by no other match and is about at least 1 % of the actor's
 * amounts; where there is none, the first match.
 */
async function bestMatch(view: SubjectView): Promise<IntentRule | null> {
  const source = factsAbout(view);
  const rivalsOf = view.input.rulebook.prepared.derive(rivalsBySlug);
  const relevant = relevantIn(view);
  let superseded: IntentRule | null = null;
  for (const one of relevant) {
    if (!one.mayMatch(source) || !(await one.matches(source))) continue;
    const rivals = (rivalsOf.get(one.rule.slug) ?? []).filter(
      ({ rival }) => relevant.includes(rival) && rival.mayMatch(source),
    );
    const verdicts = await Promise.all(rivals.map(({ rival }) => rival.matches(source)));
    if (!verdicts.includes(true) && !isMinor(view, one)) return one.rule;
    superseded ??= one.rule;
  }
  return superseded;
}

/** Whether it is about under 1 % of the same assets that the actor gave, or got by a swap. */
function isMinor(view: SubjectView, { rule }: PreparedIntent): boolean {
  if (view.own.length < 2) return false;
  const gave = totals(view, supportingMotifs(view, rule), (one) => one.gave && !isShare(one));
  const bought = (id: AssetId): boolean => view.payersOf(id).some(isSwap);
  const more = view.balances.filter(({ id, net }) => {
    const part = (gave.get(id)?.amount ?? 0n) * 100n;
    return part > 0n && (part < -net || (part < net && bought(id)));
  });
  return gave.size > 0 && more.length === gave.size;
}

/** The rules that supersede each rule, best first. */
const rivalsBySlug = ({ prepared: { intents } }: Rulebook) => {
  const pairs = intents.flatMap((rival) => rival.rule.supersedes.map((slug) => ({ slug, rival })));
  return groupBy(pairs, ({ slug }) => slug);
};

/** The rules that need no motif, or one of a kind that is present, best first. */
const relevantIn = ({ byKind, input }: SubjectView): readonly PreparedIntent[] =>
  input.rulebook.prepared.derive(relevantByKinds)([...byKind.keys()].join());

/** Transactions have a few hundred sets of kinds between them. */
const relevantByKinds = ({ prepared: { intents } }: Rulebook) =>
  memoize((kinds: string): readonly PreparedIntent[] => {
    const present = new Set(kinds.split(','));
    return intents.filter(
      ({ rule: { requiresAny: any } }) => any.length === 0 || any.some((kind) => present.has(kind)),
    );
  }, 1_000);

/** As `matchIntents`, with every rule evaluated and every condition kept. */
export async function explainIntents(input: IntentInput, format: LabelFormat): Promise<ExplainedVerdict> {
  const view = new SubjectView(input);
  const relevant = relevantIn(view);
  const slugs = new Set(relevant.map(({ rule }) => rule.slug));
  const source = factsAbout(view);
  const facts = new Map(relevant.flatMap((one) => [...one.facts].map((name) => [name, source(name)])));
  const outcomes = await Promise.all(relevant.map((one) => one.evaluate(source)));
  const matched = relevant.filter((_, i) => outcomes[i]!.matched);
  const isBeaten = ({ rule: { slug } }: PreparedIntent): boolean =>
    matched.some(({ rule }) => rule.supersedes.includes(slug));
  const last = new Set(matched.filter((one) => isMinor(view, one) || isBeaten(one)));
  const ranked = [...matched.filter((one) => !last.has(one)), ...last];
  const [winner = null, ...outranked] = ranked.map(({ rule }) => rule);
  const verdict = verdictBy(winner, view, format);
  const skipped = input.rulebook.intents.map(({ slug }) => slug).filter((slug) => !slugs.has(slug));
  return { verdict, facts, outcomes, winner, outranked, skipped };
}

function verdictBy(rule: IntentRule | null, view: SubjectView, format: LabelFormat): Verdict {
  const motifs = rule ? supportingMotifs(view, rule) : [];
  const named: NamedIntent = rule ?? fallbackIntent(view);
  const kind = named.intent;
  const acts: Acts = { motifs, open: lazy(() => leftOpen(view, motifs, named.label)) };
  const assessed = rule ? assess(view, rule, acts) : NO_RULE;
  const { status, confidence } = assessed;
  const indexes = motifs.map((m) => m.index);
  const known = view.input.rulebook.intentKinds.get(kind);
  return {
    kind,
    ...renderLabel(named, view, acts, format),
    ...assessed,
    rule: rule && { slug: rule.slug, version: rule.version },
    category: known?.category ?? 'unknown',
    // The rule's tags before those of the intent kind.
    tags: [...new Set([...(rule?.tags ?? []), ...(known?.tags ?? [])])],
    motifs: indexes,
    fragments: fragmentsOf(view, { kind, status, confidence, motifs: indexes, seq: motifs[0]?.seq ?? 0 }),
  };
}

const NO_RULE: Assessment = { status: 'Suspected', confidence: 'Low', caveats: ['no_rule'] };

/** The intent where no rule matches: the transaction failed, moved nothing of the actor's, or is unknown. */
function fallbackIntent({ tx, balances }: SubjectView): NamedIntent {
  if (!tx.succeeded)
    return { intent: 'Reverted', label: 'Failed: {call}[ ({reason})]', labelFallback: 'Failed: {call}' };
  const sides = netSides(balances);
  const intent = sides === 'none' ? 'ContractCall' : 'Unknown';
  return { intent, label: FALLBACK_LABELS[sides], labelFallback: 'Call {call}' };
}

const FALLBACK_LABELS: Readonly<Record<Sides, string>> = {
  none: 'Call {call}',
  both: 'Give {sent}, get {received}[ at {place}]',
  sent: 'Give {sent} by calling {call}',
  received: 'Get {received} by calling {call}',
};

/**
 * The parts of the whole in execution order: every motif of the actor's that is part of no larger one and
 * is shown by the vocabulary, and the headline itself where no motif carries it.
 */
function fragmentsOf(view: SubjectView, headline: Fragment): Fragment[] {
  const parts: Fragment[] = [];
  for (const motif of view.own) {
    const kind = motif.traits.fragment ?? paymentBeside(view, motif, headline);
    if (kind === null || isImplied(view, motif, kind, headline)) continue;
    const { status, confidence, index, seq } = motif;
    parts.push({ kind, status, confidence, motifs: [index], seq });
  }
  // Motifs come in execution order; only a headline without a motif needs a position.
  const same = parts.filter(({ kind }) => kind === headline.kind);
  // Movements may prove an exchange that its own acts leave open.
  if (headline.status === 'Proven' && same[0] && same.every(({ status }) => status === 'Suspected'))
    return parts.map((part) => (part === same[0] ? { ...headline, seq: part.seq } : part));
  if (same.length > 0) return parts;
  return [...parts, headline].sort((a, b) => a.seq - b.seq || (a.motifs[0] ?? -1) - (b.motifs[0] ?? -1));
}

/** A larger motif implies its parts that can be a headline, and a single swap its summary. */
function isImplied(view: SubjectView, motif: Motif, kind: string, headline: Fragment): boolean {
  if (motif.parent !== null) return view.input.rulebook.intentKinds.get(kind)?.headline !== false;
  if (motif.traits.trade !== 'summary' || kind === headline.kind) return false;
  return view.own.filter(isSwap).length === 1;
}

const PAYMENT_KINDS: Readonly<Record<Asset['kind'], string>> = {
  native: 'NativeTransfer',
  erc20: 'TokenTransfer',
  erc721: 'NftTransfer',
  erc1155: 'NftTransfer',
};

/**
 * A plain payment by the actor to an account with no other part in a transaction about something else.
 * Where the transaction is about payments the headline covers it.
 */
function paymentBeside(view: SubjectView, motif: Motif, headline: Fragment): string | null {
  const { rulebook, tx, flow, subject } = view.input;
  const { plain, dependent } = motif.traits;
  if (!plain || dependent || headline.motifs.length === 0) return null;
  const isAboutPayments = rulebook.intentKinds.get(headline.kind)?.category === 'transfer';
  if (isAboutPayments || roleOf(motif, 'payer') !== subject.account) return null;
  const to = roleOf(motif, 'recipient')!;
  if (tx.to === to || flow.outgoing.has(to) || view.codeAccounts.has(to)) return null;
  return PAYMENT_KINDS[flow.assets.get(amountsOf(motif)[0]!.asset)!.kind];
}
