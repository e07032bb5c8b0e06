import { AnalysisError } from '../../lib/errors.ts';
import { closeSchema, schemaCheck, type SchemaSource } from '../../lib/jsonSchema.ts';
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
