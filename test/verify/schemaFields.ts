import { readFileSync } from 'node:fs';

interface Schema {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const FILE = new URL('../../schemas/http/tx-report.schema.json', import.meta.url);

/**
 * Every field of the published report schema that holds a value of its own, as `/motifs/*\/kind`: list
 * positions and keys of maps are `*`.
 */
export function schemaFields(): Set<string> {
  const root = JSON.parse(readFileSync(FILE, 'utf8')) as Schema;
  const fields = new Set<string>();
  const walk = (schema: Schema, path: string, within: readonly string[]): void => {
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined) {
      if (!within.includes(name)) walk(root.$defs![name]!, path, [...within, name]);
      return;
    }
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(one, path, within);
    for (const [key, child] of Object.entries(schema.properties ?? {}))
      if (typeof child === 'object') walk(child, `${path}/${key}`, within);
    if (typeof schema.additionalProperties === 'object')
      walk(schema.additionalProperties, `${path}/*`, within);
    if (schema.items) walk(schema.items, `${path}/*`, within);
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
    const inner = types.some((type) => type === 'object' || type === 'array');
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (path !== '' && !inner && !alternatives) fields.add(path);
  };
  walk(root, '', []);
  return fields;
}

const STRINGS = [
  'x',
  '1',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xa9059cbb',
  `0x${'1'.repeat(64)}`,
  '$1.00',
];
const TEXTS = [...STRINGS, 'Code', 'eip155:1/slip44:60', '2024-01-01T00:00:00Z'];

/** A value that the schema allows, with the named field in it however deep. */
function sample(root: Schema, schema: Schema, rest: readonly string[]): unknown {
  if (schema.$ref) return sample(root, root.$defs![schema.$ref.split('/').at(-1)!]!, rest);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return sample(root, choices.find(({ type }) => type !== 'null') ?? choices[0]!, rest);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((value) => value !== null);
  const type = [schema.type ?? 'object'].flat().find((one) => one !== 'null');
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 0, 1);
  if (type === 'string') return TEXTS.find((text) => new RegExp(schema.pattern ?? '').test(text)) ?? 'x';
  const [next, ...below] = rest;
  if (type === 'array') return [sample(root, schema.items ?? {}, below)];
  const keys = new Set([...(schema.required ?? []), ...(next === undefined || next === '*' ? [] : [next])]);
  return Object.fromEntries(
    [...keys].map((key) => [key, sample(root, schema.properties![key] as Schema, key === next ? below : [])]),
  );
}

/** A copy of the report in which a field that it lacks is written; null where it has no place for it. */
export function withField(report: object, field: string): unknown {
  const root = JSON.parse(readFileSync(FILE, 'utf8')) as Schema;
  const copy = structuredClone(report) as Record<string, unknown>;
  const steps = field.slice(1).split('/');
  let node: Record<string, unknown> = copy;
  let schema: Schema = root;
  const resolve = (one: Schema): Schema => {
    if (one.$ref) return resolve(root.$defs![one.$ref.split('/').at(-1)!]!);
    const choices = one.anyOf ?? one.oneOf;
    return choices ? resolve(choices.find(({ type }) => type !== 'null')!) : one;
  };
  for (const [i, step] of steps.entries()) {
    schema = resolve(schema);
    const inList = Array.isArray(node);
    const below = inList ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties);
    const key = step === '*' ? (Object.keys(node)[0] ?? '0') : step;
    if (typeof below !== 'object') return null;
    const held = node[key];
    if (held === undefined || held === null || i === steps.length - 1) {
      if (held !== undefined && held !== null) return null;
      node[key] = sample(root, below, steps.slice(i + 1));
      return copy;
    }
    node = held as Record<string, unknown>;
    schema = below;
  }
  return null;
}
