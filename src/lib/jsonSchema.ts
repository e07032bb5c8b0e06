import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Ajv } from 'ajv';
import { attempt } from './attempt.ts';
import { AnalysisError } from './errors.ts';

/** A JSON schema file (draft 2020-12) and how its text becomes the check that is wanted. */
export interface SchemaSource {
  readonly name: string;
  readonly file: URL;
  readonly prepare?: (schema: object) => object;
  readonly options?: { readonly allowUnionTypes?: boolean };
}

/** Validates a value and lists the errors. */
export interface SchemaCheck<T> {
  (value: unknown): value is T;
  errors?: readonly { readonly instancePath: string }[] | null;
}

/** ajv's generated code per schema, written by the build: generating it takes far longer than loading. */
interface Compiled {
  readonly source: string;
  readonly default: SchemaCheck<unknown>;
}

/** Folder the build compiles schemas into, beside `lib`; the sources have none. */
const COMPILED = new URL('../compiled/', import.meta.url);
const require = createRequire(import.meta.url);

/** The check of a schema: as compiled at build from the very same text, otherwise compiled now. */
export function schemaCheck<T>(source: SchemaSource): SchemaCheck<T> {
  const text = readFileSync(source.file, 'utf8');
  const compiled = attempt(() => require(fileURLToPath(moduleFile(source.name))) as Compiled);
  if (compiled?.source === digest(text)) return compiled.default as SchemaCheck<T>;
  return compile(source, text, {}).check as unknown as SchemaCheck<T>;
}

/** The module that the build writes to `schemaModule(source).file`. */
export function schemaModule(source: SchemaSource): { readonly file: URL; readonly code: string } {
  const text = readFileSync(source.file, 'utf8');
  const { ajv, check } = compile(source, text, { code: { source: true } });
  const standalone = require('ajv/dist/standalone') as { default: (ajv: Ajv, check: unknown) => string };
  const own = JSON.stringify(digest(text));
  const code = `${standalone.default(ajv, check)}\nmodule.exports.source = ${own};\n`;
  return { file: moduleFile(source.name), code };
}

// Loads ajv only when a schema must be compiled. Uses its plain class: our schemas need nothing that draft
// 2020-12 added, and that draft's class tracks evaluated properties and dynamic anchors, which takes a
// fifth of its time.
function compile({ prepare = (schema) => schema, options }: SchemaSource, text: string, more: object) {
  const { Ajv: Plain } = require('ajv') as { Ajv: typeof Ajv };
  const ajv = new Plain({ strict: true, ...options, ...more });
  const { $schema: _draft, ...schema } = prepare(JSON.parse(text, faster) as object) as {
    readonly $schema?: string;
  };
  return { ajv, check: ajv.compile(schema) };
}

/** A class of characters so many times. */
const COUNTED = /(?<!\\)(\[[^\]\\]+\])\{(\d+)\}/g;

/**
 * The same keyword in a form that is checked faster: patterns without counts of single characters, as the
 * runtime counts more slowly than it compares; a choice of something or null as a condition, because a choice
 * that fails costs an error; texts that are not empty instead of texts with their code points counted.
 */
function faster(key: string, value: unknown): unknown {
  if (key === 'pattern' && typeof value === 'string')
    return value.replace(COUNTED, (_, characters: string, times: string) => characters.repeat(Number(times)));
  const { minLength, ...others } = Object(value) as { minLength?: number };
  return minLength === 1 && !('not' in others) ? { ...others, not: { const: '' } } : orNull(value);
}

function orNull(value: unknown): unknown {
  const { anyOf, ...others } = Object(value) as { anyOf?: { $ref?: string; type?: string }[] };
  return anyOf?.[0]?.$ref && anyOf[1]?.type === 'null' ? { ...others, if: anyOf[1], else: anyOf[0] } : value;
}

function moduleFile(name: string): URL {
  return new URL(`${name}.cjs`, COMPILED);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The schema of `schemas/http/<name>`, closed: the service emits no key it does not describe. */
export function publishedSchema(name: string): SchemaSource {
  return {
    name,
    file: new URL(`../../schemas/http/${name}.schema.json`, import.meta.url),
    prepare: (schema) => closeSchema(schema as Record<string, unknown>) as object,
    options: { allowUnionTypes: true },
  };
}

/**
 * Makes a check that throws `AnalysisError('internal_validation')`, with ajv's errors as `cause` for the log.
 */
export function schemaValidator<T>(source: SchemaSource): (value: T) => void {
  const check = schemaCheck<T>(source);
  return (value) => {
    if (!check(value)) throw new AnalysisError('internal_validation', null, { cause: check.errors });
  };
}

type Schema = boolean | { readonly [keyword: string]: unknown };

/** Keywords that hold one schema, a list of schemas, or schemas by name, and describe a value as a whole. */
const ONE = ['items', 'additionalProperties', 'contains'];
const MANY = ['anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', '$defs', 'patternProperties'];

/** The same schema with every described object closed. Conditions refine one described elsewhere and stay. */
export function closeSchema(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const closed: Record<string, unknown> = { ...schema };
  for (const key of ONE) if (key in closed) closed[key] = closeSchema(closed[key] as Schema);
  for (const key of MANY) if (key in closed) closed[key] = (closed[key] as Schema[]).map(closeSchema);
  for (const key of NAMED) {
    if (!(key in closed)) continue;
    const parts = Object.entries(closed[key] as Record<string, Schema>);
    closed[key] = Object.fromEntries(parts.map(([name, inner]) => [name, closeSchema(inner)]));
  }
  if ('properties' in closed && !('additionalProperties' in closed)) closed['additionalProperties'] = false;
  return closed;
}
