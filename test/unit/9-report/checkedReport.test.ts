import { expect, it } from 'vitest';
import { synthetic } from '../../../bench/synthetic.ts';
import { judge, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { buildReport } from '../../../src/stages/9-report/buildReport.ts';
import { createReportValidator } from '../../../src/stages/9-report/reportValidator.ts';

it('lets no report pass that its schema refuses', async () => {
  const {
    hash,
    rpc: { tx, receipt, block, callTracer },
  } = synthetic('wide fan-out', 2_500);
  const context = { block, tokens: new Map(), prices: [], rates: [], refusals: [], delegations: new Map() };
  const trace = { dialect: 'call_tracer', result: callTracer } as const;
  const input = await judge(read({ hash, tx, receipt, trace }, context), context, loadRules());
  const validate = createReportValidator();
  expect(() => validate(buildReport(input))).not.toThrow();
  const movements = input.flow.movements.map((movement, i) =>
    i === 2_400 ? { ...movement, kind: 'theft' as 'transfer' } : movement,
  );
  const forged = buildReport({ ...input, flow: { ...input.flow, movements } });
  expect(() => validate(forged)).toThrow('internal report validation');
});
