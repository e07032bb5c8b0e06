import { REPLACE_ME } from '../../../../rules/lint/checkRules.ts';
import type { ExampleValue } from '../../../../model/generated/rules.ts';
import { words } from '../../../wording/text.ts';
import type { FileKind } from '../../../../rules/read/readRuleFiles.ts';
import { formatRuleText } from '../formatRules.ts';
import { anyValue } from '../draw/drawArguments.ts';
import { BIND_WORDS } from '../../../../rules/compile/bindExpr.ts';
import { isFault, parseSignature, type ParsedSignature } from '../../../../rules/compile/signature.ts';
import { NO_AMOUNTS } from '../../../../rules/lint/checkWeak.ts';
import { stemsOf } from '../../../../lib/text.ts';
import { applies, signatureWords, type SignatureWords } from '../../../../lib/lexicon.ts';
import type { LexiconEntry } from '../../../../model/vocabulary.ts';
import type { ParamSpec, Rulebook } from '../../../../model/rulebook.ts';
import { CliError } from '../../cliIo.ts';

export interface Draft {
  readonly slug: string;
  /** Of the protocol; left out: from the slug. */
  readonly name?: string;
  /** A page about it; left out: for the author to fill in. */
  readonly reference?: string;
  /** EIP-55 checksummed; empty where none is known. */
  readonly addresses: readonly string[];
  readonly guesses: readonly Guess[];
  /** Lines on events that could not be drafted, for the shape's comment. */
  readonly leftOut: readonly string[];
  /** Recording that holds these events; null where there is none. */
  readonly recording: string | null;
  /** Intent that own intents go before in the order of precedence. */
  readonly before: string;
}

/** Files of a draft by path: a shape, a protocol, and for new kinds words, rank and intent. */
export function writeDraft(draft: Draft): ReadonlyMap<string, string> {
  const { slug, guesses } = draft;
  const own = guesses.filter(
    (guess) => guess.isOwn && guess === guesses.find(({ kind }) => kind === guess.kind),
  );
  const files = new Map<string, string>();
  const add = (path: string, kind: FileKind, text: string): void =>
    void files.set(`${path}.yaml`, formatRuleText(text, kind)!);
  add(`protocols/${slug}`, 'protocol', protocolFile(draft));
  if (guesses.length > 0) add(`shapes/${slug}`, 'shape', shapeFile(draft));
  if (own.length === 0) return files;
  const each = (line: (guess: Guess) => string): string => own.map((guess) => `  ${line(guess)}\n`).join('');
  const motifs = each((one) => `${one.kind}: {title: ${words(one.kind)}, fragment: ${intentOf(one)}}`);
  const intents = each((one) => `${intentOf(one)}: {category: contract}`);
  files.set('vocabulary.yaml', `motifs:\n${motifs}intents:\n${intents}`);
  const ranks = each((one) => `- {intent: ${intentOf(one)}, before: ${draft.before}}`);
  files.set('precedence.yaml', `insert:\n${ranks}`);
  for (const guess of own)
    add(`intents/${slug}-${guess.kind.replaceAll('_', '-')}`, 'intent', intentFile(draft, guess));
  return files;
}

const intentOf = ({ kind }: Guess): string =>
  kind.replace(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase());

const NO_REFERENCE = `https://example.org${REPLACE_ME}`;

function shapeFile({ slug, guesses, leftOut, reference = NO_REFERENCE }: Draft): string {
  const isEvents = guesses[0]!.signature.topicCount > 0;
  const mappings = guesses.map((guess) => {
    const roles = guess.account === null ? '{caller: $asked_by}' : `{owner: $${guess.account}}`;
    const legs = guess.amount === null ? '' : `    legs:\n      - ${legText(guess)}\n`;
    return (
      `  # ${isEvents ? 'topic0' : 'selector'} ${guess.signature.id}\n` +
      `  - ${isEvents ? 'event' : 'call'}: "${guess.text}"\n    kind: ${guess.kind}\n   ` +
      ` roles: ${roles}\n${legs}`
    );
  });
  return [
    '# Drafted from signatures: check every kind, role and leg against what the contract does.',
    ...leftOut.map((line) => `# left out: ${line}`),
    `slug: ${slug}\nversion: 1\nstatus: experimental\nsummary: "Say what contracts of this family do."`,
    `references: [${JSON.stringify(reference)}]\nany_emitter: true\n${isEvents ? 'events' : 'calls'}:`,
    mappings.join(''),
  ].join('\n');
}

