/**
 * Compares a report schema with an earlier one. Clients parse, store and validate reports by it, so only two changes
 * break nothing: a further optional property, and a closed list of words that becomes an `OpenWord`, which clients are
 * told to expect further words of. Descriptions, examples and the names of definitions mean nothing.
 *
 *   npx tsx scripts/schemaCompatibility.ts            differences from the frozen copy of the current version
 *   npx tsx scripts/schemaCompatibility.ts --freeze   copies the schema to the history, unless something is broken
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Schema = boolean | { readonly [keyword: string]: unknown };

export interface SchemaDifference {
  readonly kind: 'breaking' | 'additive';
  /** Where in a report, e.g. `/classification/fragments/[]/kind`. */
  readonly at: string;
  readonly message: string;
}

const ANNOTATIONS = new Set([
  '$schema',
  '$id',
  '$defs',
  '$comment',
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
/** Keywords that hold one schema, or a list of them. */
const SUBSCHEMAS = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'prefixItems',
]);
const OPEN_WORD = '#/$defs/OpenWord';
/** Defaults of absent keywords. */
const ABSENT = 'no such constraint';

/** Every difference between two schemas, in the order of the older one. */
export function compareSchemas(before: Schema, after: Schema): SchemaDifference[] {
  const differences: SchemaDifference[] = [];
  const compared = new Set<string>();
  const roots = { before, after };
  const breaking = (at: string, message: string): void =>
    void differences.push({ kind: 'breaking', at: at || '/', message });

  const visit = (rawOld: Schema, rawNew: Schema, at: string): void => {
    // Definitions may refer to each other in circles: a pair that was compared once needs no second time.
    const pair = `${refOf(rawOld) ?? at}\n${refOf(rawNew) ?? at}`;
    if (refOf(rawOld) !== null && refOf(rawNew) !== null) {
      if (compared.has(pair)) return;
      compared.add(pair);
    }
    const older = resolve(rawOld, roots.before);
    const newer = resolve(rawNew, roots.after);
    if (opens(older, rawNew)) {
      differences.push({ kind: 'additive', at, message: 'a closed list of words is open' });
      return;
    }
    if (typeof older === 'boolean' || typeof newer === 'boolean') {
      if (JSON.stringify(older) !== JSON.stringify(newer))
        breaking(at, `was ${show(older)}, is ${show(newer)}`);
      return;
    }
    compareProperties(older, newer, at);
    for (const keyword of new Set([...Object.keys(older), ...Object.keys(newer)])) {
      if (ANNOTATIONS.has(keyword) || keyword === 'properties' || keyword === 'required') continue;
      const [was, is] = [older[keyword], newer[keyword]];
      if (!SUBSCHEMAS.has(keyword) || was === undefined || is === undefined)
        compareConstraint(keyword, was, is, at);
      else if (Array.isArray(was) || Array.isArray(is)) compareLists(keyword, was, is, at);
      else visit(was as Schema, is as Schema, keyword === 'items' ? `${at}/[]` : `${at}/${keyword}`);
    }
  };

  const compareProperties = (
    older: { readonly [key: string]: unknown },
    newer: typeof older,
    at: string,
  ): void => {
    const [was, is] = [older, newer].map(
      (schema) => (schema['properties'] ?? {}) as Record<string, Schema>,
    ) as [Record<string, Schema>, Record<string, Schema>];
    const [needed, needs] = [older, newer].map(
      (schema) => new Set((schema['required'] ?? []) as string[]),
    ) as [Set<string>, Set<string>];
    for (const [key, schema] of Object.entries(was)) {
      const next = is[key];
      if (next === undefined) breaking(`${at}/${key}`, 'the property is gone');
      else visit(schema, next, `${at}/${key}`);
    }
    for (const key of Object.keys(is)) {
      if (key in was) continue;
      if (needs.has(key))
        breaking(`${at}/${key}`, 'a new required property: reports that were stored lack it');
      else differences.push({ kind: 'additive', at: `${at}/${key}`, message: 'a new optional property' });
    }
    for (const key of needed) if (!needs.has(key)) breaking(`${at}/${key}`, 'was required and is optional');
    for (const key of needs)
      if (!needed.has(key) && key in was)
        breaking(`${at}/${key}`, 'was optional and is required: reports that were stored may lack it');
  };

  const compareConstraint = (keyword: string, was: unknown, is: unknown, at: string): void => {
    if (canonical(was) === canonical(is)) return;
    if (keyword === 'enum' || keyword === 'type') {
      const [old, now] = [was, is].map(
        (value) => new Set((Array.isArray(value) ? value : value === undefined ? [] : [value]) as unknown[]),
      ) as [Set<unknown>, Set<unknown>];
      const gone = [...old].filter((value) => !now.has(value));
      const added = [...now].filter((value) => !old.has(value));
      if (gone.length === 0 && added.length === 0) return;
      if (was !== undefined && is !== undefined)
        return breaking(
          at,
          `${keyword}: ${[...gone.map((value) => `${JSON.stringify(value)} is gone`), ...added.map((value) => `${JSON.stringify(value)} is new`)].join(', ')}`,
        );
    }
    breaking(at, `${keyword}: was ${show(was)}, is ${show(is)}`);
  };

  const compareLists = (keyword: string, was: unknown, is: unknown, at: string): void => {
    if (!Array.isArray(was) || !Array.isArray(is) || was.length !== is.length)
      return breaking(at, `${keyword} has other alternatives`);
    was.forEach((schema, i) => visit(schema as Schema, is[i] as Schema, `${at}/${keyword}.${i}`));
  };

  visit(before, after, '');
  return differences;
}

