import { ConfigError, readConfig } from '../../../service/config.ts';
import { AnalysisError } from '../../../lib/errors.ts';
import type { Hash } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { fetchContext } from '../../../stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../../../stages/1-fetch/fetchTransaction.ts';
import { planContext } from '../../../stages/1-fetch/context/planContext.ts';
import { createUpstream } from '../../../stages/1-fetch/rpc/upstream.ts';
import { CliError } from './cliIo.ts';
import { allRecordings, findRecording, type Recording } from './recordings.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** A transaction by recording name, by path of a recording, or by hash: recorded ones first, then the node of `RPC_URL`. */
export async function loadTx(
  what: string,
  rulebook: Rulebook,
  places: readonly string[],
): Promise<Recording> {
  if (!HASH.test(what)) return findRecording(what, places);
  const hash = what.toLowerCase() as Hash;
  const recorded = tryRecorded(hash, places);
  return recorded ?? fetchTx(hash, rulebook);
}

function tryRecorded(hash: Hash, places: readonly string[]): Recording | null {
  try {
    return allRecordings(places).find((r) => r.raw.hash === hash) ?? null;
  } catch (error) {
    // No folder of recordings is no fault here, unless it was asked for.
    if (error instanceof CliError && places.length === 0) return null;
    throw error;
  }
}

/** Asks the node of the environment, as the service would. Throws `CliError`. */
export async function fetchTx(hash: Hash, rulebook: Rulebook): Promise<Recording> {
  let config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    throw error instanceof ConfigError ? new CliError(error.message) : error;
  }
  if (config.rpcUrls.length === 0)
    throw new CliError(`${hash} is not recorded, and RPC_URL names no node to ask`);
  const upstream = createUpstream({
    rpcUrls: config.rpcUrls,
    traceUrl: config.traceUrl,
    priceApiUrl: null,
    timeoutMs: config.rpcTimeoutMs,
    retries: config.rpcRetries,
    deadlineMs: config.deadlineMs,
    maxResponseBytes: config.maxResponseBytes,
    maxBatch: config.rpcMaxBatch,
  });
  try {
    const session = upstream.open({
      signal: AbortSignal.timeout(config.deadlineMs),
      deadlineAt: performance.now() + config.deadlineMs,
    });
    const raw = await fetchTransaction(session, hash);
    const context = await fetchContext(session, planContext(raw, rulebook, config.maxTokens), {
      names: config.priceSources,
    });
    return { name: hash, raw, context };
  } catch (error) {
    throw error instanceof AnalysisError ? new CliError(error.message) : error;
  } finally {
    await upstream.close();
  }
}
