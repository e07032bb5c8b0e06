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
}

/** Roles the engine itself gives motifs that it finds without a shape. */
const ENGINE_ROLES = ['owner', 'recipient', 'payer', 'caller'];
const ENGINE_LEGS = ['in', 'out', 'share_in', 'share_out', 'reward', 'fee'];

/** Words of the whole transaction, with those of an act. */
const OF_ALL: ReadonlyMap<string, string> = new Map([
  ['sent', 'gave'],
  ['received', 'got'],
]);

/** Words that only legs of one side fill. */
const SIDES: ReadonlyMap<string, string> = new Map([
  ['gave', 'sent'],
  ['got', 'received'],
]);

/** Placeholders of labels that no motif the rule rests on can ever fill. */
export function checkPlaceholders(
  shapes: readonly RuleItem<RawShape>[],
  intents: readonly RuleItem<RawIntent>[],
  { words, tables }: { words: Vocabulary; tables: readonly TableFile[] },
): void {
  const listed = tables.filter(({ folder }) => folder === 'signatures').map(({ text }) => text);
  const { byKind, callArguments } = fillersOf(
    shapes,
    new Set(intents.flatMap((i) => i.value.rests_on ?? [])),
  );
  for (const item of intents) {
    const { rests_on: kinds = [], label, label_fallback: fallback, status } = item.value;
    if (status === 'deprecated') continue;
    const labels = [
      ['label', label],
      ['label_fallback', fallback ?? ''],
    ] as const;
    // Composites take their roles and legs from other motifs.
    const isKnown = kinds.every((kind) => byKind.has(kind) && !words.motifKinds.get(kind)?.composite);
    const fill = (family: 'role' | 'leg' | 'arg'): Set<string> =>
      new Set(isKnown ? kinds.flatMap((kind) => [...byKind.get(kind)![family]]) : []);
    const can = { role: fill('role'), leg: fill('leg'), arg: new Set([...fill('arg'), ...callArguments]) };
    for (const [key, text] of labels)
      for (const word of placeholdersOf(text)) {
        const spot = new Spot(item, [key]);
        const ofActs = kinds.length === 0 ? undefined : OF_ALL.get(word);
        if (ofActs)
          spot.report(
            'amount_of_all',
            `{${word}} is of the whole transaction; of the acts that the rule rests on: {${ofActs}}`,
          );
        else if (item.file.layer > 0 && SIDES.has(word)) checkSide(spot, word, sidesOf(kinds, shapes, words));
        else if (isKnown && !isListed(word, listed)) checkOne(spot, word, can, kinds);
      }
  }
}

/** Whether the owners of these kinds sent or received what their legs say; empty for kinds without legs. */
function sidesOf(
  kinds: readonly string[],
  shapes: readonly RuleItem<RawShape>[],
  { legRoles }: Vocabulary,
): Set<string | undefined> {
  const meanings = shapes.flatMap(({ value }) => [...(value.events ?? []), ...(value.calls ?? [])]);
  const legs = meanings.flatMap((one) => (kinds.includes(one.kind) ? (one.legs ?? []) : []));
  return new Set(legs.map(({ role }) => legRoles.get(role)));
}

function checkSide(spot: Spot, word: string, sides: ReadonlySet<string | undefined>): void {
  if (sides.size > 0 && !sides.has(SIDES.get(word)))
    spot.report(
      'unfillable_placeholder',
      `{${word}}: no leg of what the rule rests on is ${SIDES.get(word)}`,
    );
}

function checkOne(
  spot: Spot,
  placeholder: string,
  can: Readonly<Record<'role' | 'leg' | 'arg', ReadonlySet<string>>>,
  kinds: readonly string[],
): void {
  const [family, word] = placeholder.split('.') as [string, string | undefined];
  if (word === undefined || !(family === 'role' || family === 'leg' || family === 'arg')) return;
  const names = family === 'arg' ? word.split('|') : [word];
  if (names.some((name) => can[family].has(name))) return;
  const what = { role: 'gives the role', leg: 'has a leg', arg: 'has an argument' }[family];
  const rest =
    kinds.length === 0 ? 'the rule rests on no motif' : `no shape of ${kinds.join(', ')} ${what} ${word}`;
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
): {
  readonly byKind: ReadonlyMap<string, Fillers>;
  readonly callArguments: ReadonlySet<string>;
} {
  const byKind = new Map<string, Fillers>();
  const callArguments = new Set<string>();
  const note = (meaning: RawMeaning, into: Fillers): void => {
    for (const role of Object.keys(meaning.roles ?? {})) into.role.add(role);
    for (const { role } of meaning.legs ?? []) into.leg.add(role);
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
      };
      byKind.set(meaning.kind, into);
      note(meaning, into);
    }
  return { byKind, callArguments };
}

function argumentsOf({ event, call, within }: RawMeaning): string[] {
  return [
    [event === undefined ? 'function' : 'event', event ?? call ?? ''],
    ['function', within ?? ''],
  ].flatMap(([kind, text]) => {
    const parsed = text === '' ? null : parseSignature(kind as 'event', text!);
    return parsed === null || isFault(parsed) ? [] : parsed.params.map(({ name }) => name);
  });
}
