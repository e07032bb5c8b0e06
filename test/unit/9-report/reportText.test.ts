import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateReportText, isPlain } from '../../../scripts/generateReportText.ts';
import { createReportValidator, REPORT_SCHEMA } from '../../../src/stages/9-report/reportValidator.ts';
import { reportText } from '../../../src/stages/9-report/reportText.ts';
import type { TxReport } from '../../../src/model/report.ts';

const schema = JSON.parse(readFileSync(REPORT_SCHEMA.file, 'utf8')) as { examples: TxReport[] };
const example = (): TxReport => structuredClone(schema.examples[0]!);

/** Every object inside a value. */
function* objects(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objects(inner);
}

describe('src/stages/9-report/reportText.ts', () => {
  it('is what the schema generates (run `npm run generate`)', async () => {
    expect(readFileSync(new URL('../../../src/stages/9-report/reportText.ts', import.meta.url), 'utf8')).toBe(await generateReportText());
  });

  it('writes a report as JSON.stringify does', () => {
    for (const report of schema.examples) expect(reportText(report)).toBe(JSON.stringify(report));
  });

  it('leaves out what a report lacks, wherever it stands, and writes null where that may stand', () => {
    const validate = createReportValidator();
    let tried = 0;
    const count = [...objects(example())].length;
    for (let i = 0; i < count; i++) {
      for (const key of Object.keys([...objects(example())][i]!)) {
        for (const change of [(o: Record<string, unknown>) => delete o[key], (o: Record<string, unknown>) => { o[key] = null; }, (o: Record<string, unknown>) => { if (Array.isArray(o[key])) o[key] = []; }]) {
          const report = example();
          change([...objects(report)][i]!);
          try {
            validate(report);
          } catch {
            continue;
          }
          expect(reportText(report)).toBe(JSON.stringify(report));
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThan(100);
  });

  it.each(['a "quoted" \\ word', 'line\nbreak\u0000', '\u007f\u2028—…', 'lone \ud800 surrogate', '😀', ''])('escapes %j where the schema leaves room for it', (text) => {
    const report = example();
    report.classification.intent_label = text;
    report.economics.token_in = text;
    report.economics.valuation.price_warning = text;
    report.classification.tags = [text, text];
    for (const { asset } of report.inventory_deltas) Object.assign(asset, { symbol: text, name: text });
    expect(reportText(report)).toBe(JSON.stringify(report));
  });
});

describe('isPlain', () => {
  it.each(['^0x[0-9a-f]{40}$', '^(\\$-?(0|[1-9][0-9]*)\\.[0-9]{2,}|—)$', '^[A-Za-z0-9][A-Za-z0-9_.:-]*$', '^a(b|c(d|e))$'])('takes %s', (pattern) => expect(isPlain(pattern)).toBe(true));
  it.each(['0x[0-9a-f]$', '^0x[0-9a-f]', '^a|b$', '^.*$', '^[^a]$', '^[ -~]$', '^[0-z]$', '^\\S+$', '^[\\s]$', '^a"b$', '^\\$'])('refuses %s', (pattern) => expect(isPlain(pattern)).toBe(false));
});
