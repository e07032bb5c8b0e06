import { describe, expect, it } from 'vitest';
import { synthetic } from '../../../bench/synthetic.ts';
import { judge, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { buildReport } from '../../../src/stages/9-report/buildReport.ts';
import { createReportValidator } from '../../../src/stages/9-report/reportValidator.ts';

const rulebook = loadRules();
const validate = createReportValidator();

/** A made-up transaction, with other fields of its own. */
function inputOf(size: number, fields: object = {}) {
  const { hash, rpc } = synthetic('wide fan-out', size);
  const { receipt, block, callTracer } = rpc;
  const context = { block, tokens: new Map(), prices: [], rates: [], refusals: [], delegations: new Map() };
  const trace = { dialect: 'call_tracer', result: callTracer } as const;
  return judge(read({ hash, tx: { ...rpc.tx, ...fields }, receipt, trace }, context), context, rulebook);
}

describe('a whole report', () => {
  it('is let pass by its schema, and with one wrong word in thousands is not', async () => {
    const input = await inputOf(2_500);
    expect(() => validate(buildReport(input))).not.toThrow();
    const movements = input.flow.movements.map((movement, i) =>
      i === 2_400 ? { ...movement, kind: 'theft' as 'transfer' } : movement,
    );
    const forged = buildReport({ ...input, flow: { ...input.flow, movements } });
    expect(() => validate(forged)).toThrow('internal report validation');
  });

  it.each([
    [16, false],
    [17, true],
  ])('with %i authorisations says that signatures are unread: %s', async (count, unread) => {
    const tuple = {
      chainId: '0x1',
      address: `0x${'11'.repeat(20)}`,
      nonce: '0x0',
      r: '0x1',
      s: '0x1',
      yParity: '0x0',
    };
    const authorizationList = Array.from({ length: count }, () => tuple);
    const { economics } = buildReport(await inputOf(3, { type: '0x4', authorizationList }));
    expect(economics.warnings.includes('SignaturesUnread')).toBe(unread);
  });
});
