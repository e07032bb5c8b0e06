import type { Evidence, TxReport } from '../../src/model/generated/report.ts';
import type { PreviewReport } from '../../src/tools/preview/preview.ts';

/** Evidence names logs by their index in the block, which a simulation cannot know. */
const placed = (key: string, value: unknown): unknown => {
  const { log_index: log } = (value ?? {}) as Evidence;
  return key === 'evidence' || typeof log === 'number' || key === 'log_range' ? undefined : value;
};

/** What leaves beside the headline's act, which only a preview adds to it. */
const SENDING: Readonly<Record<string, string>> = {
  'userop-first': ', sending 0.00175831 ETH',
  'userop-failed': ', sending 0.000276414 ETH',
  'cow-other-receiver': ', sending 1,500 USDC',
  'aave-flashloan': ', sending 50 DAI',
  'deployment-value': ', sending 1 ETH',
};

/** The headline that a story's preview has, by the one that its mined report has. */
export const previewed = (mined: TxReport, story: string): TxReport => {
  const intent_label = `${mined.classification.intent_label}${SENDING[story] ?? ''}`;
  return { ...mined, classification: { ...mined.classification, intent_label } };
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
