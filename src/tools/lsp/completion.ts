import type { FactDeclaration } from '../../model/intent.ts';
import type { CompletionItem } from 'vscode-languageserver/node';
import { BIND_FUNCTIONS, BIND_WORDS } from '../../rules/compile/bindExpr.ts';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';
import { OPERATORS } from '../../rules/compile/operators.ts';
import { isFault, parseSignature } from '../../rules/compile/signature.ts';
import { LABEL_WORDS } from '../../lib/labelTemplate.ts';

/** Words that fit at the cursor, with their meaning. `text`: the file, for signatures around it. */
export function complete(cursor: Cursor, ruleset: Ruleset, text: string, line: number): CompletionItem[] {
  const { key, word } = cursor;
  if (word.startsWith('$')) return parameters(cursor, ruleset, text, line);
  const source = key === null ? undefined : BY_KEY[key];
  return source ? source(cursor, ruleset) : [];
}

/** Kinds of `CompletionItemKind`. */
const [VALUE, VARIABLE, FUNCTION] = [12, 6, 3] as const;

type Source = (cursor: Cursor, ruleset: Ruleset) => CompletionItem[];

const item = (label: string, documentation?: string): CompletionItem => ({
  label,
  kind: VALUE,
  ...(documentation ? { documentation } : {}),
});
const kindsOf: Source = (_, { words }) =>
  [...words.motifKinds.values()].map(({ kind, title }) => item(kind, title));
const intentsOf: Source = (_, { words }) =>
  [...words.intentKinds.values()].map(({ kind, category }) => item(kind, category));
const slugs =
  (list: 'shapes' | 'intents' | 'protocols'): Source =>
  (_, ruleset) =>
    ruleset[list].map(({ value }) => item(value.slug));

const BY_KEY: Readonly<Record<string, Source>> = {
  fact: (_, { facts }) => [...(facts?.values() ?? [])].map((fact) => item(fact.name, factText(fact))),
  is: operators,
  value: valuesOf,
  kind: kindsOf,
  fragment: intentsOf,
  rests_on: kindsOf,
  requires_any: kindsOf,
  intent: intentsOf,
  before: intentsOf,
  after: intentsOf,
  shapes: slugs('shapes'),
  supersedes: slugs('intents'),
  replaced_by: slugs('intents'),
  role: (_, { words }) =>
    [...words.legRoles].map(([role, side]) => item(role, `${side} by the counterparty`)),
  roles: (_, { words }) => [...words.accountRoles].map(([role, meaning]) => item(role, meaning)),
  label: () => Object.entries(LABEL_WORDS).map(([name, doc]) => item(`{${name}}`, doc)),
};

function factText({ type, values, doc }: FactDeclaration): string {
  return `${type}${values ? ` (${values.join(', ')})` : ''}: ${doc}`;
}

/** Operators that work on the fact beside; all of them where there is none yet. */
function operators({ beside }: Cursor, { facts }: Ruleset): CompletionItem[] {
  const fact = facts?.get(beside['fact'] ?? '');
  const fits = Object.entries(OPERATORS).filter(([, { types }]) => !fact || types.includes(fact.type));
  const short = fact?.type === 'boolean' ? ['true', 'false'] : [];
  return [...short.map((one) => item(one)), ...fits.map(([name]) => item(name))];
}

function valuesOf(cursor: Cursor, ruleset: Ruleset): CompletionItem[] {
  const fact = ruleset.facts?.get(cursor.beside['fact'] ?? '');
  if (!fact) return [];
  if (fact.values) return fact.values.map((value) => item(value));
  return fact.of === undefined ? [] : wordsOf(fact.of, cursor, ruleset);
}

function wordsOf(of: NonNullable<FactDeclaration['of']>, cursor: Cursor, ruleset: Ruleset): CompletionItem[] {
  if (of === 'motif_kind') return kindsOf(cursor, ruleset);
  if (of === 'protocol') return slugs('protocols')(cursor, ruleset);
  if (of === 'account_role') return BY_KEY['roles']!(cursor, ruleset);
  return tagsOf(of, ruleset).map((tag) => item(tag));
}

function tagsOf(of: string, { entities, shapes }: Ruleset): string[] {
  const tokens = entities.flatMap(({ value }) => value.tokens ?? []);
  const accounts = entities.flatMap(({ value }) => value.accounts ?? []);
  const mappings = shapes.flatMap(({ value }) => [...(value.events ?? []), ...(value.calls ?? [])]);
  const lists: Readonly<Record<string, readonly string[]>> = {
    token_symbol: ['ETH', ...tokens.map(({ symbol }) => symbol)],
    asset_class: [
      'native',
      'wrapped_native',
      'nft',
      'lp',
      'share',
      ...tokens.flatMap(({ classes = [] }) => classes),
    ],
    entity_tag: accounts.flatMap(({ tags = [] }) => tags),
    motif_tag: mappings.flatMap(({ tags = [] }) => tags),
  };
  return [...new Set(lists[of] ?? [])].sort();
}

/**
 * `$` words: named lists in intents; parameters of the signature above, bind words and functions in
 * shapes.
 */
