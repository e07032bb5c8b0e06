/** Labelled recordings of mainnet transactions: read as the service reads them, then classified with any rulebook. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { examine, read, type Read } from '../../src/analyze.ts';
import { labelFormat } from '../../src/value/labelFormat.ts';
import { fetchContext } from '../../src/stages/1-fetch/context/fetchContext.ts';
import { planContext } from '../../src/stages/1-fetch/context/planContext.ts';
import { fetchTransaction } from '../../src/stages/1-fetch/fetchTransaction.ts';
import { canonicalize } from '../../src/stages/2-canonical/canonicalize.ts';
import { createUpstream } from '../../src/stages/1-fetch/rpc/upstream.ts';
import { subjectOf } from '../../src/stages/7-intent/intentInput.ts';
import { matchIntents } from '../../src/stages/7-intent/matchIntents.ts';
import { startReplayNode } from '../../test/support/replayNode.ts';
import type { Hash } from '../../src/model/hex.ts';
import type { Verdict } from '../../src/model/intent.ts';
import type { Rulebook } from '../../src/model/rulebook.ts';
import type { RawContext } from '../../src/model/upstream.ts';

/** A recorded transaction with the intents that its label accepts. */
export interface Labelled {
  readonly id: string;
  readonly hash: Hash;
  readonly intents: readonly string[];
  readonly found: Read;
  readonly context: RawContext;
}

interface Line {
  readonly id: string;
  readonly hash: Hash;
  readonly expect?: { readonly intents?: readonly string[] };
}

const CORPUS = new URL('../../../shared/corpus/', import.meta.url).pathname;
export const LABELLED = [
  'labelled-defi',
  'whole-blocks',
  'block-10m',
  'full-traces',
  'geth-tracers',
  'mev-blocks',
].map((name) => `${name}.ndjson.gz`);

function linesOf(file: string): Line[] {
  const path = existsSync(file) ? file : CORPUS + file;
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line).filter(({ expect }) => expect?.intents?.length);
}

/** Every labelled transaction of corpus files, one after the other. */
export async function* labelled(
  files: readonly string[],
  rulebook: Rulebook,
): AsyncGenerator<Labelled, void> {
  const node = await startReplayNode({ dialect: 'geth', files });
  const upstream = createUpstream({
    rpcUrls: [node.url],
    traceUrl: null,
    priceApiUrl: null,
    rpcTimeoutMs: 60_000,
    rpcRetries: 0,
    deadlineMs: 600_000,
    maxResponseBytes: 1 << 30,
    rpcMaxBatch: 1_000,
  });
  for (const { id, hash, expect } of files.flatMap(linesOf)) {
    const deadlineAt = performance.now() + 60_000;
    const session = upstream.open({ signal: new AbortController().signal, deadlineAt });
    const raw = await fetchTransaction(session, hash).catch(() => null);
    if (raw === null) continue;
    const context = await fetchContext(session, planContext(canonicalize(raw), raw, rulebook, 2_000));
    yield { id, hash, intents: expect!.intents!, found: read(raw, context), context };
  }
  await upstream.close();
  await node.close();
}

export function classify({ found, context }: Labelled, rulebook: Rulebook): Promise<Verdict> {
  const examined = examine(found, context, rulebook);
  const input = { ...examined, rulebook, subject: subjectOf(examined.attribution) };
  return matchIntents(input, labelFormat(context.tokens, rulebook));
}