function legText({ role, flow, account, asset, amount }: Guess): string {
  const parts = [`role: ${role}`];
  if (flow === 'sent') parts.push(...(account === null ? [] : [`from: $${account}`]), 'to: $venue');
  if (flow === 'received') parts.push('from: $venue', ...(account === null ? [] : [`to: $${account}`]));
  if (asset !== null) parts.push(`asset: $${asset}`);
  return `{${[...parts, `amount: $${amount}`].join(', ')}}`;
}

/** The made-up transaction: the movement of the leg, then the event. */
function transactionText(guess: Guess, slug: string, moves: boolean): string {
  const indent = ' '.repeat(8);
  const [from, to] = guess.flow === 'received' ? [slug, 'actor'] : ['actor', slug];
  const movement = `${indent}  - {move: ${amountText(guess)}, asset: TOKEN, from: ${from}, to: ${to}}\n`;
  const args = argumentsText(guess, amountText(guess));
  const event = `${indent}  - {event: "${guess.text}", by: ${slug}, args: [${args}]}\n`;
  return `${indent}to: ${slug}\n${indent}steps:\n${moves && guess.amount !== null ? movement : ''}${event}`;
}

function amountText({ signature, amount }: Guess): string {
  const type = signature.params.find(({ name }) => name === amount)?.type ?? 'uint256';
  return Number(type.slice(4)) >= 96 ? '5e18' : '5';
}

function argumentsText({ signature, account, asset, amount }: Guess, amountOf: string): string {
  let drawn = 1;
  const known = new Map([
    [account, 'actor'],
    [asset, 'TOKEN'],
    [amount, amountOf],
  ]);
  return signature.params
    .map(({ name }, i) => known.get(name) ?? flow(anyValue(signature.inputs[i]!, name, () => drawn++)))
    .join(', ');
}

/** As YAML writes it on one line. */
const flow = (value: ExampleValue): string =>
  Array.isArray(value) ? `[${value.map(flow).join(', ')}]` : JSON.stringify(value);

function protocolFile({
  slug,
  addresses,
  guesses,
  name = words(slug),
  reference = NO_REFERENCE,
}: Draft): string {
  const listed = addresses.map((address) => `"${address}"`).join(', ');
  const line =
    listed === '' ? '# addresses: ["0x…"]: with them, verdicts can be Proven' : `addresses: [${listed}]`;
  return (
    `slug: ${slug}\nversion: 1\nstatus: experimental\nname: ${JSON.stringify(name)}\n` +
    `shapes: [${guesses.length > 0 ? slug : ''}]\n${line}\nreferences: [${JSON.stringify(reference)}]\n`
  );
}

function intentFile({ slug, recording }: Draft, guess: Guess): string {
  const [title, value] = [words(guess.kind), guess.flow === 'received' ? 'got' : 'gave'];
  const label = guess.amount === null ? title : `${title}: {${value}}`;
  const recorded = recording === null ? '' : `    - {recording: ${recording}}\n`;
  const nearMiss =
    guess.amount === null
      ? `    - facts: {motif.${guess.kind}.count: 1, motif.${guess.kind}.own: 0}\n`
      : '    - name: the event without the movement\n      ' +
        `transaction:\n${transactionText(guess, slug, false)}`;
  return [
    `slug: ${slug}-${guess.kind.replaceAll('_', '-')}`,
    'version: 1\nstatus: experimental',
    `intent: ${intentOf(guess)}\nlabel: "${label}"\nlabel_fallback: ${title}`,
    `rests_on: [${guess.kind}]\nrequires_any: [${guess.kind}]`,
    `when: {fact: motif.${guess.kind}.own, is: gte, value: 1}`,
    'proof: heuristic\nconfidence: {known: Medium, family: Low}',
    `examples:\n  match:\n${recorded}    - name: made up\n      ` +
      `transaction:\n${transactionText(guess, slug, true)}      expect: {intent: ` +
      `${intentOf(guess)}}`,
    `  near_miss:\n${nearMiss}`,
  ].join('\n');
}

/** A slug from any text. */
export function slugOf(text: string): string {
  return snake(text).replaceAll('_', '-') || 'draft';
}

/** A guess at the meaning of an unknown contract's event or call, from the words of its signature. */
export interface Guess {
  readonly signature: ParsedSignature;
  /** As a shape may write it: names of parameters that are bind words are changed. */
  readonly text: string;
  readonly kind: string;
  /** A motif kind that the rules do not have: the name of the event. */
  readonly isOwn: boolean;
  readonly account: string | null;
  readonly asset: string | null;
  readonly amount: string | null;
  readonly flow: 'sent' | 'received' | 'unknown' | 'none';
  /** Role of the leg. */
  readonly role: string;
}

