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

/** One schema error with the parts its message needs. */
interface Failed {
  readonly error: ErrorObject;
  /** Last segment of the pointer. */
  readonly last: string;
  readonly shown: string;
  readonly params: Record<string, unknown>;
  readonly fault: MakeFault;
}

function toFault(error: ErrorObject): SchemaFault {
  const pointer = error.instancePath;
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const params = error.params as Record<string, unknown>;
  const shown = shownValue(error.data);
  const fault: MakeFault = (code, message) => ({ pointer, part: 'value', code, message });
  const { keyword } = error;
  if (last === 'version' && !pointer.includes('/facts/') && (keyword === 'type' || keyword === 'minimum'))
    return fault('bad_version', `${shown} is not an integer of at least 1`);
  const make = FAULTS[keyword];
  return make
    ? make({ error, last, shown, params, fault })
    : fault('bad_format', `${shown} ${error.message ?? 'is not accepted'}`);
}

function shownValue(data: unknown): string {
  if (typeof data === 'string' || typeof data === 'number') return `"${String(data).slice(0, 80)}"`;
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' ? 'a mapping' : String(data);
}

function atKey({ error }: Failed, key: string): Pick<SchemaFault, 'pointer' | 'part'> {
  return { pointer: error.instancePath + pointerSegment(key), part: 'key' };
}

const tooLong = ({ fault, last, error }: Failed): SchemaFault =>
  fault('too_long', `${last}: ${error.message ?? ''}`);

/** Message per JSON Schema keyword. */
const FAULTS: Readonly<Record<string, (failed: Failed) => SchemaFault>> = {
  additionalProperties: (failed) => {
    const key = String(failed.params['additionalProperty']);
    const known = Object.keys((failed.error.parentSchema?.['properties'] ?? {}) as object);
    return { ...failed.fault('unknown_key', didYouMean(key, known)), ...atKey(failed, key) };
  },
  required: ({ fault, params }) => fault('missing_key', String(params['missingProperty'])),
  dependencies: ({ fault, params: { property, missingProperty } }) =>
    fault(
      /^(?:fact|is|value)$/.test(String(property)) ? 'mixed_condition' : 'missing_key',
      `${String(property)} needs ${String(missingProperty)}`,
    ),
  maxProperties: ({ fault }) => fault('mixed_condition', 'all, any and not stand alone'),
  type: ({ fault, params, shown }) => fault('wrong_type', `${shown} should be ${String(params['type'])}`),
  enum: ({ fault, params, shown, last, error }) => {
    const allowed = (params['allowedValues'] as unknown[]).map(String);
    const near = typeof error.data === 'string' ? didYouMean(error.data, allowed) : '';
    return fault(
      last === 'is' && !isWhen(error) ? 'unknown_operator' : 'bad_value',
      `${shown}${near.slice(String(error.data).length)} is not one of ${allowed.slice(0, 40).join(', ')}`,
    );
  },
  minItems: ({ fault, last }) =>
    fault(
      last === 'legs' ? 'empty_legs' : last === 'all' || last === 'any' ? 'empty_condition' : 'empty_list',
      `${last || 'the file'} is empty`,
    ),
  minProperties: ({ fault, last }) => fault('empty_list', `${last} is empty`),
  maxItems: tooLong,
  maxLength: tooLong,
  maximum: tooLong,
  uniqueItems: ({ fault, params }) =>
    fault('duplicate_item', `items ${String(params['i'])} and ${String(params['j'])} are the same`),
  propertyNames: (failed) => {
    const key = String(failed.params['propertyName']);
    return {
      ...failed.fault('bad_format', `"${key.slice(0, 80)}" cannot be a name here`),
      ...atKey(failed, key),
    };
  },
  oneOf: choice,
  anyOf: choice,
};

type MakeFault = (code: ProblemCode, message: string) => SchemaFault;

function choice({ error: { data, schema }, last, shown, fault }: Failed): SchemaFault {
  if (last === 'is') return fault('unknown_operator', unknownOperator(String(data)));
  const keys = typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : null;
  if (keys?.some((k) => ['all', 'any', 'not', 'fact'].includes(k)))
    return fault('mixed_condition', `found ${keys.join(', ')}`);
  const options = (schema as { required?: string[] }[]).flatMap((s) => s.required ?? []);
  if (keys && options.length > 0) return fault('missing_key', `exactly one of ${options.join(', ')}`);
  return fault('bad_format', `${shown} is not accepted here`);
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

/** `is` of a shape's `when` has its own short list; `is` of a condition takes operators. */
function isWhen(e: ErrorObject): boolean {
  return /\/when\/\d+\/is$/.test(e.instancePath) && /(?:events|calls)/.test(e.instancePath);
}
