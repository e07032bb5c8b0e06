import { describe, expect, it } from 'vitest';
import { synthetic, type Shape } from '../../../bench/synthetic.ts';
import { judge, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { buildReport } from '../../../src/stages/9-report/buildReport.ts';
import { createReportValidator } from '../../../src/stages/9-report/reportValidator.ts';
import { writeReport } from '../../../src/stages/9-report/writeReport.ts';

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
  it.each<[Shape, number]>([
    ['batch transfer', 20],
    ['swap chain', 2_500],
  ])('%s of %i: the bytes of the report, checked first', async (shape, size) => {
    const input = await inputOf(shape, size);
    const calls: string[] = [];
    const json = writeReport(
      input,
      (report) => {
        validate(report);
        calls.push('checked');
      },
      () => calls.push('built'),
    );
    expect(json).toBe(JSON.stringify(buildReport(input)));
    expect(calls).toEqual(['built', 'checked']);
  });

  it('lets no report pass that its schema refuses', async () => {
    const input = await inputOf('wide fan-out', 2_500);
    const movements = input.flow.movements.map((movement, i) =>
      i === 2_400 ? { ...movement, kind: 'theft' as 'transfer' } : movement,
    );
    expect(() => writeReport({ ...input, flow: { ...input.flow, movements } }, validate, () => {})).toThrow(
      'internal report validation',
    );
  });
});
