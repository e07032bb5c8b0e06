import { parseLabel } from '../../lib/labelTemplate.ts';
import type { Vocabulary } from '../compile/compileVocabulary.ts';
import { hintFor } from '../compile/didYouMean.ts';
import { Spot, meaningsOf, type RuleItem } from '../compile/ruleItem.ts';
import { isFault, parseSignature } from '../compile/signature.ts';
import type { TableFile } from '../read/readRuleFiles.ts';
import type { RawIntent, RawMeaning, RawShape } from '../../model/generated/rules.ts';

/** Placeholders that motifs of one kind can fill: `role.owner`, `leg.in`, `arg.amount`, `side.sent`. */
type Fillers = ReadonlySet<string>;

/** Roles of accounts and legs that the engine itself gives motifs which it finds without a shape. */
const ENGINE_FILLERS = [
  ...['owner', 'recipient', 'payer', 'caller'].map((role) => `role.${role}`),
  ...['in', 'out', 'share_in', 'share_out', 'reward', 'fee'].map((leg) => `leg.${leg}`),
];

/** Words of the whole transaction, with those of an act; and the side of the legs behind a word of an act. */
const OF_ALL: Readonly<Record<string, string>> = { sent: 'gave', received: 'got' };
const SIDES: Readonly<Record<string, string>> = { gave: 'sent', got: 'received' };

/** Placeholders of labels that no motif the rule rests on can ever fill. */
export function checkPlaceholders(
  shapes: readonly RuleItem<RawShape>[],
  intents: readonly RuleItem<RawIntent>[],
  { words, tables }: { words: Vocabulary; tables: readonly TableFile[] },
): void {
  const listed = tables.filter(({ folder }) => folder === 'signatures').map(({ text }) => text);
  const used = new Set(intents.flatMap((item) => item.value.rests_on ?? []));
  const fillers = fillersOf(shapes, used, words);
  for (const item of intents.filter(({ value }) => value.status !== 'deprecated')) {
    const { rests_on: kinds = [] } = item.value;
    const can = fillable(item.value, fillers, words);
    for (const key of ['label', 'label_fallback'] as const)
      for (const word of placeholdersOf(item.value[key] ?? '')) {
        const spot = new Spot(item, [key]);
        const ofActs = kinds.length === 0 ? undefined : OF_ALL[word];
        if (ofActs)
          spot.report(
            'amount_of_all',
            `{${word}} is of the whole transaction; of the acts that the rule rests on: {${ofActs}}`,
          );
        else if (can && !isListed(word, listed)) checkOne(spot, word, can, kinds);
      }
  }
}

/** Placeholders that the kinds a rule rests on can fill; null where one of them is a composite. */
function fillable(
  { rests_on: kinds = [] }: RawIntent,
  { byKind, callArguments }: ReturnType<typeof fillersOf>,
  words: Vocabulary,
): Fillers | null {
  const all = kinds.map((kind) => (words.motifKinds.get(kind)?.composite ? undefined : byKind.get(kind)));
  return all.includes(undefined) ? null : new Set([...all.flatMap((one) => [...one!]), ...callArguments]);
}

const GIVES: Readonly<Record<string, string>> = {
  role: 'gives the role',
  leg: 'has a leg',
  arg: 'has an argument',
  side: 'has a leg that is',
};

function checkOne(spot: Spot, placeholder: string, can: Fillers, kinds: readonly string[]): void {
  const namesIn = (family: string): string[] =>
    [...can].filter((one) => one.startsWith(`${family}.`)).map((one) => one.slice(family.length + 1));
  // The engine gives kinds of the rules below legs of its own.
  const side = spot.item.file.layer > 0 && namesIn('side').length > 0 ? SIDES[placeholder] : undefined;
  const [family = '', word] = side === undefined ? placeholder.split('.') : ['side', side];
  if (word === undefined || !Object.hasOwn(GIVES, family)) return;
  const names = family === 'arg' ? word.split('|') : [word];
  if (names.some((name) => can.has(`${family}.${name}`))) return;
  const rest =
    kinds.length === 0
      ? 'the rule rests on no motif'
      : `no shape of ${kinds.join(', ')} ${GIVES[family]} ${word}`;
  spot.report('unfillable_placeholder', `{${placeholder}}: ${rest}${hintFor(names[0]!, namesIn(family))}`);
}

/** An argument that a function of the signature tables has: labels read calls with these. */
function isListed(placeholder: string, tables: readonly string[]): boolean {
  const [family, names = ''] = placeholder.split('.');
  return (
    family === 'arg' &&
    names.split('|').some((name) => tables.some((text) => new RegExp(` ${name}[,)]`).test(text)))
  );
}

function placeholdersOf(label: string): string[] {
  const parts = (parseLabel(label) ?? []).flatMap((part) => ('optional' in part ? part.optional : [part]));
  return parts.flatMap((part) => ('placeholder' in part ? [part.placeholder] : []));
}

/** Placeholders that events and calls fill in motifs of these kinds, and the arguments of every call. */
function fillersOf(shapes: readonly RuleItem<RawShape>[], kinds: ReadonlySet<string>, words: Vocabulary) {
  const byKind = new Map<string, Set<string>>();
  const callArguments = new Set<string>();
  for (const [meaning] of shapes.flatMap((item) => meaningsOf(item))) {
    if (meaning.call === undefined && !kinds.has(meaning.kind)) continue;
    const into = byKind.get(meaning.kind) ?? new Set(ENGINE_FILLERS);
    byKind.set(meaning.kind, into);
    const args = argumentsOf(meaning).map((name) => `arg.${name}`);
    for (const one of [...partsOf(meaning, words), ...args]) into.add(one);
    if (meaning.call !== undefined) for (const one of args) callArguments.add(one);
  }
  return { byKind, callArguments };
}

function partsOf({ roles = {}, legs = [] }: RawMeaning, { legRoles }: Vocabulary): string[] {
  const sides = legs.flatMap(({ role }) => [`leg.${role}`, `side.${legRoles.get(role) ?? ''}`]);
  return [...Object.keys(roles).map((role) => `role.${role}`), ...sides];
}

function argumentsOf({ event, call, within }: RawMeaning): string[] {
  const own = event === undefined ? parseSignature('call', call!) : parseSignature('event', event);
  const around = within === undefined ? [] : [parseSignature('function', within)];
  return [own, ...around].flatMap((one) => (isFault(one) ? [] : one.params.map(({ name }) => name)));
}
