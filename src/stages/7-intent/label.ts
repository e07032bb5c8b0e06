import { counted } from '../../lib/text.ts';
import { only } from '../../lib/lists.ts';
import { accountsWith, isParty } from '../../lib/roles.ts';
import { memoize } from '../../lib/memo.ts';
import { parseLabel, type LabelPart } from '../../lib/labelTemplate.ts';
import { feesBeside, ownerOf, statedBy } from './actAmounts.ts';
import { aboutPosition, feesText, fillPlaceholder, paymentsText, type LabelSubject } from './labelWords.ts';
import { keptOf, keptText, tipText, type Acts } from './kept.ts';
import { executionText } from './paymentsBeside.ts';
import type { LabelFormat } from '../../value/labelFormat.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Verdict } from '../../model/intent.ts';
import type { IntentRule, ParamSpec } from '../../model/rulebook.ts';
import { argumentReader, type EncodedArguments } from '../../evm/readArgument.ts';
import { functionOf } from '../../evm/decodeArguments.ts';
import { cleanText, shortened } from '../../value/cleanText.ts';
import { blobsText, nameOf } from './calledWords.ts';
import type { Address, Hex } from '../../model/hex.ts';

/** An intent with its label, of a rule or of none. */
export type NamedIntent = Pick<IntentRule, 'intent' | 'label' | 'labelFallback'>;

/** A label, the placeholders that had no value for it, and its statements. */
type RenderedLabel = Pick<Verdict, 'label' | 'unfilled' | 'stated' | 'owner'>;

/** Rules have a few hundred labels between them. */
const templateOf = memoize(
  (label: string): readonly LabelPart[] => parseLabel(label) ?? [{ text: label }],
  1_000,
);

/**
 * Fills a rule's label. An optional segment with a placeholder that has no value is left out; where another
 * one has none the fallback is filled instead, as where nothing is left before a segment that only adds to
 * it. No label shows a hole.
 */
export function renderLabel(
  rule: Omit<NamedIntent, 'intent'>,
  view: SubjectView,
  { motifs, open }: Acts,
  format: LabelFormat,
): RenderedLabel {
  const states = /\{(gave|got)\}/.test(rule.label);
  const kept = states ? keptOf(motifs, view) : [];
  const fees = states ? [...feesBeside(view, motifs), ...open()] : [];
  const unfilled: string[] = [];
  const written = (brevity: number): string => {
    const subject: LabelSubject = { view, motifs, brevity, format };
    const full = render(templateOf(rule.label), subject, unfilled);
    const text =
      full === null || !/^\S/.test(full) ? render(templateOf(rule.labelFallback), subject, unfilled) : full;
    const blobs = rule.label.includes('{blobs}') ? null : blobsText(view);
    const stated = states ? aboutPosition(subject) + paymentsText(subject) : '';
    const beside = stated + doneBy(subject, `${text}${stated}`);
    const paid = `${feesText(fees, subject)}${tipText(view, motifs, format)}${executionText(subject)}`;
    const besides = `${keptText(kept, brevity, format)}${beside}${paid}`;
    return `${text ?? rule.labelFallback}${besides}${blobs === null ? '' : `, with ${blobs}`}`;
  };
  let label = written(0);
  for (let brevity = 1; brevity <= MOST_BRIEF && label.length > MAX_LABEL; brevity++)
    label = written(brevity);
  return {
    label,
    unfilled: [...new Set(unfilled)],
    stated: statedBy(view, motifs, rule.label),
    owner: states ? ownerOf(view, motifs) : null,
  };
}

/**
 * More is cut in a wallet's list: pools go first, then fees, then venues after the first, then several
 * amounts and who kept some.
 */
const MAX_LABEL = 110;
const MOST_BRIEF = 5;

/** `, by 0x12ab…cdef`: the one account that acts without amounts name, where it is not the actor. */
function doneBy({ view, motifs, format }: LabelSubject, text: string): string {
  if (!view.input.subject.elected) return '';
  const doers = motifs.map(({ participants, venue, movements }) => {
    if (movements.length > 0) return null;
    const named = participants.filter(({ account }) => account !== venue);
    if (named.some(({ role, account }) => isParty(role) && view.entity.has(account))) return null;
    return [...accountsWith(named, 'caller'), ...accountsWith(named, 'owner')][0] ?? null;
  });
  const doer = only([...new Set(doers)]);
  const name = doer && format.account(doer);
  return name && !text.includes(name) ? `, by ${name}` : '';
}

