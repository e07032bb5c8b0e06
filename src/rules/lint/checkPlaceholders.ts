import { parseLabel } from '../../lib/labelTemplate.ts';
import type { Vocabulary } from '../compile/compileVocabulary.ts';
import { hintFor } from '../compile/didYouMean.ts';
import { Spot, type RuleItem } from '../compile/ruleItem.ts';
import { isFault, parseSignature } from '../compile/signature.ts';
import type { TableFile } from '../read/readRuleFiles.ts';
import type { RawIntent, RawMeaning, RawShape } from '../../model/generated/rules.ts';

/** Values that the shapes' motifs of one kind can have. */
interface Fillers {
  readonly role: Set<string>;
  readonly leg: Set<string>;
  readonly arg: Set<string>;
  /** Whether legs are sent or received. */
  readonly side: Set<string>;
}

/** Roles the engine itself gives motifs that it finds without a shape. */
const ENGINE_ROLES = ['owner', 'recipient', 'payer', 'caller'];
const ENGINE_LEGS = ['in', 'out', 'share_in', 'share_out', 'reward', 'fee'];

/** Words of the whole transaction, with those of an act. */
const OF_ALL: ReadonlyMap<string, string> = new Map([
  ['sent', 'gave'],
  ['received', 'got'],
]);

/** The side whose legs fill a word of an act. */
const SIDES = new Map([...OF_ALL].map(([side, word]) => [word, side] as const));

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
    const can = fillable(item, fillers, words);
    for (const key of ['label', 'label_fallback'] as const)
      for (const word of placeholdersOf(item.value[key] ?? '')) {
        const spot = new Spot(item, [key]);
        const ofActs = kinds.length === 0 ? undefined : OF_ALL.get(word);
        if (ofActs)
          spot.report(
            'amount_of_all',
            `{${word}} is of the whole transaction; of the acts that the rule rests on: {${ofActs}}`,
          );
        else if (can && !isListed(word, listed)) checkOne(spot, word, can, kinds);
      }
  }
}

/** Roles, legs and arguments of the kinds that a rule rests on; null where one of them is a composite. */
function fillable(
  { value: { rests_on: kinds = [] }, file }: RuleItem<RawIntent>,
  { byKind, callArguments }: ReturnType<typeof fillersOf>,
  words: Vocabulary,
): Fillers | null {
  const all = kinds.map((kind) => (words.motifKinds.get(kind)?.composite ? undefined : byKind.get(kind)));
  if (all.includes(undefined)) return null;
  const fill = (family: keyof Fillers): Set<string> => new Set(all.flatMap((one) => [...one![family]]));
  // The engine gives kinds of the rules below legs of its own.
  const side = file.layer > 0 ? fill('side') : new Set<string>();
  return { role: fill('role'), leg: fill('leg'), arg: new Set([...fill('arg'), ...callArguments]), side };
}

const GIVES = { role: 'gives the role', leg: 'has a leg', arg: 'has an argument', side: 'has a leg that is' };

function checkOne(spot: Spot, placeholder: string, can: Fillers, kinds: readonly string[]): void {
  const side = SIDES.get(placeholder);
  const [family, word] = (side && can.side.size > 0 ? ['side', side] : placeholder.split('.')) as [
    keyof Fillers,
    string | undefined,
  ];
  if (word === undefined || !Object.hasOwn(GIVES, family)) return;
  const names = family === 'arg' ? word.split('|') : [word];
  if (names.some((name) => can[family].has(name))) return;
  const rest =
    kinds.length === 0
      ? 'the rule rests on no motif'
      : `no shape of ${kinds.join(', ')} ${GIVES[family]} ${word}`;
  spot.report('unfillable_placeholder', `{${placeholder}}: ${rest}${hintFor(names[0]!, can[family])}`);
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

/** What events and calls give motifs of these kinds, and the arguments of every call. */
function fillersOf(
  shapes: readonly RuleItem<RawShape>[],
  kinds: ReadonlySet<string>,
  { legRoles }: Vocabulary,
): {
  readonly byKind: ReadonlyMap<string, Fillers>;
  readonly callArguments: ReadonlySet<string>;
} {
  const byKind = new Map<string, Fillers>();
  const callArguments = new Set<string>();
  const note = (meaning: RawMeaning, into: Fillers): void => {
    for (const role of Object.keys(meaning.roles ?? {})) into.role.add(role);
    for (const { role } of meaning.legs ?? []) {
      into.leg.add(role);
      into.side.add(legRoles.get(role) ?? '');
    }
    for (const name of argumentsOf(meaning)) {
      into.arg.add(name);
      if (meaning.call !== undefined) callArguments.add(name);
    }
  };
  for (const { value } of shapes)
    for (const meaning of [...(value.events ?? []), ...(value.calls ?? [])]) {
      if (meaning.call === undefined && !kinds.has(meaning.kind)) continue;
      const into = byKind.get(meaning.kind) ?? {
        role: new Set(ENGINE_ROLES),
        leg: new Set(ENGINE_LEGS),
        arg: new Set(),
        side: new Set(),
      };
      byKind.set(meaning.kind, into);
      note(meaning, into);
    }
  return { byKind, callArguments };
}

function argumentsOf({ event, call, within }: RawMeaning): string[] {
  const own = event === undefined ? parseSignature('function', call!) : parseSignature('event', event);
  const around = within === undefined ? [] : [parseSignature('function', within)];
  return [own, ...around].flatMap((one) => (isFault(one) ? [] : one.params.map(({ name }) => name)));
}
