import { publishedSchema, schemaValidator } from '../lib/jsonSchema.ts';
import type { Finding } from '../model/generated/finding.ts';

export const FINDING_SCHEMA = publishedSchema('finding');

/** The check of every finding; it throws `AnalysisError('internal_validation')`. */
export const createFindingValidator = (): ((finding: Finding) => void) => schemaValidator(FINDING_SCHEMA);
