import { canonicalize } from '../../stages/2-canonical/canonicalize.ts';
import { simulate } from '../../stages/1-fetch/simulate.ts';
import { buildReport } from '../../stages/9-report/buildReport.ts';
import { createReportValidator } from '../../stages/9-report/reportValidator.ts';
import { computeEconomics } from '../../stages/8-economics/computeEconomics.ts';
import { judge, type Analysis } from '../../analyze.ts';
import { configuredRules, fetchAround } from '../../service/analyzer.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import type { Config } from '../../service/config.ts';
import type { Caveat, Transaction, TxReport } from '../../model/generated/report.ts';
import type { Hash, Hex } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type {
  SignedMeaning,
  Simulation,
  SimulationRequest,
  SimulationSource,
} from '../../model/simulation.ts';
import type { Allowance, ValueFlow } from '../../model/valueFlow.ts';
import { risenAllowances } from './silentAllowances.ts';
import { checksumAddress } from '../../evm/address.ts';
import { wordOf } from '../../evm/hex.ts';
import { TRANSFER } from '../../evm/tokenTopics.ts';
import { isoTime } from '../../stages/9-report/writeTransaction.ts';
import { timeText } from '../wording/text.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import { differencesOfRuns, isGrant } from './environment.ts';
import { exchangeOf } from './exchange.ts';
import { warningsOf, type Preview, type PreviewWarning } from './warnings.ts';

/** `schemas/http/preview-report.schema.json`: a report without the fields of a mined one. */
export interface PreviewReport extends Omit<TxReport, 'tx'> {
  readonly tx: Omit<Transaction, 'hash' | 'etherscan_url'> & {
    /** Null unless the transaction is signed. */
    readonly hash: string | null;
    readonly etherscan_url: null;
  };
  readonly simulated: {
    /** The block of the state used. */
    readonly block: number;
    readonly state_overrides: boolean;
    readonly source: SimulationSource;
    /** False where the node ran it with this block's number and time instead of the next one's. */
    readonly next_block: boolean;
  };
  /** Dangers first; empty where none was found. */
  readonly warnings: readonly PreviewWarning[];
}

