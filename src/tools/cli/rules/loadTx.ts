import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../service/config.ts';
import { AnalysisError } from '../../../lib/errors.ts';
import type { Hash, Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { Upstream } from '../../../stages/1-fetch/rpc/upstream.ts';
import { pastedHash, readPasted } from '../../pasted.ts';
import { CliError, requireTxHash, type CliIo } from '../cliIo.ts';
import { allRecordings, findRecording, recordingPlaces, type Recording } from './recordings.ts';
import { isArchive } from '../../../rules/read/archive.ts';
import { RECORDINGS } from '../../../rules/read/readRuleFiles.ts';
import { openSoundRuleset, rulesetDirs } from './rulesets.ts';
import { examine, read, type Examined } from '../../../analyze.ts';
import { labelFormat } from '../../../value/labelFormat.ts';
import { executionPayments } from '../../../value/parties/execution.ts';
import type { IntentInput } from '../../../stages/7-intent/intentInput.ts';
import { explainIntents, type ExplainedVerdict } from '../../../stages/7-intent/matchIntents.ts';

/** A transaction by name or path of a recording, or by hash: recorded ones first, then the node's. */
export async function loadTx(
  what: string,
  rulebook: Rulebook,
  places: readonly string[],
): Promise<Recording> {
  const hash = pastedHash(what) as Hash | null;
  if (hash !== null) return tryRecorded(hash, places) ?? fetchTx(hash, rulebook);
  try {
    return findRecording(what, places);
  } catch (error) {
    // Explains a text that is no name.
    if (readPasted(what).kind !== 'unknown') requireTxHash(what);
    throw error;
  }
}

function tryRecorded(hash: Hash, places: readonly string[]): Recording | null {
  try {
    return allRecordings(places).find((r) => r.raw.hash === hash) ?? null;
  } catch (error) {
    // No folder of recordings is no fault where a hash was asked for.
    if (error instanceof CliError) return null;
    throw error;
  }
}

/** Asks the node of the environment, as the service would. Throws `CliError`. */
async function fetchTx(hash: Hash, rulebook: Rulebook): Promise<Recording> {
  // Recorded transactions need no node, and its client takes 80 ms to load.
  const { readCliConfig } = await import('../openAnalyzer.ts');
  const { createUpstream } = await import('../../../stages/1-fetch/rpc/upstream.ts');
  const config = readCliConfig(`${hash} is not recorded, and RPC_URL names no node to ask`);
  await using upstream = createUpstream({ ...config, priceApiUrl: null });
  try {
    return await fetchRecording(hash, { upstream, config, rulebook });
  } catch (error) {
    throw error instanceof AnalysisError ? new CliError(error.message) : error;
  }
}

/** A node's answers about a transaction, as a recording. Throws `AnalysisError`. */
export async function fetchRecording(
  hash: Hash,
  { upstream, config, rulebook }: { upstream: Upstream; config: Config; rulebook: Rulebook },
): Promise<Recording> {
  const session = upstream.open({
    signal: AbortSignal.timeout(config.deadlineMs),
    deadlineAt: performance.now() + config.deadlineMs,
  });
  const { fetchAnswers } = await import('../../../service/analyzer.ts');
  const { maxTokens, priceSources } = config;
  const answers = await fetchAnswers(session, hash, { upstream, rulebook, maxTokens, priceSources });
  return { name: hash, raw: answers.raw, context: answers.context };
}

/** Saves the node's answers about a transaction, so that examples can name it and tests need no node. */
export async function recordTx(
  pasted: string,
  options: { name: string; out?: string; dirs?: readonly string[] },
  io: CliIo,
): Promise<void> {
  const hash = requireTxHash(pasted);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(options.name))
    throw new CliError(`${options.name} cannot be the name of a file`);
  const dirs = rulesetDirs(options.dirs);
  const { rulebook } = openSoundRuleset(dirs);
  const overlay = dirs.slice(1).findLast((dir) => !isArchive(dir));
  const folder =
    options.out ?? (await confirmed(overlay ? join(overlay, RECORDINGS) : recordingPlaces()[0]!));
  const path = join(folder, `${options.name}.json`);
  if (existsSync(path)) throw new CliError(`${path} exists: nothing is overwritten`);
  const recording = await fetchTx(hash, rulebook);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(recordingJson(recording, options.name))}\n`);
  io.out(`wrote ${path}`);
}

/** The folder, if the user agrees. Throws `CliError` for another answer, and without a terminal. */
async function confirmed(folder: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CliError(`say where to write: --out ${folder}`);
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if (/^y(es)?$/i.test((await terminal.question(`write to ${folder}? [y/N] `)).trim())) return folder;
  } finally {
    terminal.close();
  }
  throw new CliError('nothing written: --out names another folder');
}

/** The file format that `recordings.ts` reads. Prices are left out: rules never see them. */
function recordingJson({ raw, context }: Recording, name: string): object {
  const { dialect, result } = raw.trace;
  const trace = dialect === 'parity' ? { trace: result } : { callTracer: result };
  const tokens = [...context.tokens].map(([address, { symbol, name, decimals }]) => [
    address,
    { symbol, name, decimals },
  ]);
  const nonces = [...(context.nonces ?? [])].map(([account, { before, after }]) => [
    account,
    [Number(before), Number(after)],
  ]);
  return {
    name,
    hash: raw.hash,
    rpc: { tx: raw.tx, receipt: raw.receipt, block: context.block, ...trace },
    tokens: Object.fromEntries(tokens),
    delegations: Object.fromEntries(context.delegations),
    redelegated: [...(context.redelegated ?? [])],
    holders: Object.fromEntries(context.holders ?? []),
    nonces: Object.fromEntries(nonces),
  };
}

/** The rules' result for a transaction, seen from one account. */
export interface SubjectReading {
  readonly account: Address;
  readonly explained: ExplainedVerdict;
}

export interface ExaminedTx extends Examined {
  readonly recording: Recording;
  /** Input of the intent stage for the subject. */
  readonly input: IntentInput;
  /** The elected actor (the signer without one), or the account asked for. */
  readonly reading: SubjectReading;
  /** Reads the transaction from another candidate's place. */
  readonly readAs: (account: Address) => Promise<SubjectReading>;
}

/** Runs the pipeline up to the verdict, explained; `actor` overrides the elected subject. */
export async function examineTx(
  recording: Recording,
  rulebook: Rulebook,
  actor?: string,
): Promise<ExaminedTx> {
  const { raw, context } = recording;
  const examined = examine(read(raw, context), context, rulebook);
  const { subject: elected } = examined;
  const format = labelFormat(examined.context.tokens, rulebook, examined.suspects.mentioned);
  const inputAs = (account: Address): IntentInput => {
    const entity = new Set([account]);
    const payments = executionPayments({ ...examined, rulebook }, entity, elected.mode);
    const subject = account === elected.account ? elected : { ...elected, account, entity, payments };
    return { ...examined, rulebook, subject };
  };
  const readAs = async (account: Address): Promise<SubjectReading> => ({
    account,
    explained: await explainIntents(inputAs(account), format),
  });
  const account = (actor as Address | undefined) ?? elected.account;
  return { ...examined, recording, input: inputAs(account), reading: await readAs(account), readAs };
}
