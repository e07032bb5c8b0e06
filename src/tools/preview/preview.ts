import { canonicalize } from '../../stages/2-canonical/canonicalize.ts';
import { simulate } from '../../stages/1-fetch/simulate.ts';
import { buildReport } from '../../stages/9-report/buildReport.ts';
import { createReportValidator } from '../../stages/9-report/reportValidator.ts';
import { judge } from '../../analyze.ts';
import { configuredRules, fetchAround, openUpstream } from '../../service/analyzer.ts';
import type { Config } from '../../service/config.ts';
import type { Caveat, Transaction, TxReport } from '../../model/generated/report.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { Simulation, SimulationRequest, SimulationSource } from '../../model/simulation.ts';
import { differencesOfRuns } from './environment.ts';
import { exchangeOf } from './exchange.ts';
import { warningsOf, type Preview, type PreviewWarning } from './warnings.ts';

/** `schemas/http/preview-report.schema.json`: a report in all but what only a mined transaction has. */
export interface PreviewReport extends Omit<TxReport, 'tx'> {
  readonly tx: Omit<Transaction, 'hash' | 'etherscan_url'> & {
    /** Null unless the transaction is signed. */
    readonly hash: string | null;
    readonly etherscan_url: null;
  };
  readonly simulated: {
    /** The block whose state was used. */
    readonly block: number;
    readonly state_overrides: boolean;
    readonly source: SimulationSource;
    /** False where the node ran it with this block's number and time instead of the next one's. */
    readonly next_block: boolean;
  };
  /** Dangers first; empty where none was found. */
  readonly warnings: readonly PreviewWarning[];
}

export interface Previewer {
  /** What a transaction would do. `known`: addresses the signer dealt with. Rejects with `AnalysisError`. */
  preview(
    request: SimulationRequest,
    options?: { readonly known?: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<PreviewReport>;
  close(): Promise<void>;
}

/** Opens previews on the configured nodes. Throws `RulebookError` for rules that do not compile. */
export async function openPreviewer(config: Config): Promise<Previewer> {
  const rulebook = await configuredRules(config);
  const upstream = openUpstream(config);
  const validate = createReportValidator();
  return {
    async preview(request, { known = [], signal = new AbortController().signal } = {}) {
      const session = upstream.open({ signal, deadlineAt: performance.now() + config.deadlineMs });
      const simulation = await simulate(session, request);
      const tx = canonicalize(simulation.raw);
      const found = await fetchAround(session, simulation.raw, tx, { ...config, upstream, rulebook });
      const context = withNextNonces(found.context, tx.from);
      const analysis = await judge(found, context, rulebook);
      const report = buildReport(analysis);
      validate(report);
      const { changes } = simulation;
      const differences = differencesOfRuns(analysis, simulation, request.gas);
      const own = new Set([tx.from, analysis.attribution.actor ?? tx.from]);
      const exchange = exchangeOf(analysis, report, own);
      return {
        ...writePreview(report, simulation, { request, differences, exchange }),
        warnings: warningsOf({ report, request, known, rulebook, changes, differences, exchange }),
      };
    },
    close: () => upstream.close(),
  };
}

/** The preview as a report. Where it has no hash, a text says that it was not sent. */
export function asReport({ tx, simulated, ...report }: PreviewReport): TxReport {
  const hash = tx.hash ?? `not sent: simulated on the state after block ${simulated.block}`;
  return { ...report, tx: { ...tx, hash, etherscan_url: '' } };
}

function writePreview(
  report: TxReport,
  simulation: Simulation,
  { request, differences, exchange }: Pick<Preview, 'request' | 'differences' | 'exchange'>,
): Omit<PreviewReport, 'warnings'> {
  const { classification, tx } = report;
  return {
    ...report,
    tx: { ...tx, hash: request.signed?.hash ?? null, etherscan_url: null },
    classification: {
      ...classification,
      intent_label: exchange.label,
      ...(differences.length > 0 && { status: 'Suspected', confidence: 'Low' }),
      caveats: [
        ...(classification.caveats ?? []),
        ...(differences.length > 0 ? [ENVIRONMENT] : []),
        simulatedCaveat(simulation),
      ],
    },
    simulated: {
      block: Number(simulation.blockNumber),
      state_overrides: Object.keys(request.stateOverrides).length > 0,
      source: simulation.source,
      next_block: simulation.nextBlock,
    },
  };
}

/** Nonces before and after the next block: an authorisation spends one, sending another (EIP-7702). */
function withNextNonces(context: RawContext, sender: Address): RawContext {
  const nonces = new Map(
    [...(context.nonces ?? [])].map(([account, { after: before }]) => [
      account,
      { before, after: before + (account === sender ? 2n : 1n) },
    ]),
  );
  return { ...context, nonces };
}

const ENVIRONMENT: Caveat = {
  code: 'depends_on_environment',
  text: 'Run with another fee, gas limit and fee recipient it does something else; sent, it may do a third.',
};

const simulatedCaveat = ({ blockNumber }: Simulation): Caveat => ({
  code: 'simulated',
  text:
    `Simulated on the state after block ${blockNumber}: other transactions before it, moved prices and ` +
    'the time of its block may change what happens.',
});
