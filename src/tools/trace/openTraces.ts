import { judge, read } from '../../analyze.ts';
import { configuredRules } from '../../service/analyzer.ts';
import { readConfig } from '../../service/config.ts';
import { buildReport } from '../../stages/9-report/buildReport.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { loadTx } from '../cli/rules/loadTx.ts';
import { recordingPlaces, type Recording } from '../cli/rules/recordings.ts';
import { callTree } from './callTree.ts';

export type Traced = Awaited<ReturnType<typeof traceOf>>;
export type Traces = Awaited<ReturnType<typeof openTraces>>;

/** The call tree of a recorded transaction and its report, from one analysis. */
export async function traceOf({ raw, context }: Recording, rulebook: Rulebook) {
  const analysis = await judge(read(raw, context), context, rulebook);
  const report = buildReport(analysis);
  const tree = callTree({ tx: analysis.tx, report, rulebook, tokens: analysis.context.tokens });
  return { tree, report };
}

/** Reads call trees by hash, from recordings or the node of `RPC_URL`. Rejects with `CliError`. */
export async function openTraces(loaded?: Rulebook) {
  const rulebook = loaded ?? (await configuredRules(readConfig(process.env)));
  return async (what: string) => traceOf(await loadTx(what, rulebook, recordingPlaces()), rulebook);
}
