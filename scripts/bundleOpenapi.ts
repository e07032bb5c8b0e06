/**
 * Writes `schemas/openapi.json`: the OpenAPI document in one file, for client generators that read no other files.
 * usage: npx tsx scripts/bundleOpenapi.ts [--check]   (`--check` only compares)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

const FOLDER = new URL('../schemas/', import.meta.url);
const OUT = new URL('openapi.json', FOLDER);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };

/** Component names of the schema files. */
const FILES: Readonly<Record<string, string>> = {
  'http/tx-report.schema.json': 'TxReport',
  'http/analyze-request.schema.json': 'AnalyzeRequest',
  'http/error.schema.json': 'ErrorBody',
};

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value with references to files and `$defs` turned into references to components. */
function rewritten(value: Json): Json {
  if (Array.isArray(value)) return value.map(rewritten);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
    if (key !== '$ref' || typeof inner !== 'string') return [key, rewritten(inner)];
    const [file, pointer = ''] = inner.split('#') as [string, string?];
    const name = pointer.startsWith('/$defs/') ? pointer.slice(7) : (FILES[file] ?? null);
    return [
      key,
      name === null || pointer.startsWith('/components/') ? inner : `#/components/schemas/${name}`,
    ];
  });
  return Object.fromEntries(entries);
}

/**
 * Without the words that generators cannot read: `if`, and names by pattern. Money becomes one of two: with
 * an amount, or with a reason for its absence.
 */
function forGenerators(name: string, schema: Fields): readonly (readonly [name: string, schema: Fields])[] {
  const { if: condition, then: ifSo, else: ifNot, properties, ...rest } = schema;
  if (!isFields(condition) || !isFields(properties)) return [[name, schema]];
  if (!('available' in properties)) return [[name, { ...rest, properties }]];
  const variant = (available: boolean, narrowed: Json | undefined): readonly [string, Fields] => {
    const { properties: changes = {}, required = [] } = narrowed as Fields;
    const { examples: _, ...base } = rest;
    const fields: Fields = { ...properties, available: { type: 'boolean', const: available } };
    for (const [key, change] of Object.entries(changes as Fields)) {
      if (change === false) delete fields[key];
      // Of a dash alone openapi-generator makes an enumeration without a name.
      else if (isFields(change) && change['const'] === undefined)
        fields[key] = { ...(fields[key] as Fields), ...change };
    }
    const all = [...(base['required'] as Json[]), ...(required as Json[])];
    return [
      `${available ? '' : 'Un'}available${name}`.replace(/^a/, 'A'),
      { ...base, required: all, properties: fields },
    ];
  };
  const variants = [variant(true, ifSo), variant(false, ifNot)];
  const oneOf = variants.map(([inner]) => ({ $ref: `#/components/schemas/${inner}` }));
  const { description = '' } = rest;
  return [[name, { description, oneOf }], ...variants];
}

/** Objects keyed by a pattern as maps, and no defaults: generators make such properties required. */
function asMaps(value: Json): Json {
  if (Array.isArray(value)) return value.map(asMaps);
  if (!isFields(value)) return value;
  const { patternProperties: patterns, default: _, ...rest } = value;
  const [of] = isFields(patterns) ? Object.values(patterns) : [];
  const entries = Object.entries(rest).map(([key, inner]) => [key, asMaps(inner)]);
  return {
    ...(Object.fromEntries(entries) as Fields),
    ...(of !== undefined && { additionalProperties: of }),
  };
}

function componentsOf(): Fields {
  const schemas: Fields = {};
  const add = (wanted: string, given: Json): void => {
    for (const [name, schema] of forGenerators(wanted, asMaps(given) as Fields)) put(name, schema);
  };
  const put = (name: string, schema: Json): void => {
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${name}`);
    schemas[name] = schema;
  };
  for (const [file, name] of Object.entries(FILES)) {
    const {
      $defs,
      $schema: _,
      $id: __,
      ...root
    } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Fields;
    if (root['$ref'] === undefined) add(name, rewritten(root));
    for (const [inner, schema] of Object.entries(isFields($defs) ? $defs : {})) add(inner, rewritten(schema));
  }
  return schemas;
}

/** Examples in files of their own become values. */
function inlined(value: Json): Json {
  if (Array.isArray(value)) return value.map(inlined);
  if (!isFields(value)) return value;
  const { externalValue: file, ...rest } = value;
  if (typeof file === 'string')
    return { ...rest, value: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Json };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inlined(inner)]));
}

const document = rewritten(
  inlined(parse(readFileSync(new URL('openapi.yaml', FOLDER), 'utf8')) as Json),
) as Fields;
const components = document['components'] as Fields;
const text = `${JSON.stringify({ ...document, components: { ...components, schemas: componentsOf() } }, null, 1)}\n`;
if (process.argv.includes('--check')) {
  if (readFileSync(OUT, 'utf8') !== text) {
    console.error('schemas/openapi.json is not the document bundled: npm run generate');
    process.exitCode = 1;
  }
} else writeFileSync(OUT, text);
