import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AnalysisError } from '../../../src/lib/errors.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';
import { closeSchema } from '../../../src/lib/jsonSchema.ts';
import { createReportValidator } from '../../../src/stages/9-report/reportValidator.ts';
import { misorderedKeys } from '../../support/keyOrder.ts';

type Json = { [key: string]: unknown };
const schema = JSON.parse(
  readFileSync(new URL('../../../schemas/http/tx-report.schema.json', import.meta.url), 'utf8'),
) as Json;
const example = (): TxReport => structuredClone((schema['examples'] as TxReport[])[0]!);
const validate = createReportValidator();

/** Every object inside a value, with where it is. */
function* objects(value: unknown, path = '$'): Generator<readonly [string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, inner] of Object.entries(value)) yield* objects(inner, `${path}.${key}`);
}

describe('createReportValidator', () => {
  it('takes the published example', () => expect(() => validate(example())).not.toThrow());

  it('is written in the order the schema and the interface list the keys', () =>
    expect(misorderedKeys(example())).toEqual([]));

  it('refuses an unknown key anywhere, which clients must tolerate', () => {
    const paths = [...objects(example())].map(([path]) => path);
    expect(paths.length).toBeGreaterThan(40);
    for (const path of paths) {
      const report = example();
      [...objects(report)].find(([at]) => at === path)![1]['surprise'] = 1;
      expect(() => validate(report), path).toThrow('internal report validation');
    }
  });

  it('keeps what was wrong for the log, not for the client', () => {
    const report = example();
    report.tx.signer = 'nobody';
    try {
      validate(report);
      expect.unreachable();
    } catch (error) {
      expect((error as AnalysisError).code).toBe('internal_validation');
      expect((error as AnalysisError).message).toBe('internal report validation');
      expect((error as AnalysisError).cause).toMatchObject([{ instancePath: '/tx/signer' }]);
    }
  });

  it.each<[string, (report: TxReport) => void]>([
    [
      'a raw amount that is a number',
      (r) => {
        r.inventory_deltas[0]!.delta_raw = 5 as never;
      },
    ],
    [
      'a raw amount with leading zeros',
      (r) => {
        r.inventory_deltas[0]!.delta_raw = '007';
      },
    ],
    [
      'a negative gross amount',
      (r) => {
        r.inventory_deltas[0]!.inflow_raw = '-1';
      },
    ],
    [
      'no fragments',
      (r) => {
        r.classification.fragments = [];
      },
    ],
    [
      'a motif without evidence',
      (r) => {
        r.motifs[0]!.evidence = [];
      },
    ],
    [
      'an upper-case lane id',
      (r) => {
        r.movements![0]!.asset_id = r.movements![0]!.asset_id.toUpperCase();
      },
    ],
    [
      'unsupported PnL with figures',
      (r) => {
        r.economics.realized_pnl.gross_usd = { text: '$0.00', available: true };
      },
    ],
    [
      'a missing top-level key',
      (r) => {
        delete (r as Partial<TxReport>).attribution;
      },
    ],
  ])('refuses %s', (_, spoil) => {
    const report = example();
    spoil(report);
    expect(() => validate(report)).toThrow('internal report validation');
  });
});

describe('closeSchema', () => {
  it('closes described objects at every depth, leaves conditions and explicit openness alone, and changes nothing it was given', () => {
    const open = {
      properties: {
        a: { items: { properties: { b: true } } },
        c: { anyOf: [{ properties: {} }, { type: 'null' }] },
        d: { properties: {}, additionalProperties: { properties: {} } },
      },
      if: { properties: { a: true } },
      $defs: { e: { properties: {} } },
    };
    const before = structuredClone(open);
    expect(closeSchema(open)).toEqual({
      properties: {
        a: { items: { properties: { b: true }, additionalProperties: false } },
        c: { anyOf: [{ properties: {}, additionalProperties: false }, { type: 'null' }] },
        d: { properties: {}, additionalProperties: { properties: {}, additionalProperties: false } },
      },
      if: { properties: { a: true } },
      $defs: { e: { properties: {}, additionalProperties: false } },
      additionalProperties: false,
    });
    expect(open).toEqual(before);
  });
});