/** The schema version a report schema describes. */
export function versionOf(schema: Schema): number {
  return (schema as { properties: { schema_version: { const: number } } }).properties.schema_version.const;
}

/** Whether an enum of texts became the one definition of open words. */
function opens(older: Schema, rawNew: Schema): boolean {
  if (refOf(rawNew) !== OPEN_WORD || typeof older === 'boolean') return false;
  return older['type'] === 'string' && Array.isArray(older['enum']);
}

function refOf(schema: Schema): string | null {
  return typeof schema === 'object' && typeof schema['$ref'] === 'string' ? schema['$ref'] : null;
}

function resolve(schema: Schema, root: Schema): Schema {
  const ref = refOf(schema);
  if (ref === null || typeof schema !== 'object') return schema;
  if (!ref.startsWith('#/')) throw new Error(`a reference out of the document: ${ref}`);
  const target = ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], root) as Schema;
  const beside = Object.keys(schema).filter((keyword) => keyword !== '$ref' && !ANNOTATIONS.has(keyword));
  if (beside.length > 0)
    throw new Error(`keywords beside a reference are not compared: ${beside.join(', ')}`);
  return resolve(target, root);
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ABSENT
  );
}

function show(value: unknown): string {
  const text = value === undefined ? ABSENT : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

const FOLDER = new URL('../schemas/http/', import.meta.url);
export const readSchema = (name: string): Schema =>
  JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Schema;
export const CURRENT = 'tx-report.schema.json';
export const frozenName = (version: number): string => `history/tx-report.v${version}.schema.json`;
export const isFrozen = (version: number): boolean => existsSync(new URL(frozenName(version), FOLDER));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = readSchema(CURRENT);
  const name = frozenName(versionOf(current));
  const differences = isFrozen(versionOf(current)) ? compareSchemas(readSchema(name), current) : [];
  for (const { kind, at, message } of differences) console.log(`${kind.padEnd(9)} ${at}  ${message}`);
  const broken = differences.some(({ kind }) => kind === 'breaking');
  if (broken)
    console.log(
      `\nschema_version ${versionOf(current)} promises otherwise: undo it, or raise schema_version and freeze the new version.`,
    );
  else if (process.argv.includes('--freeze')) {
    writeFileSync(new URL(name, FOLDER), readFileSync(new URL(CURRENT, FOLDER)));
    console.log(`frozen as schemas/http/${name}`);
  }
  process.exitCode = broken ? 1 : 0;
}
