import { AnalysisError } from '../../lib/errors.ts';
import { schemaCheck, type SchemaSource } from '../../lib/jsonSchema.ts';
import type { TxReport } from '../../model/generated/report.ts';

/** The published report schema, closed: the service emits no key it does not describe. */
export const REPORT_SCHEMA: SchemaSource = {
  name: 'tx-report',
  file: new URL('../../../schemas/http/tx-report.schema.json', import.meta.url),
  prepare: (schema) => closeSchema(schema as Record<string, unknown>) as object,
  options: { allowUnionTypes: true },
};

/**
 * The check of every report against its schema. It throws `AnalysisError('internal_validation')` for one
 * that does not conform, with ajv's errors as `cause` for the log.
 */
export function createReportValidator(): (report: TxReport) => void {
  const check = schemaCheck<TxReport>(REPORT_SCHEMA);
  return (report) => {
    if (!check(report)) throw new AnalysisError('internal_validation', null, { cause: check.errors });
  };
}

type Schema = boolean | { readonly [keyword: string]: unknown };

/** Keywords that hold one schema, a list of schemas, or schemas by name, and describe a value as a whole. */
const ONE = ['items', 'additionalProperties', 'contains'];
const MANY = ['anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', '$defs', 'patternProperties'];

/**
 * The same schema with every described object closed: a key it does not name becomes an error. Conditions
 * (`if`/`then`/`else`, `allOf`, `not`) only refine an object described elsewhere and stay as they are.
 */
export function closeSchema(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const closed: Record<string, unknown> = { ...schema };
  for (const key of ONE) if (key in closed) closed[key] = closeSchema(closed[key] as Schema);
  for (const key of MANY) if (key in closed) closed[key] = (closed[key] as Schema[]).map(closeSchema);
  for (const key of NAMED) {
    if (!(key in closed)) continue;
    closed[key] = Object.fromEntries(
      Object.entries(closed[key] as Record<string, Schema>).map(([name, inner]) => [
        name,
        closeSchema(inner),
      ]),
    );
  }
  if ('properties' in closed && !('additionalProperties' in closed)) closed['additionalProperties'] = false;
  return closed;
}
