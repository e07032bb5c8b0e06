import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { TxReport } from '../../model/generated/report.ts';
import { readPasted } from '../pasted.ts';
import type { PageServer, ViewOptions } from '../view/servePage.ts';
import type { CallTree } from '../wording/calls.ts';
import { AnalysisError } from '../../lib/errors.ts';
import { splitList } from '../../lib/text.ts';
import { CliError, requireTxHash, type CommonOptions } from './cliIo.ts';

const VIEW_HELP = `
Opens the viewer in your browser, served on this machine alone. With a hash it asks your node; with
a report file it needs no node. Without either it shows the start page.

Examples:
  txreport view 0x… --rpc https://your-node.example
  txreport view report.json

Exit status: 0 stopped with Ctrl-C, 1 could not start, 2 wrong arguments or configuration`;

const DEMO_HELP = `
Analyses transactions that come with the package (recorded on a local chain with the real contracts)
and shows one in the viewer, the others in a list beside it, with the rule playground. Needs no node and
no network.

Examples:
  txreport demo
  txreport demo --port 4000 --no-open

Exit status: 0 stopped with Ctrl-C, 1 could not start`;

export interface ViewerOptions extends CommonOptions {
  readonly port: number;
  readonly open: boolean;
}

export const portOption = (text = 'port to listen on'): Option =>
  new Option('-p, --port <port>', text).default(0, 'any free one').argParser(readPort);

/** A port of the command line. Throws `InvalidArgumentError`. */
export function readPort(port: string): number {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new InvalidArgumentError('must be a port number');
  return Number(port);
}

/** `txreport view`: the viewer for one transaction or report file. */
export const viewCommand = new Command('view')
  .description('open a transaction or a report file in the viewer')
  .argument('[target]', 'transaction hash, explorer link, or report file')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .addOption(portOption())
  .option('--no-open', 'print the address and open no browser')
  .addHelpText('after', VIEW_HELP)
  .action(view);

/** `txreport demo`: recorded transactions, analysed and shown in the viewer. */
export const demoCommand = new Command('demo')
  .description('show analysed example transactions in the viewer; needs no node')
  .addOption(portOption())
  .option('--no-open', 'print the address and open no browser')
  .addHelpText('after', DEMO_HELP)
  .action(demo);

async function view(target: string | undefined, options: ViewerOptions): Promise<void> {
  if (target !== undefined && existsSync(target)) {
    const report = await readReport(target);
    const analyze = served([report], 'only the opened file is served');
    return show(options, { analyze }, `/?tx=${report.tx.hash}`);
  }
  if (target !== undefined && readPasted(target).kind === 'unknown')
    throw new CliError(`${target.slice(0, 100)} is neither a file nor a transaction hash`);
  const hash = target === undefined ? null : requireTxHash(target);
  const { openAnalyzer } = await import('./openAnalyzer.ts');
  await using analyzer = await openAnalyzer();
  const { openTraces } = await import('../trace/openTraces.ts');
  const traces = await openTraces();
  const trace = (one: string): Promise<CallTree> =>
    traces(one).then(
      ({ tree }) => tree,
      (error: unknown) => {
        throw error instanceof CliError ? new AnalysisError('trace_unavailable', error.message) : error;
      },
    );
  const analyze = (one: string): Promise<string> => analyzer.analyze(one);
  await show(options, { analyze, trace }, hash === null ? '/' : `/?tx=${hash}`);
}

async function readReport(file: string): Promise<TxReport> {
  const { readValidReports } = await import('./readReports.ts');
  for await (const report of readValidReports(file)) return report;
  throw new CliError(`${file} holds no report`);
}

/** Serialised reports by hash; no other transaction is served. */
function served(reports: Iterable<TxReport>, why: string): ViewOptions['analyze'] {
  const byHash = new Map([...reports].map((report) => [report.tx.hash, JSON.stringify(report)]));
  return async (hash) => byHash.get(hash) ?? notServed(why);
}

function notServed(why: string): never {
  throw new AnalysisError('transaction_not_found', why);
}

/** Recordings of the demo: beside the built code, else those of the working copy. */
const RECORDINGS = ['../../demo/recordings.ndjson.gz', '../../../test/recordings'];

/** Where the demo's recordings lie. */
function demoPlace(): string {
  const place = RECORDINGS.map((path) => join(import.meta.dirname, path)).find((path) => existsSync(path));
  if (place === undefined) throw new CliError('this package was built without the demo’s recordings');
  return place;
}

