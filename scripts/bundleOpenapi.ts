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

function componentsOf(): Fields {
  const schemas: Fields = {};
  const add = (name: string, schema: Json): void => {
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
