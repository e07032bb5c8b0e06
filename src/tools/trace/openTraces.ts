import { judge, read } from '../../analyze.ts';
import { loadRules } from '../../service/loadRules.ts';
import { readConfig } from '../../service/config.ts';
import { buildReport } from '../../stages/9-report/buildReport.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import { loadTx } from '../cli/rules/loadTx.ts';
import { recordingPlaces, type Recording } from '../cli/rules/recordings.ts';
import type { CallTree } from '../wording/calls.ts';
import { callTree } from './callTree.ts';

/** A transaction's calls and its report, from one analysis. */
export interface Traced {
  readonly tree: CallTree;
  readonly report: TxReport;
}

/** The call tree of a recorded transaction. */
export async function traceOf({ raw, context }: Recording, rulebook: Rulebook): Promise<Traced> {
  const analysis = await judge(read(raw, context), context, rulebook);
  const report = buildReport(analysis);
  const tree = callTree({ tx: analysis.tx, report, rulebook, tokens: analysis.context.tokens });
  return { tree, report };
}

/** Reads call trees by hash, from recordings or the node of `RPC_URL`. Rejects with `CliError`. */
export function openTraces(): (what: string) => Promise<Traced> {
  const rulebook = loadRules(readConfig(process.env).rulesDirs);
  return async (what) => traceOf(await loadTx(what, rulebook, recordingPlaces()), rulebook);
}
