// A process that analyses large transactions, one at a time. Started and ended by `largeAnalyses.ts`.
import { unpackRulebook } from '../cache/rulebookCache.ts';
import { analyzerDeps, createAnalyze } from '../analyzer.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import { AnalysisError, type ErrorCode } from '../../lib/errors.ts';
import { jsonPieces } from '../../lib/reportJson.ts';
import type { Config } from '../config.ts';
import type { Hash } from '../../model/hex.ts';
import type { UpstreamCallEvent } from '../../model/upstream.ts';

/** The first message to the process. */
export interface AnalysisSetup {
  readonly config: Config;
  /** The rulebook in force, as `packRulebook` writes it. */
  readonly rulebook: Uint8Array;
}

/** Every further message. */
export interface AnalysisTask {
  readonly hash: Hash;
  /** When an answer is due, milliseconds since 1970: starting a process takes time. */
  readonly due: number;
}

/** How the analysis ended, with the measurements for log and metrics. */
export interface AnalysisOutcome {
  readonly done:
    | { readonly intentKind: string }
    | { readonly code: ErrorCode; readonly detail: string | null; readonly cause: string | null };
  readonly stages: readonly (readonly [name: string, ms: number])[];
  readonly calls: readonly UpstreamCallEvent[];
}

/** A message from the process: that it has started, a piece of the report, or the outcome that ends it. */
export type AnalysisMessage =
  | { readonly started: true }
  | { readonly piece: Uint8Array }
  | { readonly outcome: AnalysisOutcome };

function serve({ config, rulebook: packed }: AnalysisSetup): (task: AnalysisTask) => Promise<void> {
  const rulebook = unpackRulebook(packed);
  const analyze = createAnalyze({
    ...analyzerDeps(config, createUpstream(config), () => rulebook),
    serialise: jsonPieces,
  });
  return async ({ hash, due }) => {
    const stages: [string, number][] = [];
    const calls: UpstreamCallEvent[] = [];
    const finish = (done: AnalysisOutcome['done']): void => send({ outcome: { done, stages, calls } });
    try {
      const { json, intentKind } = await analyze(hash, {
        // Aborting kills the process.
        signal: new AbortController().signal,
        deadlineAt: due - performance.timeOrigin,
        onStage: (name, ms) => stages.push([name, ms]),
        onCall: (event) => calls.push(event),
      });
      // One at a time: what waits to be sent is memory beside the pieces themselves.
      for (const piece of json as Uint8Array[]) await sent({ piece });
      finish({ intentKind });
    } catch (error) {
      if (!(error instanceof AnalysisError)) throw error;
      const cause = error.cause === undefined ? null : JSON.stringify(error.cause);
      finish({ code: error.code, detail: error.detail, cause });
    }
  };
}

function send(message: AnalysisMessage): void {
  process.send!(message);
}

/** Resolves when the message is on its way, or its reader gone: the process ends then. */
function sent(message: AnalysisMessage): Promise<void> {
  return new Promise((resolve) => void process.send!(message, () => resolve()));
}

let run: ((task: AnalysisTask) => Promise<void>) | null = null;
process.on('message', (message) => {
  if (run) void run(message as AnalysisTask);
  else {
    run = serve(message as AnalysisSetup);
    send({ started: true });
  }
});
process.on('disconnect', () => process.exit(0));
// A terminal interrupts every process of its group; the service ends this one when it is done.
// `SIGUSR1` would open an inspector.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => {});
