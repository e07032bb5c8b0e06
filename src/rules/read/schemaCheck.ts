import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ProblemCode } from './problems.ts';
import { FILE_KINDS, type FileKind } from './readRuleFiles.ts';
import { didYouMean, hintFor } from '../compile/didYouMean.ts';
import { OPERATORS } from '../compile/operators.ts';
import { pointerSegment, type Tree } from './yamlTree.ts';

/** At the package root, three levels up from `src/rules/read` and from `dist/rules/read` alike. */
export const SCHEMA_DIR = join(import.meta.dirname, '../../../schemas/rules');
const SHARED = ['common', 'names'];

export interface SchemaFault {
  readonly pointer: string;
  readonly part: 'key' | 'value';
  readonly code: ProblemCode;
  readonly message: string;
}

/** Compiled when a file of the kind is first checked: compiling all of them takes a fifth of a second. */
let validatorOf: ((kind: FileKind) => ValidateFunction) | null = null;

function openSchemas(): (kind: FileKind) => ValidateFunction {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    verbose: true,
  });
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(SCHEMA_DIR, `${name}.schema.json`), 'utf8')) as object;
  for (const name of SHARED) ajv.addSchema(read(name), `${name}.schema.json`);
  for (const kind of FILE_KINDS) ajv.addSchema(read(kind), `${kind}.schema.json`);
  return (kind) => ajv.getSchema(`${kind}.schema.json`)!;
}

/** Checks one parsed file against the schema of its kind. */
export function checkSchema(kind: FileKind, tree: Tree): SchemaFault[] {
  const validate = (validatorOf ??= openSchemas())(kind);
  if (validate(tree)) return [];
  const errors = validate.errors ?? [];
  // For a failed choice only the choice itself is reported, not each branch.
  const choices = new Set(
    errors.filter((e) => e.keyword === 'anyOf' || e.keyword === 'oneOf').map((e) => e.instancePath),
  );
  const inBranch = (e: ErrorObject): boolean =>
    /\/(?:oneOf|anyOf)\/\d+/.test(e.schemaPath) ||
    (e.keyword !== 'anyOf' && e.schemaPath.startsWith('names.') && choices.has(e.instancePath));
  const isTwice = (e: ErrorObject): boolean =>
    e.keyword === 'if' || e.schemaPath.endsWith('/propertyNames/enum');
  const whole = errors.filter((e) => !isTwice(e) && !inBranch(e));
  return (whole.length > 0 ? whole : errors).map(toFault);
}

function toFault(error: ErrorObject): SchemaFault {
  const pointer = error.instancePath;
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const isVersion = last === 'version' && !pointer.includes('/facts/');
  const make = (isVersion && VERSION_FAULTS[error.keyword]) || FAULTS[error.keyword];
  const shown = shownValue(error.data);
  const [code, message, key] = make
    ? make({ error, params: error.params as Record<string, unknown>, last, shown })
    : (['bad_format', `${shown} ${error.message ?? 'is not accepted'}`] as const);
  if (key === undefined) return { pointer, part: 'value', code, message };
  return { pointer: pointer + pointerSegment(key), part: 'key', code, message };
}

function shownValue(data: unknown): string {
  if (typeof data === 'string' || typeof data === 'number') return `"${String(data).slice(0, 80)}"`;
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' ? 'a mapping' : String(data);
}

/** One schema error with the parts its message needs. */
interface Failed {
  readonly error: ErrorObject;
  readonly params: Record<string, unknown>;
  /** Last segment of the pointer. */
  readonly last: string;
  readonly shown: string;
}
/** With the key that it is about, where it is not about the value. */
type MakeFault = (failed: Failed) => readonly [code: ProblemCode, message: string, key?: string];

const badVersion: MakeFault = ({ shown }) => ['bad_version', `${shown} is not an integer of at least 1`];
const VERSION_FAULTS: Readonly<Record<string, MakeFault>> = { type: badVersion, minimum: badVersion };

const tooLong: MakeFault = ({ last, error }) => ['too_long', `${last}: ${error.message ?? ''}`];

/** Message per JSON Schema keyword. */
const FAULTS: Readonly<Record<string, MakeFault>> = {
  additionalProperties: ({ error, params: { additionalProperty: key } }) => {
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
    return ['unknown_key', didYouMean(String(key), known), String(key)];
  },
  required: ({ params }) => ['missing_key', String(params['missingProperty'])],
  dependencies: ({ params: { property, missingProperty } }) => [
    /^(?:fact|is|value)$/.test(String(property)) ? 'mixed_condition' : 'missing_key',
    `${String(property)} needs ${String(missingProperty)}`,
  ],
  maxProperties: () => ['mixed_condition', 'all, any and not stand alone'],
  type: ({ params, shown }) => ['wrong_type', `${shown} should be ${String(params['type'])}`],
  enum: ({ params, shown, error: { data } }) => {
    const allowed = (params['allowedValues'] as unknown[]).map(String);
    const hint = typeof data === 'string' ? hintFor(data, allowed) : '';
    return ['bad_value', `${shown}${hint} is not one of ${allowed.slice(0, 40).join(', ')}`];
  },
  minItems: ({ last }) => [EMPTY[last] ?? 'empty_list', `${last || 'the file'} is empty`],
  minProperties: ({ last }) => ['empty_list', `${last} is empty`],
  maxItems: tooLong,
  maxLength: tooLong,
  maximum: tooLong,
  uniqueItems: ({ params }) => [
    'duplicate_item',
    `items ${String(params['i'])} and ${String(params['j'])} are the same`,
  ],
  propertyNames: ({ params: { propertyName: key } }) => [
    'bad_format',
    `"${String(key).slice(0, 80)}" cannot be a name here`,
    String(key),
  ],
  oneOf: choice,
  anyOf: choice,
};

/** Lists with a code of their own for being empty. */
const EMPTY: Readonly<Record<string, ProblemCode>> = {
  legs: 'empty_legs',
  all: 'empty_condition',
  any: 'empty_condition',
};

function choice({ error: { data, schema }, last, shown }: Failed): ReturnType<MakeFault> {
  if (last === 'is') return ['unknown_operator', unknownOperator(String(data))];
  const keys = typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : null;
  if (keys?.some((k) => ['all', 'any', 'not', 'fact'].includes(k)))
    return ['mixed_condition', `found ${keys.join(', ')}`];
  const options = (schema as { required?: string[] }[]).flatMap((s) => s.required ?? []);
  if (keys && options.length > 0) return ['missing_key', `exactly one of ${options.join(', ')}`];
  return ['bad_format', `${shown} is not accepted here`];
}

/** Names of our operators in other languages. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '>=': 'gte',
  '>': 'gt',
  '<=': 'lte',
  '<': 'lt',
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  equals: 'eq',
  equal: 'eq',
  contains: 'includes',
};

function unknownOperator(written: string): string {
  const other = OTHER_NAMES[written];
  const known = Object.keys(OPERATORS);
  const hint = other === undefined ? hintFor(written, known) : ` (did you mean ${other}?)`;
  return `${written.slice(0, 80)}${hint}; operators: ${known.join(', ')}`;
}
