import { analyzeRaw } from '../../src/analyze.ts';
import { buildExample, type BuiltExample } from '../../src/rules/example.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import type { RawExampleStep, RawExampleTransaction } from '../../src/model/generated/rules.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';

const rulebook = loadRules();
const validate = createReportValidator();

export interface MadeUpReport {
  readonly report: TxReport;
  /** Lower-case address of a word of the example. */
  readonly addressOf: BuiltExample['addressOf'];
  /** `category effect owner: role delta` of each position effect's assets, with the example's words. */
  readonly positions: readonly string[];
}

/** The report of a transaction that never was, by the whole pipeline and the shipped rules. */
export async function reportOf(example: RawExampleTransaction): Promise<MadeUpReport> {
  const { raw, context, addressOf, inWords } = buildExample(example);
  const report = await analyzeRaw(raw, context, rulebook);
  validate(report);
  const positions = report.position_effects.map((p) => {
    const parts = p.underlying.map((u) => `${u.role} ${u.delta_raw}`).join(', ');
    return inWords(`${p.category} ${p.effect} ${p.owner.toLowerCase()}: ${parts}`);
  });
  return { report, addressOf, positions };
}

/** A step that moves value. */
export function move(
  amount: string | number,
  asset: string,
  from: string,
  to: string,
): Extract<RawExampleStep, { move: unknown }> {
  return { move: amount, asset, from, to };
}

/** A step that logs an event. */
export function event(
  signature: string,
  by: string,
  args: Extract<RawExampleStep, { event: string }>['args'] = [],
): Extract<RawExampleStep, { event: string }> {
  return { event: signature, by, args };
}
