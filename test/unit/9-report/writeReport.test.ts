import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { synthetic, type Shape } from '../../../bench/synthetic.ts';
import { judge, read } from '../../../src/analyze.ts';
import { jsonText } from '../../../src/lib/reportJson.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { buildReport, LISTS, serialiseReport } from '../../../src/stages/9-report/buildReport.ts';
import { createReportValidator, REPORT_SCHEMA } from '../../../src/stages/9-report/reportValidator.ts';
import { writeReport } from '../../../src/stages/9-report/writeReport.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';

const rulebook = loadRules();
const validate = createReportValidator();

function inputOf(shape: Shape, size: number) {
  const {
    hash,
    rpc: { tx, receipt, block, callTracer },
  } = synthetic(shape, size);
  const context = { block, tokens: new Map(), prices: [], rates: [], refusals: [], delegations: new Map() };
  return judge(
    read({ hash, tx, receipt, trace: { dialect: 'call_tracer', result: callTracer } }, context),
    context,
    rulebook,
  );
}

describe('writeReport', () => {
  it.each<[Shape, number, boolean]>([
    ['batch transfer', 20, false],
    ['batch transfer', 2_500, true],
    ['swap chain', 2_500, true],
    ['wide fan-out', 900, false],
  ])('%s of %i: the bytes of the whole report, checked in parts', async (shape, size, several) => {
    const input = await inputOf(shape, size);
    const checked: TxReport[] = [];
    const json = writeReport(
      input,
      (part) => {
        validate(part);
        checked.push(part);
      },
      () => {},
    );
    const whole = buildReport(input);
    expect(jsonText(json)).toBe(serialiseReport(whole));
    expect(checked.length > 1).toBe(several);
    for (const list of LISTS) expect(checked.flatMap((part) => part[list] as unknown[])).toEqual(whole[list]);
  });

  it('lets no part pass that its schema refuses', async () => {
    const input = await inputOf('wide fan-out', 2_500);
    const movements = input.flow.movements.map((movement, i) =>
      i === 2_400 ? { ...movement, kind: 'theft' as 'transfer' } : movement,
    );
    expect(() => writeReport({ ...input, flow: { ...input.flow, movements } }, validate, () => {})).toThrow(
      'internal report validation',
    );
  });

  it('the schema asks of the lists nothing but what each item is, so that parts tell all of the whole', () => {
    const schema = JSON.parse(readFileSync(REPORT_SCHEMA.file, 'utf8')) as {
      properties: Record<string, object>;
    };
    for (const list of LISTS)
      expect(Object.keys(schema.properties[list]!).sort()).toEqual(['description', 'items', 'type']);
    expect(
      Object.keys(schema).filter((key) =>
        ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas'].includes(key),
      ),
    ).toEqual([]);
  });

  it('the schema wants more than one item of no list that later parts cut short', () => {
    const wanting: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if (((schema as { minItems?: number }).minItems ?? 0) > 1) wanting.push(path);
      for (const [key, inner] of Object.entries(schema)) walk(inner, `${path}/${key}`);
    };
    walk(JSON.parse(readFileSync(REPORT_SCHEMA.file, 'utf8')), '');
    // Of motifs, which stand in one part each.
    expect(wanting).toEqual(['/$defs/MotifScope/properties/log_range']);
  });

  it('checks what stands in the first part once: the others hold one item of its lists', async () => {
    const checked: TxReport[] = [];
    writeReport(
      await inputOf('swap chain', 2_500),
      (part) => {
        validate(part);
        checked.push(part);
      },
      () => {},
    );
    const sizes = checked.map(({ attribution, economics }) => [
      attribution.candidates.length,
      economics.valuation.unpriced_assets.length,
    ]);
    // The signer and 256 pools; 256 tokens.
    expect(sizes).toEqual([
      [257, 256],
      [1, 1],
    ]);
  });
});