export interface Previewer extends AsyncDisposable {
  /**
   * The report of a transaction before it is sent. `known`: addresses the signer dealt with.
   * Rejects with `AnalysisError`.
   */
  preview(
    request: SimulationRequest,
    options?: { readonly known?: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<PreviewReport>;
  close(): Promise<void>;
}

/** Opens previews on the configured nodes. Throws `RulebookError` for rules that do not compile. */
export async function openPreviewer(config: Config): Promise<Previewer> {
  const rulebook = await configuredRules(config);
  const upstream = createUpstream(config);
  const validate = createReportValidator();
  return {
    async preview(request, { known = [], signal = new AbortController().signal } = {}) {
      const session = upstream.open({ signal, deadlineAt: performance.now() + config.deadlineMs });
      const simulation = await simulate(session, request);
      const { typed } = request;
      const tx = canonicalize(simulation.raw);
      const [found, risen] = await Promise.all([
        fetchAround(session, simulation.raw, withOffers(tx, typed), { ...config, upstream, rulebook }),
        risenAllowances(tx, { session, request, run: simulation, rulebook }),
      ]);
      const context = inNextBlock(found.context, tx);
      const analysis = withOffered(await judge({ ...found, tx }, context, rulebook), typed);
      const report = buildReport({ ...analysis, flow: withRisen(analysis.flow, risen) });
      validate(report);
      const { changes, nextNonce } = simulation;
      const different = differencesOfRuns(analysis, simulation);
      // A call that fails with its own gas and not with more does nothing.
      const { gas, signed } = request;
      const lacksGas = gas !== null && signed === null && !tx.succeeded && different.length > 0;
      const differences = lacksGas ? [] : different;
      const own = new Set([tx.from, analysis.attribution.actor ?? tx.from]);
      const exchange = exchangeOf(analysis, report, { own, ...(typed && { offered: typed.moves }) });
      const seen = { report, request, known, rulebook, changes, nextNonce, differences, lacksGas, exchange };
      return { ...writePreview(report, simulation, seen), warnings: warningsOf(seen) };
    },
    close: upstream.close,
    [Symbol.asyncDispose]: upstream.close,
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
  const { classification, tx, execution } = report;
  const isOpen = differences.length > 0 || (request.typed !== null && execution.reverted);
  return {
    ...report,
    tx: { ...tx, hash: request.signed?.hash ?? null, etherscan_url: null },
    classification: {
      ...classification,
      intent_label: exchange.label,
      ...(isOpen && { status: 'Suspected', confidence: 'Low' }),
      caveats: [
        ...(classification.caveats ?? []),
        ...(differences.length > 0 ? [ENVIRONMENT] : []),
        ...(request.typed === null ? [] : [signatureCaveat(request.typed)]),
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

/** Nonces and delegations of the next block: an authorisation spends a nonce and sets code (EIP-7702). */
function inNextBlock(context: RawContext, { from: sender, authorizations }: CanonicalTx): RawContext {
  const nonces = new Map(
    [...(context.nonces ?? [])].map(([account, { after: before }]) => [
      account,
      { before, after: before + (account === sender ? 2n : 1n) },
    ]),
  );
  const delegations = new Map(context.delegations);
  for (const { authority, address, nonce } of authorizations)
    if (authority !== null && nonces.get(authority)?.after === nonce + 1n)
      delegations.set(authority, address);
  return { ...context, nonces, delegations, redelegated: new Set() };
}

/** With prices of the assets that a signature offers. */
function withOffered(analysis: Analysis, typed: SimulationRequest['typed']): Analysis {
  if (typed === null || typed.moves.length === 0) return analysis;
  const assets = new Map(analysis.flow.assets);
  for (const { asset } of typed.moves) assets.set(asset.id, asset);
  const economics = computeEconomics({ ...analysis, flow: { ...analysis.flow, assets } });
  return { ...analysis, economics };
}

const NO_PLACE = { logIndex: 0, index: 0, frame: null, seq: 0 } as const;

/** With a transfer of each token that a signature offers: their names and prices are asked for. */
function withOffers(tx: CanonicalTx, typed: SimulationRequest['typed']): CanonicalTx {
  const topics = [TRANSFER, ...[tx.from, tx.from].map((one): Hex => `0x${wordOf(one)}`)] as readonly Hash[];
  const logs = (typed?.moves ?? []).flatMap(({ asset: { address } }) =>
    address === null ? [] : [{ address, topics, data: '0x' as const, ...NO_PLACE }],
  );
  return logs.length === 0 ? tx : { ...tx, logs: [...tx.logs, ...logs] };
}

/** With the allowances that no log states. */
function withRisen(flow: ValueFlow, risen: readonly Allowance[]): ValueFlow {
  const keyOf = ({ token, owner, spender }: Allowance): string => `${token} ${owner} ${spender}`;
  const logged = new Set(flow.allowances.filter(isGrant).map(keyOf));
  return { ...flow, allowances: [...flow.allowances, ...risen.filter((one) => !logged.has(keyOf(one)))] };
}

const ENVIRONMENT: Caveat = {
  code: 'depends_on_environment',
  text: 'Run with another fee, gas limit and fee recipient it does something else; sent, it may do a third.',
};

const signatureCaveat = ({ contract, until }: SignedMeaning): Caveat => {
  const end = timeText(isoTime(until));
  const time = end === null ? 'it never expires' : `it is valid until ${end}`;
  return {
    code: 'signature',
    text: `A signature for ${checksumAddress(contract)}, shown as a transaction that does the same: ${time}.`,
  };
};

const simulatedCaveat = ({ blockNumber }: Simulation): Caveat => ({
  code: 'simulated',
  text:
    `Simulated on the state after block ${blockNumber}: other transactions before it, moved prices and ` +
    'the time of its block may change what happens.',
});
