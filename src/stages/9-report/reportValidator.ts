import { publishedSchema, schemaValidator } from '../../lib/jsonSchema.ts';
import type { TxReport } from '../../model/generated/report.ts';

export const REPORT_SCHEMA = publishedSchema('tx-report');

/** The check of every report; it throws `AnalysisError('internal_validation')`. */
export const createReportValidator = (): ((report: TxReport) => void) => schemaValidator(REPORT_SCHEMA);
