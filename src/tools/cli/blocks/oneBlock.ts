import { analyzerDeps, configuredRules } from '../../../service/analyzer.ts';
import { createUpstream } from '../../../stages/1-fetch/rpc/upstream.ts';
import { createAnalyzeBlock, type BlockReports } from '../../../service/analyzeBlock.ts';
import { newestBlock, resolveBlocks, type BlockRef } from '../../../stages/1-fetch/block/resolveBlocks.ts';
import { AnalysisError } from '../../../lib/errors.ts';
import { readPasted } from '../../pasted.ts';
import { CliError } from '../cliIo.ts';
import { BLOCK_DEADLINE_MS, readBlockConfig } from './blockBatch.ts';
import type { BlockId } from '../../../traces/traceApi.ts';
import type { Address, Hash } from '../../../model/hex.ts';

/** Opens analyses of blocks, or of their transactions that name one of the addresses. */
export async function openBlocks(
  onNote: (note: string) => void,
  addresses: readonly Address[] | null = null,
) {
  const config = readBlockConfig();
  const rulebook = await configuredRules(config);
  const upstream = createUpstream(config);
  const filter = { intents: null, addresses, findings: addresses === null };
  const deps = analyzerDeps(config, upstream, () => rulebook);
  const analyzeBlock = createAnalyzeBlock(deps, filter, onNote);
  return {
    rulebook,
    /** Null for the newest block; null where the node does not have it. Rejects with `AnalysisError`. */
    async analyze(ref: BlockRef | null): Promise<(BlockReports & BlockId) | null> {
      const deadlineAt = performance.now() + BLOCK_DEADLINE_MS;
      const options = { signal: new AbortController().signal, deadlineAt };
      const session = upstream.open(options);
      const [id] = await resolveBlocks(session, [ref ?? (await newestBlock(session))]);
      return id ? { ...(await analyzeBlock(id, options)), ...id } : null;
    },
    [Symbol.asyncDispose]: () => upstream.close(),
  };
}

/**
 * Analyzes one block, or its transactions that name one of the addresses. Throws `CliError` for text that is
 * no block, `AnalysisError` of the block itself.
 */
export async function analyzeOneBlock(text: string, addresses: readonly Address[] | null = null) {
  const ref = refOf(text);
  await using blocks = await openBlocks((note) => void process.stderr.write(`${note}\n`), addresses);
  const found = await blocks.analyze(ref);
  if (found === null) throw new AnalysisError('upstream_rpc', 'the node does not have this block');
  return found;
}

/** Null for the newest block. */
function refOf(text: string): BlockRef | null {
  const { kind, value } = readPasted(text);
  if (kind === 'block' && value === 'latest') return null;
  if (kind === 'block' && !value.startsWith('0x')) return BigInt(value);
  if (kind === 'block' || (kind === 'transaction' && !text.includes('/'))) return value as Hash;
  const instead = kind === 'transaction' ? `; for a transaction: txreport analyze ${value}` : '';
  throw new CliError(`${text.slice(0, 100)} is no block number, hash or \`latest\`${instead}`);
}