/** Null where a placeholder outside optional segments has no value. */
function render(parts: readonly LabelPart[], subject: LabelSubject, unfilled: string[]): string | null {
  let text = '';
  for (const part of parts) {
    if ('text' in part) text += part.text;
    else if ('optional' in part) text += render(part.optional, subject, unfilled) ?? '';
    else {
      const value = fillPlaceholder(part.placeholder, subject);
      if (value === null) {
        unfilled.push(part.placeholder);
        return null;
      }
      text += value;
    }
  }
  return text;
}

/** Longest text of an argument that a label shows. */
const MAX_ARGUMENT = 48;

/** `{arg.proposalId|id}`: the first of these arguments that exists, as text. */
export function argument(names: string, subject: LabelSubject): string | null {
  const [found] = argumentsNamed(names, subject);
  return found ? textOf(found, subject.format) : null;
}

const argumentsNamed = (names: string, subject: LabelSubject): FoundArgument[] =>
  names.split('|').flatMap((name) => argumentNamed(name, subject) ?? []);

/** `{choice.support|against,for,on}`: the word at the number the argument has, the last without one. */
export function choice(rule: string, subject: LabelSubject): string | null {
  const [name, list] = rule.split('|') as [string, string | undefined];
  const words = list?.split(',') ?? [];
  const found = argumentNamed(name, subject);
  const at = found !== null && typeof found.value === 'bigint' ? Number(found.value) : Infinity;
  return words[Math.min(at, words.length - 1)] ?? null;
}

/** `{span.duration}`: seconds as `1 year` or `90 days`. */
export function span(names: string, subject: LabelSubject): string | null {
  const values = argumentsNamed(names, subject).map(({ value }) => value);
  const seconds = values.find((value) => typeof value === 'bigint' && value > 0n);
  return typeof seconds === 'bigint' ? spanText(seconds) : null;
}

const DAY = 86_400n;
/** 365 days, or a Gregorian year of 365.2425. */
const YEARS: readonly bigint[] = [31_536_000n, 31_556_952n];

function spanText(seconds: bigint): string {
  for (const year of YEARS) if (seconds % year === 0n) return counted(seconds / year, 'year');
  return seconds < DAY ? counted(seconds / 3_600n, 'hour') : counted(seconds / DAY, 'day');
}

interface FoundArgument {
  readonly param: ParamSpec;
  readonly value: bigint | Hex;
}

/** An argument of the acts' events, else of the own call; null where equal events state several. */
function argumentNamed(name: string, { view, motifs }: LabelSubject): FoundArgument | null {
  const { tx, input } = view;
  const stated = new Map<Hex, FoundArgument>();
  for (const { evidence } of motifs)
    for (const { log } of evidence) {
      const found = log === null ? undefined : tx.logs[log];
      if (!found) continue;
      const { topics, data } = found;
      const value = valueOf(name, nameOf(found, view)?.args ?? [], { topics, data, base: 0 });
      if (value === null) continue;
      const known = stated.get(topics[0]!) ?? value;
      if (known.value !== value.value) return null;
      stated.set(topics[0]!, known);
    }
  const [first] = stated.values();
  if (first) return first;
  const called = functionOf(tx, input.rulebook.signatures);
  return called && valueOf(name, called.args, { topics: [], data: tx.input, base: 4 });
}

function valueOf(name: string, params: readonly ParamSpec[], args: EncodedArguments): FoundArgument | null {
  // Bytes are for machines: a name in them is in another encoding.
  const param = params.find((one) => one.name === name && one.at === undefined && one.type !== 'bytes');
  const value = param ? argumentReader(param, [])(args) : null;
  return value === null || !param ? null : { param, value };
}

function textOf({ param, value }: FoundArgument, format: LabelFormat): string | null {
  if (typeof value === 'bigint') return shortened(value.toString());
  if (param.type === 'address') return format.account(value as Address);
  if (param.type !== 'string') return shortened(value);
  return cleanText(Buffer.from(value.slice(2), 'hex').toString('utf8'), MAX_ARGUMENT);
}