function parameters(_: Cursor, { lists }: Ruleset, text: string, line: number): CompletionItem[] {
  const signature = signatureAbove(text.split('\n'), line);
  if (signature === null) return [...lists].map(([name, words]) => item(`$${name}`, words.join(', ')));
  const parsed = parseSignature(signature.kind, signature.text);
  const params = isFault(parsed) ? [] : parsed.params;
  const place = signature.kind === 'event' ? 'call' : 'event';
  return [
    ...params.map(
      ({ name, type }) => ({ label: `$${name}`, kind: VARIABLE, documentation: type }) as CompletionItem,
    ),
    ...Object.entries(BIND_WORDS)
      .filter(([, { in: only }]) => only !== place)
      .map(
        ([name, { doc }]) => ({ label: `$${name}`, kind: VARIABLE, documentation: doc }) as CompletionItem,
      ),
    ...BIND_FUNCTIONS.map((name) => ({ label: `${name}($`, kind: FUNCTION }) as CompletionItem),
  ];
}

/** The event or call that a line of a shape belongs to. */
function signatureAbove(
  lines: readonly string[],
  from: number,
): { readonly kind: 'event' | 'function'; readonly text: string } | null {
  for (let i = from; i >= 0; i--) {
    const found = /(?:^\s*-\s+\{?|^\s+-\s+|\{)(?:(event|call):\s*)?"(.*?)"/.exec(lines[i]!);
    if (found && /\(.*\)/.test(found[2]!))
      return { kind: isCall(lines, i, found[1]) ? 'function' : 'event', text: found[2]! };
    if (/^(?:events|calls|examples):/.test(lines[i]!)) return null;
  }
  return null;
}

function isCall(lines: readonly string[], at: number, key: string | undefined): boolean {
  if (key !== undefined) return key === 'call';
  for (let i = at; i >= 0; i--)
    if (/^(?:events|calls):/.test(lines[i]!)) return lines[i]!.startsWith('calls');
  return false;
}

/** Meaning of the word under the cursor; null for an unknown word. */
export function explainWord(word: string, { facts, words, shapes }: Ruleset): string | null {
  const fact = facts?.get(word);
  if (fact) return `**${fact.name}**: ${factText(fact)}`;
  const kind = words.motifKinds.get(word);
  if (kind) return `**${word}** (motif kind): ${kind.title}`;
  const intent = words.intentKinds.get(word);
  if (intent) return `**${word}** (intent): ${intent.category}, rank ${intent.rank + 1}`;
  const role = words.accountRoles.get(word) ?? words.legRoles.get(word);
  if (role) return `**${word}** (role): ${role}`;
  const isShape = shapes.some(({ value }) => value.slug === word);
  return explainLanguage(word) ?? (isShape ? `**${word}** (shape)` : null);
}

/** An operator or a bind word: the rule language itself. */
function explainLanguage(word: string): string | null {
  if (Object.hasOwn(OPERATORS, word)) return `**${word}** works on ${OPERATORS[word]!.types.join(', ')}`;
  const [, bind] = /^\$(.+)/.exec(word) ?? [];
  return bind && Object.hasOwn(BIND_WORDS, bind) ? `**${word}**: ${BIND_WORDS[bind]!.doc}` : null;
}

/** The cursor's place in a rule file, from the text before it: half-written YAML has no tree. */
interface Cursor {
  /** Key of the value being written; null for a key. */
  readonly key: string | null;
  /** The word so far, back to a space, bracket, comma or quote. */
  readonly word: string;
  /** Values of the keys in the same braces, such as `fact` beside `is`. */
  readonly beside: Readonly<Record<string, string>>;
}

const PAIR = /([A-Za-z_][\w.]*):\s*("[^"]*"|[^,{}[\]]*)/g;
const WORD = /[\w.$-]*$/;

/** Reads the place of a position; `offset` counts characters of the text. */
export function cursorAt(text: string, offset: number): Cursor {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(lineStart, offset);
  const lineEnd = text.indexOf('\n', offset);
  const whole = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
  const word = WORD.exec(line)![0];
  const before = line.slice(0, line.length - word.length);
  const inner = innermost(before);
  const pair = /([A-Za-z_][\w.]*):\s*"?$/.exec(inner.isList ? inner.before : before.slice(inner.from));
  const item = /^\s*-\s+"?$/.test(before);
  const pairs = [...bracesAround(whole, offset - lineStart).matchAll(PAIR)];
  return {
    key: pair?.[1] ?? (item ? keyAbove(text.slice(0, lineStart), whole.search(/\S|$/)) : null),
    word,
    beside: Object.fromEntries(pairs.map(([, key, value]) => [key!, value!.trim().replace(/^"|"$/g, '')])),
  };
}

/** The bracket open at the end of a text: the text before it, and the start of its content. */
function innermost(text: string): {
  readonly isList: boolean;
  readonly before: string;
  readonly from: number;
} {
  const open: number[] = [];
  for (const [i, char] of [...text].entries()) {
    if (char === '{' || char === '[') open.push(i);
    if (char === '}' || char === ']') open.pop();
  }
  const at = open.at(-1);
  if (at === undefined) return { isList: false, before: text, from: 0 };
  return { isList: text[at] === '[', before: text.slice(0, at), from: at + 1 };
}

/** The text in the braces around a position, else the line. */
function bracesAround(line: string, at: number): string {
  const from = line.lastIndexOf('{', at - 1);
  const to = line.indexOf('}', at);
  return from < 0 ? line : line.slice(from + 1, to < 0 ? line.length : to);
}

/** The key of the nearest line above with less indentation. */
function keyAbove(text: string, indent: number): string | null {
  for (const line of text.split('\n').reverse()) {
    const [, space, key] = /^(\s*)(?:-\s+)?([A-Za-z_][\w]*):/.exec(line) ?? [];
    if (key !== undefined && space!.length < indent) return key;
  }
  return null;
}
