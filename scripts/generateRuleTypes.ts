import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HEADER = `/* Generated from schemas/rules/*.schema.json by scripts/generateRuleTypes.ts. Do not edit: change the schema and run it again. */
/** Content of rule files after validation and expansion. Names are those of the YAML keys. */
`;

/** Types by name: where each is described. Several places: the keys of all of them, optional where one has it not. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  RawShape: ['shape#/definitions/item'],
  RawMeaning: ['shape#/definitions/event', 'shape#/definitions/call'],
  RawLeg: ['shape#/definitions/leg'],
  RawShapeExample: ['common#/definitions/shapeExample'],
  RawExamples: ['example#'],
  RawProtocol: ['protocol#/definitions/item'],
  RawCondition: ['intent#/definitions/condition'],
  ExampleValue: ['common#/definitions/exampleValue'],
  RawExampleStep: ['common#/definitions/exampleTransaction/properties/steps/items'],
  RawExampleTransaction: ['common#/definitions/exampleTransaction'],
  RawExpectation: ['common#/definitions/exampleExpectation'],
  RawExpectedMotif: ['common#/definitions/exampleExpectation/properties/motifs/items'],
  RawExample: ['intent#/definitions/example'],
  RawIntent: ['intent#/definitions/item'],
  RawFindingExample: ['finding#/definitions/example'],
  RawFinding: ['finding#/definitions/item'],
  RawMotifKind: ['vocabulary#/properties/motifs/additionalProperties'],
  RawVocabulary: ['vocabulary#'],
  RawPrecedence: ['precedence#'],
  RawLexiconEntry: ['lexicon#/items'],
  RawEntityFile: ['entity#/definitions/item'],
  RawRate: ['entity#/definitions/item/properties/rates/items'],
  RawProof: ['entity#/definitions/item/properties/rates/items/properties/proof'],
  RawTerm: ['entity#/definitions/item/properties/rates/items/properties/terms/items'],
  RawPosition: ['entity#/definitions/item/properties/positions/items'],
  RawPriceApi: ['entity#/definitions/item/properties/price_apis/items'],
  RawLedgerTags: ['ledger#/definitions/tags'],
  RawLedgerFormat: ['ledger#'],
};
/** One member for each `oneOf`; other objects take all their keys together. */
const UNIONS = new Set(['RawCondition', 'RawExampleStep']);
/** What the loader leaves of a value or a list of values. */
const EXPANDED = new Set([
  'shape#/definitions/event/properties/event',
  'shape#/definitions/call/properties/call',
]);
/** What the loader takes apart: each variant becomes an entry, with a kind. */
const SPLIT = 'variants';
const NAMES = new Map(Object.entries(TYPES).flatMap(([name, places]) => places.map((at) => [at, name])));

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly { readonly required: readonly string[]; readonly not?: Schema }[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

const files = new Map<string, Schema>();
function resolve(at: string): Schema {
  const [file = '', path = ''] = at.split('#');
  let schema = files.get(file);
  if (schema === undefined) {
    schema = JSON.parse(readFileSync(`${ROOT}schemas/rules/${file}.schema.json`, 'utf8')) as Schema;
    files.set(file, schema);
  }
  const parts = path.split('/').slice(1);
  return parts.reduce((node, part) => (node as Record<string, Schema>)[part]!, schema);
}

/** TypeScript of the schema at a place: its name where it has one. */
function typeOf(at: string, schema = resolve(at)): string {
  return NAMES.get(at) ?? written(at, schema);
}

function written(at: string, schema: Schema): string {
  if (schema.$ref !== undefined) {
    return typeOf(placeOf(at, schema.$ref));
  }
  if (schema.allOf && !schema.properties) return typeOf(`${at}/allOf/0`);
  if (schema.if && !schema.properties) {
    const single = typeOf(`${at}/else`);
    return EXPANDED.has(at) ? single : `${single} | ${typeOf(`${at}/then`)}`;
  }
  if (schema.enum) return schema.enum.map((value) => `'${String(value)}'`).join(' | ');
  if (schema.anyOf && !schema.properties) {
    if (schema.anyOf.some(({ pattern }) => pattern !== undefined)) return 'string';
    return schema.anyOf.map((_, i) => typeOf(`${at}/anyOf/${i}`)).join(' | ');
  }
  if (schema.properties) return objectType(at, schema);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.map((type) => simpleType(type, at, schema)).join(' | ') || 'unknown';
}

/** The place that a reference in the schema at another leads to. */
function placeOf(at: string, ref: string): string {
  const [file, path] = ref.split('#') as [string, string];
  return `${file.split('.')[0] || at.split('#')[0]!}#${path}`;
}

function simpleType(type: string, at: string, schema: Schema): string {
  if (type === 'string') return schema.pattern === '^0x[0-9a-f]{64}$' ? '`0x${string}`' : 'string';
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const item = schema.items ? typeOf(`${at}/items`) : 'unknown';
    return item.includes(' ') ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  if (type !== 'object') return type;
  const value =
    typeof schema.additionalProperties === 'object' ? typeOf(`${at}/additionalProperties`) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

function objectType(at: string, schema: Schema, optional: (key: string) => boolean = () => false): string {
  const keys = Object.keys(schema.properties!).filter((key) => key !== SPLIT);
  if (!schema.oneOf || !UNIONS.has(NAMES.get(at) ?? '')) {
    const split = SPLIT in schema.properties! ? ['kind'] : [];
    const required = new Set([...split, ...(schema.required ?? [])].filter((key) => !optional(key)));
    return `{\n${keys.map((key) => property(at, key, required)).join('')}}`;
  }
  const members = schema.oneOf.map(({ required, not }, own) => {
    const others = schema.oneOf!.filter((_, i) => i !== own).map((other) => other.required[0]!);
    const left = new Set([...others, ...(not?.anyOf ?? []).flatMap((one) => one.required ?? [])]);
    const needs = (key: string): string[] => [schema.dependencies?.[key] ?? []].flat() as string[];
    const fits = keys.filter((key) => !left.has(key) && !needs(key).some((other) => left.has(other)));
    const needed = new Set(required.flatMap((key) => [key, ...needs(key)]));
    return `{\n${fits.map((key) => property(at, key, needed)).join('')}}`;
  });
  return members.join(' | ');
}

function property(at: string, key: string, required: ReadonlySet<string>): string {
  const place = `${at}/properties/${key}`;
  const { description, $ref } = resolve(place);
  const comment = description === undefined ? '' : `/** ${description} */\n`;
  return `${comment}readonly ${key}${required.has(key) || ($ref && hasDefault(at, $ref)) ? '' : '?'}: ${typeOf(place)};\n`;
}

/** The loader gives such a key its value. */
const hasDefault = (at: string, ref: string): boolean => resolve(placeOf(at, ref)).default !== undefined;

/** Members of several objects in one: a key that one of them lacks is optional. */
function merged(places: readonly string[]): string {
  const [first, ...rest] = places.map((at) => ({ at, schema: resolve(at) }));
  const lacks = (key: string): boolean => rest.some(({ schema }) => schema.properties?.[key] === undefined);
  const more = rest.map(({ at, schema }) => {
    const own = Object.keys(schema.properties!).filter((key) => !(key in first!.schema.properties!));
    return own.map((key) => property(at, key, new Set())).join('');
  });
  return objectType(first!.at, first!.schema, lacks).replace(/\}$/, `${more.join('')}}`);
}

/** TypeScript source of the rule files' content. */
export function generateRuleTypes(): string {
  const types = Object.entries(TYPES).map(([name, places]) => {
    const text = places.length > 1 ? merged(places) : written(places[0]!, resolve(places[0]!));
    const isObject = text.startsWith('{') && !UNIONS.has(name);
    return isObject ? `export interface ${name} ${text}\n` : `export type ${name} = ${text};\n`;
  });
  const head = `export type RawHead = Pick<RawShape, 'slug' | 'version' | 'status' | 'replaced_by' | 'override' | 'references'>;\n`;
  return (HEADER + indented(types.join('')) + head).split('\n').flatMap(narrowed).join('\n');
}

function indented(text: string): string {
  let depth = 0;
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('}')) depth -= 1;
    const at = '  '.repeat(depth);
    if (/(?<!\/\*\*.*)\{$/.test(line)) depth += 1;
    return line === '' ? '' : at + line;
  });
  return lines.join('\n');
}

const WIDTH = 110;

/** A line within the width: comments broken between words, unions before a member. */
function narrowed(line: string): string[] {
  if (line.length <= WIDTH) return [line];
  const at = /^ */.exec(line)![0];
  const comment = /^(\/\*+) (.*) \*\/$/.exec(line.trim());
  if (!comment) return filled(line.trim().split(/ (?=\| )/), at, `${at}    `);
  const words = comment[2]!.split(' ');
  return [`${at}${comment[1]}`, ...filled(words, `${at} * `, `${at} * `), `${at} */`];
}

/** Parts in as few lines as hold them. */
function filled(parts: readonly string[], first: string, further: string): string[] {
  const lines: string[] = [];
  let open = first;
  for (const [i, part] of parts.entries()) {
    const isFirst = i === 0 || open === further;
    if (!isFirst && open.length + 1 + part.length > WIDTH) {
      lines.push(open);
      open = further + part;
    } else open += isFirst ? part : ` ${part}`;
  }
  return [...lines, open];
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${ROOT}src/model/generated/rules.ts`, generateRuleTypes());
