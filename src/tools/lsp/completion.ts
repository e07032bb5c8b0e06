import type { FactDeclaration } from '../../model/intent.ts';
import type { CompletionItem } from 'vscode-languageserver/node';
import { isMap, isPair, isScalar, isSeq, parseDocument, visit, type YAMLMap } from 'yaml';
import { BIND_FUNCTIONS, BIND_WORDS } from '../../rules/compile/bindExpr.ts';
import type { Ruleset } from '../../rules/compile/loadRulebook.ts';
import { OPERATORS } from '../../rules/compile/operators.ts';
import { isFault, parseSignature } from '../../rules/compile/signature.ts';
import { knownWords } from '../../rules/lint/checkWords.ts';
import { LABEL_WORDS } from '../../lib/labelTemplate.ts';

/** Words that fit at the cursor, with their meaning. */
export function complete(cursor: Cursor, ruleset: Ruleset): CompletionItem[] {
  const { key, word } = cursor;
  if (word.startsWith('$')) return parameters(cursor, ruleset);
  const source = key === null ? undefined : BY_KEY[key];
  return source ? source(cursor, ruleset) : [];
}

/** Kinds of `CompletionItemKind`. */
const [VALUE, VARIABLE, FUNCTION] = [12, 6, 3] as const;

type Source = (cursor: Cursor, ruleset: Ruleset) => CompletionItem[];

const item = (label: string, documentation?: string, kind: 3 | 6 | 12 = VALUE): CompletionItem => ({
  label,
  kind,
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
  const { values, of } = ruleset.facts?.get(cursor.beside['fact'] ?? '') ?? {};
  if (values) return values.map((value) => item(value));
  if (of === undefined) return [];
  if (of === 'motif_kind') return kindsOf(cursor, ruleset);
  if (of === 'protocol') return slugs('protocols')(cursor, ruleset);
  if (of === 'account_role') return BY_KEY['roles']!(cursor, ruleset);
  return [...knownWords(ruleset)[of]].sort().map((word) => item(word));
}

/** `$` words: named lists in intents; parameters of the signature, bind words and functions in shapes. */
function parameters({ signature }: Cursor, { lists }: Ruleset): CompletionItem[] {
  if (signature === null) return [...lists].map(([name, words]) => item(`$${name}`, words.join(', ')));
  const parsed = parseSignature(signature.kind, signature.text);
  const params = isFault(parsed) ? [] : parsed.params;
  const place = signature.kind === 'event' ? 'call' : 'event';
  return [
    ...params.map(({ name, type }) => item(`$${name}`, type, VARIABLE)),
    ...Object.entries(BIND_WORDS)
      .filter(([, { in: only }]) => only !== place)
      .map(([name, { doc }]) => item(`$${name}`, doc, VARIABLE)),
    ...BIND_FUNCTIONS.map((name) => item(`${name}($`, undefined, FUNCTION)),
  ];
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

/** The cursor's place in a rule file. */
interface Cursor {
  /** Key of the value being written; null for a key. */
  readonly key: string | null;
  /** The word so far, back to a space, bracket, comma or quote. */
  readonly word: string;
  /** Texts of the same map, such as `fact` beside `is`. */
  readonly beside: Readonly<Record<string, string>>;
  /** The event or call of a shape around it. */
  readonly signature: { readonly kind: 'event' | 'function'; readonly text: string } | null;
}

/** Written at the cursor before parsing: half-written YAML has no node there. */
const MARK = 'cursor-of-the-editor';

/** Reads the place of a position; `offset` counts characters of the text. */
export function cursorAt(text: string, offset: number): Cursor {
  const before = text.slice(0, offset);
  const word = /[\w.$-]*$/.exec(before.slice(before.lastIndexOf('\n') + 1))![0];
  let cursor: Cursor = { key: null, word, beside: {}, signature: null };
  // Lines below may be swallowed by a bracket that is still open.
  const [rest] = text.slice(offset).split('\n', 1);
  visit(parseDocument(`${before.replace(/:$/, ': ')}${MARK}${rest}\n`, { schema: 'failsafe' }), {
    Scalar(role, { value }, path) {
      if (!String(value).includes(MARK)) return undefined;
      const maps = path.filter(isMap).map(textsOf).reverse();
      const pair = path.filter(isPair).at(-1);
      const { event, call } = maps.find((map) => map['event'] ?? map['call']) ?? {};
      const signed = { kind: event ? 'event' : 'function', text: event ?? call } as Cursor['signature'];
      cursor = {
        key: role === 'key' || !pair ? null : String(pair.key),
        word,
        beside: maps[0] ?? {},
        signature: (event ?? call) ? signed : null,
      };
      return visit.BREAK;
    },
  });
  return cursor;
}

/** The scalars of a mapping; of a list, its first. */
const textsOf = ({ items }: YAMLMap): Record<string, string> =>
  Object.fromEntries(
    items.flatMap(({ key, value }) => {
      const text = isSeq(value) ? value.items[0] : value;
      return isScalar(text) ? [[String(key), String(text.value)]] : [];
    }),
  );
