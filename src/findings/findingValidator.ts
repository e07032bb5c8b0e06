import { AnalysisError } from '../lib/errors.ts';
import { closeSchema, schemaCheck, type SchemaSource } from '../lib/jsonSchema.ts';
import type { Finding } from '../model/finding.ts';

/** The published schema of findings, closed. */
export const FINDING_SCHEMA: SchemaSource = {
  name: 'finding',
  file: new URL('../../schemas/http/finding.schema.json', import.meta.url),
  prepare: (schema) => closeSchema(schema as Record<string, unknown>) as object,
  options: { allowUnionTypes: true },
};

/** Throws `AnalysisError('internal_validation')` for a finding that its schema does not describe. */
export function createFindingValidator(): (finding: Finding) => void {
  const check = schemaCheck<Finding>(FINDING_SCHEMA);
  return (finding) => {
    if (!check(finding)) throw new AnalysisError('internal_validation', null, { cause: check.errors });
  };
}