export const ACCOUNTS = 'owner account user holder beneficiary recipient receiver to sender'.split(' ');
/** Value that goes in is the payer's act, also for another beneficiary. */
const PAYERS = 'payer funder depositor buyer donor sender from'.split(' ');
const ASSETS = ['token', 'asset', 'underlying', 'currency', 'collateral', 'reward token'];
const AMOUNTS = ['amount', 'value', 'assets', 'wad', 'quantity', 'shares', 'reward', 'payout', 'principal'];
/** Words of names that say where value went, beside those of the lexicon. */
const OUTGOING = ['paid', 'collect', 'gather'];
const INCOMING = ['buy', 'bought', 'fund'];

/**
 * Guesses the meaning of one event. `own`: as a motif kind of its own, not one of the lexicon.
 * @throws CliError where the text is not an event
 */
export function guessMeaning(text: string, { lexicon, motifKinds }: Rulebook, own = false): Guess {
  const renamed = withoutBindWords(text, 'event');
  const signature = parseSignature('event', renamed);
  if (isFault(signature)) throw new CliError(signature.message);
  const words = signatureWords('event', { name: signature.name, args: signature.params });
  const hint = hintOf(words, lexicon);
  const entry = own ? undefined : hint;
  const kind = entry?.kind ?? snake(signature.name);
  const amount = amountOf(signature.params);
  const asset = pick(signature.params, 'address', ASSETS);
  const flow = amount === null ? 'none' : flowOf(hint, words.name);
  return {
    signature,
    text: renamed,
    kind,
    isOwn: !motifKinds.has(kind),
    account:
      (flow === 'sent' ? pick(signature.params, 'address', PAYERS) : null) ??
      pick(signature.params, 'address', ACCOUNTS) ??
      otherAddress(signature.params, asset),
    asset,
    amount,
    flow,
    role: roleOf(entry, flow),
  };
}

/** The entry for the name of an event or call by which value goes one way. */
export function hintOf(words: SignatureWords, lexicon: readonly LexiconEntry[]): LexiconEntry | undefined {
  return lexicon.find(
    (entry) =>
      entry.sign === null && entry.flow !== 'exchanged' && entry.names.length > 0 && applies(entry, words),
  );
}

export function roleOf(entry: LexiconEntry | undefined, flow: Guess['flow']): string {
  if (entry && entry.leg !== 'in') return entry.leg;
  return flow === 'received' ? 'out' : 'in';
}

export function flowOf(entry: LexiconEntry | undefined, stems: ReadonlySet<string>): Guess['flow'] {
  if (entry?.flow === 'sent' || entry?.flow === 'received' || entry?.flow === 'none') return entry.flow;
  const has = (words: readonly string[]): boolean =>
    words.some((word) => [...stemsOf(word)].every((stem) => stems.has(stem)));
  if (has(OUTGOING)) return 'received';
  return has(INCOMING) ? 'sent' : 'unknown';
}

export function pick(params: readonly ParamSpec[], type: string, names: readonly string[]): string | null {
  for (const name of names) {
    const wanted = [...stemsOf(name)];
    const found = params.find((p) => p.type === type && wanted.every((stem) => stemsOf(p.name).has(stem)));
    if (found) return found.name;
  }
  return null;
}

const otherAddress = (params: readonly ParamSpec[], asset: string | null): string | null =>
  params.find(({ type, name }) => type === 'address' && name !== asset)?.name ?? null;

function amountOf(params: readonly ParamSpec[]): string | null {
  for (const type of ['uint256', 'uint128', 'uint96']) {
    const named = pick(params, type, AMOUNTS);
    if (named !== null) return named;
  }
  return (
    params.find(
      ({ type, name, indexed }) =>
        type === 'uint256' && !indexed && !NO_AMOUNTS.test(name) && !/fee/i.test(name),
    )?.name ?? null
  );
}

/** The text with parameters that have the name of a bind word renamed; names do not change the hash. */
export function withoutBindWords(text: string, kind: 'event' | 'call'): string {
  const words = Object.entries(BIND_WORDS).flatMap(([name, { in: place }]) =>
    place === kind || place === 'both' ? [name] : [],
  );
  return text
    .trim()
    .replace(/^event\s+/, '')
    .replace(/;$/, '')
    .replace(new RegExp(`(\\s)(${words.join('|')})(?=\\s*[,)])`, 'g'), '$1$2_');
}

/** `HarvestGathered` as `harvest_gathered`. */
function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 40);
}
