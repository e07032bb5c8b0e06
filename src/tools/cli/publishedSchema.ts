import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const SCHEMA = new URL('../../../schemas/http/tx-report.schema.json', import.meta.url);
let validate: ValidateFunction | null = null;

/** What keeps a value from being a report by the published schema, as `<JSON pointer> <message>`; empty when it is one. */
export function publishedSchemaErrors(value: unknown): string[] {
  validate ??= new Ajv2020({ allErrors: true, strict: false }).compile(
    JSON.parse(readFileSync(SCHEMA, 'utf8')) as object,
  );
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        (error) => `${error.instancePath || '/'} ${error.message ?? error.keyword}`,
      );
}
