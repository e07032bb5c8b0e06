import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ProblemCode } from './problems.ts';
import { FILE_KINDS, type FileKind } from './readRuleFiles.ts';
import type { Tree } from './yamlTree.ts';

/** Schemas lie at the package root, three levels up from `src/rules/read` and from `dist/rules/read` alike. */
const SCHEMA_DIR = join(import.meta.dirname, '../../../schemas/rules');
const SHARED = ['common', 'names'];

export interface SchemaFault {
  readonly pointer: string;
  readonly part: 'key' | 'value';
  readonly code: ProblemCode;
  readonly message: string;
}

let validators: ReadonlyMap<FileKind, ValidateFunction> | null = null;

function compileSchemas(): ReadonlyMap<FileKind, ValidateFunction> {
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
  return new Map(
    FILE_KINDS.map((kind) => {
      ajv.addSchema(read(kind), `${kind}.schema.json`);
      return [kind, ajv.getSchema(`${kind}.schema.json`)!];
    }),
  );
}

/** Checks one parsed file against the schema of its kind. */
export function checkSchema(kind: FileKind, tree: Tree): SchemaFault[] {
  validators ??= compileSchemas();
  const validate = validators.get(kind)!;
  if (validate(tree)) return [];
  const errors = validate.errors ?? [];
  // Of a failed choice the choice itself is reported, not what each branch would have wanted.
  const choices = new Set(
    errors.filter((e) => e.keyword === 'anyOf' || e.keyword === 'oneOf').map((e) => e.instancePath),
  );
  const inBranch = (e: ErrorObject): boolean =>
    /\/(?:oneOf|anyOf)\/\d+/.test(e.schemaPath) ||
    (e.keyword !== 'anyOf' && e.schemaPath.startsWith('names.') && choices.has(e.instancePath));
  const whole = errors.filter((e) => e.keyword !== 'if' && !inBranch(e));
  return (whole.length > 0 ? whole : errors).map(toFault);
}

function toFault(e: ErrorObject): SchemaFault {
  const at = e.instancePath;
  const last = at.slice(at.lastIndexOf('/') + 1);
  const fault = (
    code: ProblemCode,
    message: string,
    pointer = at,
    part: 'key' | 'value' = 'value',
  ): SchemaFault => ({ pointer, part, code, message });
  const params = e.params as Record<string, unknown>;
  const shown =
    typeof e.data === 'string' || typeof e.data === 'number'
      ? `"${String(e.data).slice(0, 80)}"`
      : Array.isArray(e.data)
        ? 'a list'
        : typeof e.data === 'object'
          ? 'a mapping'
          : String(e.data);
  if (last === 'version' && !at.includes('/facts/') && (e.keyword === 'type' || e.keyword === 'minimum'))
    return fault('bad_version', `${shown} is not an integer of at least 1`);
  switch (e.keyword) {
    case 'additionalProperties':
      return fault(
        'unknown_key',
        String(params['additionalProperty']),
        `${at}/${String(params['additionalProperty']).replaceAll('~', '~0').replaceAll('/', '~1')}`,
        'key',
      );
    case 'required':
      return fault('missing_key', String(params['missingProperty']));
    case 'dependencies':
      return fault(
        'mixed_condition',
        `${String(params['property'])} needs ${String(params['missingProperty'])}`,
      );
    case 'maxProperties':
      return fault('mixed_condition', 'all, any and not stand alone');
    case 'type':
      return fault('wrong_type', `${shown} should be ${String(params['type'])}`);
    case 'enum':
      return fault(
        last === 'is' && !isWhen(e) ? 'unknown_operator' : 'bad_value',
        `${shown} is not one of ${(params['allowedValues'] as unknown[]).slice(0, 40).join(', ')}`,
      );
    case 'minItems':
      return fault(
        last === 'legs' ? 'empty_legs' : last === 'all' || last === 'any' ? 'empty_condition' : 'empty_list',
        `${last || 'the file'} is empty`,
      );
    case 'minProperties':
      return fault('empty_list', `${last} is empty`);
    case 'maxItems':
    case 'maxLength':
    case 'maximum':
      return fault('too_long', `${last}: ${e.message ?? ''}`);
    case 'uniqueItems':
      return fault('duplicate_item', `items ${String(params['i'])} and ${String(params['j'])} are the same`);
    case 'propertyNames':
      return fault(
        'bad_format',
        `"${String(params['propertyName']).slice(0, 80)}" cannot be a name here`,
        `${at}/${String(params['propertyName'])}`,
        'key',
      );
    case 'oneOf':
    case 'anyOf':
      return choice(e, last, shown, fault);
    default:
      return fault('bad_format', `${shown} ${e.message ?? 'is not accepted'}`);
  }
}

type MakeFault = (code: ProblemCode, message: string) => SchemaFault;

function choice(e: ErrorObject, last: string, shown: string, fault: MakeFault): SchemaFault {
  if (last === 'is') return fault('unknown_operator', shown);
  const data = e.data;
  const keys = typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : null;
  if (keys?.some((k) => ['all', 'any', 'not', 'fact'].includes(k)))
    return fault('mixed_condition', `found ${keys.join(', ')}`);
  const options = (e.schema as { required?: string[] }[]).flatMap((s) => s.required ?? []);
  if (keys && options.length > 0) return fault('missing_key', `exactly one of ${options.join(', ')}`);
  return fault('bad_format', `${shown} is not accepted here`);
}

/** `is` of a shape's `when` has its own short list; `is` of a condition takes operators. */
function isWhen(e: ErrorObject): boolean {
  return /\/when\/\d+\/is$/.test(e.instancePath) && /(?:events|calls)/.test(e.instancePath);
}
