import type { Evidence, TxReport } from '../../src/model/generated/report.ts';
import type { PreviewReport } from '../../src/tools/preview/preview.ts';

/** Evidence names logs by their index in the block, which a simulation cannot know. */
const placed = (key: string, value: unknown): unknown => {
  const { log_index: log } = (value ?? {}) as Evidence;
  return key === 'evidence' || typeof log === 'number' || key === 'log_range' ? undefined : value;
};

/** What a preview must tell as the report of the mined transaction does. */
export const told = (report: TxReport | PreviewReport): unknown =>
  JSON.parse(
    JSON.stringify(
      {
        movements: report.movements,
        motifs: report.motifs,
        positions: report.position_effects,
        allowances: report.allowances,
        headline: [report.classification.intent_kind, report.classification.intent_label],
        status: report.classification.status,
        actor: report.classification.actor,
        sent: report.economics.token_out,
        received: report.economics.token_in,
        net: report.economics.net_usd_before_gas,
      },
      placed,
    ),
  );
