import { mkdtempSync, readFileSync, writeFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { schemaCheck, schemaModule, type SchemaCheck } from '../../../src/lib/jsonSchema.ts';
import { REQUEST_SCHEMA } from '../../../src/service/http/parseRequest.ts';
import { REPORT_SCHEMA } from '../../../src/stages/9-report/reportValidator.ts';

// Inside the package, where the compiled module finds ajv's runtime.
const folder = mkdtempSync(join(import.meta.dirname, '.compiled-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a schema compiled at build', () => {
  it.each([
    [REQUEST_SCHEMA, [{ tx_hash: `0x${'ab'.repeat(32)}` }, { tx_hash: '0xAB' }, { chain: 'eth' }, 7]],
    [
      REPORT_SCHEMA,
      [
        {},
        null,
        JSON.parse(
          readFileSync(join(import.meta.dirname, '../../../schemas/http/tx-report.schema.json'), 'utf8'),
        ),
      ],
    ],
  ])('checks as the one compiled at start', (source, values) => {
    const { code } = schemaModule(source);
    const file = join(folder, `${source.name}.cjs`);
    writeFileSync(file, code);
    const compiled = createRequire(import.meta.url)(file) as {
      default: SchemaCheck<unknown>;
      source: string;
    };
    const check = schemaCheck(source);
    for (const value of values) {
      expect(compiled.default(value)).toBe(check(value));
      expect(compiled.default.errors).toEqual(check.errors);
    }
    expect(compiled.source).toMatch(/^[0-9a-f]{64}$/);
  });
});

it('checks a text that may not be empty, or null, as the schema says', () => {
  const file = join(folder, 'text.schema.json');
  const text = { type: 'string', minLength: 1, maxLength: 2, pattern: '^[a-z\u{1F600}]{1}' };
  writeFileSync(file, JSON.stringify({ anyOf: [text, { type: 'null' }] }));
  const check = schemaCheck({ name: 'text', file: pathToFileURL(file) });
  const refused = ['', '1', 'abc', 7, undefined, {}];
  expect(refused.map((value) => check(value))).toEqual(refused.map(() => false));
  const accepted = ['a', 'ab', '\u{1F600}\u{1F600}', null];
  expect(accepted.map((value) => check(value))).toEqual(accepted.map(() => true));
});