async function demo(options: ViewerOptions): Promise<void> {
  const { traceOf } = await import('../trace/openTraces.ts');
  const { configuredRules } = await import('../../service/analyzer.ts');
  const { allRecordings } = await import('./rules/recordings.ts');
  const { startPlayground } = await import('../playground/startPlayground.ts');
  const rulebook = await configuredRules({ rulesDirs: [], addressBook: null });
  const recordings = allRecordings([demoPlace()]);
  const recorded = new Map(recordings.map((one) => [one.raw.hash as string, one]));
  const reports = new Map<string, TxReport>();
  for (const [hash, one] of recorded) reports.set(hash, (await traceOf(one, rulebook)).report);
  const examples = [...reports].map(
    ([hash, { classification: c }]) => [hash, c.intent_label, c.category ?? 'other', c.status] as const,
  );
  process.stdout.write(`${reports.size} example transactions analysed\n`);
  const why = 'the demo has no node';
  const analyze = served(reports.values(), why);
  const trace = async (hash: string): Promise<CallTree> =>
    (await traceOf(recorded.get(hash) ?? notServed(why), rulebook)).tree;
  const { port } = options;
  const server = await startPlayground({ port, recordings, reports: { analyze, trace, examples } });
  return showServed(server, `/?tx=${richest(reports.values())}`, options);
}

/** `txreport rules playground`: rules tried on transactions in the viewer, by recordings and the node. */
export async function playground(options: ViewerOptions & { recordings?: readonly string[] }): Promise<void> {
  const { allRecordings, recordingPlaces } = await import('./rules/recordings.ts');
  const { startPlayground } = await import('../playground/startPlayground.ts');
  const places = options.recordings ?? recordingPlaces().filter((place) => existsSync(place));
  const recordings = allRecordings(places.length > 0 ? places : [demoPlace()]);
  const [rpcUrl] = splitList(process.env['RPC_URL']);
  const server = await startPlayground({ port: options.port, recordings, rpcUrl });
  return showServed(server, '/?view=playground', options);
}

/** The proven example with the most kinds of steps: the one to open first. */
function richest(reports: Iterable<TxReport>): string {
  const proven = [...reports].filter(({ classification }) => classification.status === 'Proven');
  const kinds = ({ motifs }: TxReport): number => new Set(motifs.map(({ kind }) => kind)).size;
  return proven.reduce((best, one) => (kinds(one) > kinds(best) ? one : best)).tx.hash;
}

/** Serves the viewer until Ctrl-C. */
async function show(
  options: ViewerOptions,
  answers: Pick<ViewOptions, 'analyze' | 'trace' | 'examples'>,
  path: string,
): Promise<void> {
  const { startView } = await import('../view/servePage.ts');
  await showServed(await startView({ port: options.port, ...answers }), path, options);
}

/** Opens a served page, and closes its server at Ctrl-C. */
async function showServed(server: PageServer, path: string, { open }: ViewerOptions): Promise<void> {
  const url = `${server.url}${path}`;
  process.stdout.write(`${url}\nCtrl-C stops it\n`);
  if (open) openBrowser(url);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
}

/** Opens the system's browser; where there is none, the printed address is enough. */
function openBrowser(url: string): void {
  const commands: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };
  spawn(commands[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

const HELP = `
One line per transaction, then what several of them show together: sandwiches with their victims and
losses, back-runs, liquidity around one trade, and what the builder earned. Each finding says whether
it is Proven or Suspected, and why. --json prints one object: the block, its reports (each with
in_block: its place and its part in findings) and the findings. Where transactions have no report,
findings are of a part of the block: the text says so, and "partial" is true.

Examples:
  txreport block 17073191
  txreport block latest --json | jq .findings
  txreport block 17073191 --view

Exit status: 0 every transaction has a report, 1 some have none, 2 wrong arguments or configuration`;

interface BlockCommandOptions extends ViewerOptions {
  readonly view?: boolean;
}

/** `txreport block`: one block's transactions and findings. */
export const blockCommand = new Command('block')
  .description('analyze one block: its transactions, and what several of them show together')
  .argument('<block>', 'number, hash, or latest')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--json', 'print everything as one JSON object')
  .option('--view', 'open the block in the viewer')
  .addOption(portOption('with --view: port to listen on'))
  .option('--no-open', 'with --view: print the address and open no browser')
  .addHelpText('after', HELP)
  .action(runBlock);

async function runBlock(text: string, options: BlockCommandOptions): Promise<void> {
  const { analyzeOneBlock } = await import('./blocks/oneBlock.ts');
  const found = await analyzeOneBlock(text);
  const reports = found.reports.map((json) => JSON.parse(json) as TxReport);
  for (const { tx_hash, error } of found.failures) process.stderr.write(`${tx_hash}: ${error}\n`);
  const { renderBlock, inBlock, linesOfTransactions } = await import('./blocks/renderBlock.ts');
  const block = { ...found, number: Number(found.number), reports };
  if (options.view) {
    const lines = linesOfTransactions(block);
    const examples = reports.map(({ tx }, i) => [tx.hash, lines[i]!] as const);
    return show(options, { analyze: served(reports, 'only this block is served'), examples }, '/');
  }
  const { number, hash, transactions, indexes, findings, failures } = block;
  const partial = failures.length > 0;
  const toJson = (): string =>
    JSON.stringify({
      schema_version: 1,
      block: { number, hash, transactions, partial },
      transactions: reports.map((one, i) => ({ ...one, in_block: inBlock(one, indexes[i]!, findings) })),
      findings,
      failures,
    });
  process.stdout.write(options.json ? `${toJson()}\n` : renderBlock(block));
  if (partial) process.exitCode = 1;
}
