import { Command } from 'commander';
import pc from 'picocolors';
import type { TxReport } from '../../model/generated/report.ts';
import {
  callText,
  foldReads,
  logText,
  namesIn,
  readsText,
  type Call,
  type CallTree,
} from '../wording/calls.ts';
import { amountText, inWords, type Sentence } from '../wording/sentences.ts';
import { assetsOf } from '../wording/amounts.ts';
import { countText, lower, plural, shortHex, shown } from '../wording/text.ts';
import type { CommonOptions } from './cliIo.ts';
import { terminalWidth, wrap } from './layout.ts';

const HELP = `
Every call in order with its function and arguments, value, gas and failure, logs in place, and what the
report makes of each. Calls that only read are folded.

Examples:
  txreport trace 0x…
  txreport trace 0x… --verbose
  txreport trace 0x… --json | jq '.root.items[0].function'

Exit status: 0 tree printed, 1 analysis failed, 2 wrong arguments or configuration`;

/** `txreport trace`: the calls of one transaction, each with its meaning. */
export const traceCommand = new Command('trace')
  .description('show the calls of one transaction, decoded, with what each means')
  .argument('<hash>', 'transaction hash, an explorer’s link to it, or a recording’s name')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--json', 'print the tree as JSON')
  .option('--verbose', 'unfold reads; print frame paths, gas, full addresses and arguments')
  .addHelpText('after', HELP)
  .action(async (what: string, { json, verbose = false }: CommonOptions) => {
    const { openTraces } = await import('../trace/openTraces.ts');
    const { tree, report } = await (await openTraces())(what);
    process.stdout.write(json ? `${JSON.stringify(tree)}\n` : renderTree(tree, report, verbose));
  });

/** A call tree as text for people. */
export function renderTree(tree: CallTree, report: TxReport, verbose: boolean): string {
  const names = namesIn(tree);
  const account = (address: string): string => {
    const name = names.get(address);
    const hex = verbose ? address : shortHex(address);
    return name === undefined ? hex : `${shown(name, 60)} (${hex})`;
  };
  const assets = assetsOf(report);
  const movement = (index: number): string => {
    const { from, to, asset_id: id, amount_raw: raw } = report.movements![index]!;
    const asset = assets.get(id);
    const amount = asset ? amountText(asset, BigInt(raw)) : `${raw} of ${id}`;
    return pc.green(`${account(from)} → ${account(to)}: ${amount}`);
  };
  const motifs = new Map(report.motifs.map((motif) => [motif.id, lower(motif.kind)]));
  const say = (sentence: Sentence): string => inWords(sentence, { account });
  const lines: string[] = [];
  const line = (depth: number, text: string): void => {
    const indent = '  '.repeat(Math.min(depth, 20));
    lines.push(...wrap(`${indent}${text}`, terminalWidth(), indent.length + 4));
  };
  const most = verbose ? 400 : 42;
  const anchors = (depth: number, item: Pick<Call, 'motifs' | 'movements'>): void => {
    const kinds = item.motifs.map((id) => `${motifs.get(id)}${verbose ? ` ${id}` : ''}`);
    if (kinds.length > 0) line(depth + 1, pc.cyan(`‹ ${kinds.join(', ')} ›`));
    for (const index of item.movements) line(depth + 1, movement(index));
  };
  const add = (call: Call, depth: number): void => {
    const where = verbose ? `[${call.path.join('.')}] ` : '';
    const gas = call.gas_used === null || !verbose ? '' : pc.dim(`  ${countText(call.gas_used)} gas`);
    const text = say(callText(call, most));
    line(depth, `${pc.dim(where)}${call.undone ? pc.red(text) : text}${gas}`);
    anchors(depth, call);
    for (const item of verbose ? call.items : foldReads(call.items)) {
      if (item.kind === 'call') add(item, depth + 1);
      else if (item.kind === 'reads') line(depth + 1, pc.dim(readsText(item)));
      else {
        line(depth + 1, pc.dim(`${verbose ? `log ${item.log_index} ` : ''}${say(logText(item, most))}`));
        anchors(depth + 1, item);
      }
    }
  };
  line(0, pc.bold(shown(report.classification.intent_label, 300)));
  line(0, pc.dim(`${tree.hash}, ${plural(tree.calls, 'call')}`));
  lines.push('');
  add(tree.root, 0);
  if (tree.omitted > 0)
    lines.push('', pc.dim(`${plural(tree.omitted, 'call')} more: the tree is too large to show`));
  return `${lines.join('\n')}\n`;
}
