// npm run demo: a local chain, a story told on it, the service beside it, and what the service makes of the story.
// Everything runs on this machine; Ctrl-C leaves nothing behind.
//
//   --all     the hard scenarios too          --once    exit after the table, with status 1 if a row is wrong
//   --port N  the service's port (default: 3000, or any free one where that is taken)
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import pc from 'picocolors';
import { PEOPLE, addressOf } from './accounts.ts';
import { judge, type Judgement, type Report } from './judge.ts';
import { ALL, CORE, runStory, type Story, type Told } from './story.ts';

const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    port: { type: 'string' },
  },
});

interface Row {
  told: Told;
  report: Report | null;
  judgement: Judgement | null;
  error: string | null;
  ms: number;
}
interface Service {
  url: string;
  close(): Promise<void>;
}

const began = performance.now();
const interactive = process.stdout.isTTY === true;
const elapsed = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
let stepOpen = false;

/** One line per step, rewritten in place on a terminal. */
function step(text: string, done = false): void {
  const line = `${done ? pc.green('✓') : pc.cyan('…')} ${text} ${pc.dim(elapsed())}`;
  if (interactive) process.stdout.write(`${stepOpen ? '\r\u001b[2K' : ''}${line}${done ? '\n' : ''}`);
  else if (done) process.stdout.write(`${line}\n`);
  stepOpen = !done;
}

let story: Story | null = null;
let service: Service | null = null;
let playground: { url: string; close(): Promise<void> } | null = null;
let leaving = false;

/** Closes the service's port and kills the node, in that order; a second signal leaves at once. */
async function leave(code: number): Promise<never> {
  if (leaving) process.exit(code);
  leaving = true;
  await Promise.race([Promise.all([service?.close(), playground?.close()]), sleep(3_000)]).catch(() => {});
  await story?.stop();
  process.exit(code);
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void leave(signal === 'SIGINT' ? 130 : 143));
  const scenarios = options.all ? ALL : CORE;
  // The service's code and rules are read while the chain is being built; a failure shows when its turn comes.
  const loading = import('./service.ts');
  loading.catch(() => {});
  story = await runStory({
    scenarios,
    onStep: (text) => step(text),
    onScenario: (scenario, _hash, index, total) =>
      step(`telling the story ${index}/${total}: ${scenario.title}`),
  });
  step(`local chain with ${story.told.length} transactions on ${story.devnet.rpcUrl}`, true);
  step('starting txreport');
  const { rpcUrl } = story.devnet;
  const started = await loading;
  service = await startOn(options.port, (port) => started.startDemoService(rpcUrl, port));
  step(`txreport on ${service.url}`, true);
  const rows = await analyzeAll(service.url, story);
  step(`${rows.length} transactions analysed`, true);
  const wrong = printTable(rows, story);
  if (options.once) return leave(wrong > 0 ? 1 : 0);
  const { buildViewer } = await import('../../viewer/build.ts');
  const { startPlayground } = await import('../../src/tools/playground/startPlayground.ts');
  const { allRecordings } = await import('../../src/tools/cli/rules/recordings.ts');
  await buildViewer();
  playground = await startPlayground({
    port: 0,
    recordings: allRecordings([join(import.meta.dirname, '../recordings')]),
    rpcUrl: story.devnet.rpcUrl,
    reports: service.url,
  });
  printNext(service.url, playground.url, rows);
}

/** On the port asked for; else where every example expects it, or anywhere if that is taken. */
async function startOn(
  port: string | undefined,
  start: (port: number) => Promise<Service>,
): Promise<Service> {
  if (port !== undefined) return start(Number(port));
  return start(3000).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return start(0);
  });
}

async function analyzeAll(url: string, { told, ctx, measure }: Story): Promise<Row[]> {
  const rows: Row[] = new Array(told.length);
  let next = 0;
  let finished = 0;
  const work = async () => {
    while (next < told.length) {
      const index = next++;
      rows[index] = await analyze(url, told[index]!);
      step(`analysing ${(finished += 1)}/${told.length}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  for (const row of rows)
    if (row.report) row.judgement = judge(ctx, row.told, await measure(row.told.hash), row.report);
  return rows;
}

async function analyze(url: string, told: Told): Promise<Row> {
  const started = performance.now();
  const row: Row = { told, report: null, judgement: null, error: null, ms: 0 };
  try {
    const reply = await fetch(`${url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tx_hash: told.hash }),
    });
    const body = (await reply.json()) as Report & { error?: string };
    if (reply.ok) row.report = body;
    else row.error = `${reply.status} ${body.error ?? ''}`;
  } catch (error) {
    row.error = (error as Error).message;
  }
  row.ms = performance.now() - started;
  return row;
}

/** Prints the table and returns how many rows are wrong. */
function printTable(rows: Row[], { ctx }: Story): number {
  const names = new Map<string, string>();
  for (const [name, { address }] of Object.entries(ctx.world.assets)) names.set(address.toLowerCase(), name);
  for (const [name, address] of Object.entries(ctx.world.contracts)) names.set(address.toLowerCase(), name);
  for (const name of PEOPLE) names.set(addressOf(name).toLowerCase(), name);
  const who = (address: string | null) =>
    address === null ? '—' : (names.get(address.toLowerCase()) ?? `${address.slice(0, 8)}…`);
  const width = Math.max(110, Math.min(process.stdout.columns ?? 200, 200));
  // Whole hashes where there is room, for pasting.
  const hashWidth = width >= 160 ? 66 : 12;
  const columns = [hashWidth, 21, 9, 12];
  const rest = width - columns.reduce((sum, n) => sum + n + 1, 0) - 12;
  const line = (cells: string[], mark: string) =>
    `${cells.map((cell, i) => fit(cell, columns[i] ?? rest)).join(' ')} ${mark}`;
  console.log(
    `\n${pc.bold(line(['hash', 'intent', 'status', 'actor', 'what the report says'], 'balances'))}`,
  );
  let wrong = 0;
  for (const { told, report, judgement, error } of rows) {
    const bad = error !== null || judgement!.complaints.length > 0;
    if (bad) wrong += 1;
    const hash = told.hash;
    if (!report || !judgement) {
      console.log(pc.red(line([hash, 'failed', '', '', error ?? ''], '✗')));
      console.log(pc.dim(`  ${told.scenario.name}: ${told.scenario.title}`));
      continue;
    }
    const { intent_kind, status, actor, intent_label } = report.classification;
    const cells = [hash, intent_kind, status, who(actor), intent_label];
    console.log(bad ? pc.yellow(line(cells, judgement.balances ? '✓ ✗' : '✗')) : line(cells, pc.green('✓')));
    if (bad) {
      console.log(pc.dim(`  ${told.scenario.name}: ${told.scenario.title}`));
      for (const complaint of judgement.complaints.slice(0, 4))
        console.log(pc.yellow(`    ${complaint.replace(/0x[0-9a-fA-F]{40}/g, (address) => who(address))}`));
    }
  }
  const exact = rows.filter(({ judgement }) => judgement?.balances).length;
  const mean = rows.reduce((sum, { ms }) => sum + ms, 0) / rows.length;
  console.log(
    `\n${wrong === 0 ? pc.green(`all ${rows.length} as expected`) : pc.yellow(`${wrong} of ${rows.length} not as expected`)}; ` +
      `net amounts equal the chain's balances in ${exact} of ${rows.length}; ${mean.toFixed(0)} ms each, ${elapsed()} in all`,
  );
  return wrong;
}

/** Exactly `width` characters; labels hold only printable text, so length is width well enough. */
const fit = (text: string, width: number) =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);

function printNext(url: string, viewer: string, rows: Row[]): void {
  const example = rows.find(({ told }) => told.scenario.name === 'swap-v2-eth-usdc') ?? rows[0]!;
  console.log(
    `\nStill serving. Try:\n\n  curl -s ${url}/analyze -H 'content-type: application/json' -d '{"tx_hash":"${example.told.hash}"}'\n\nor see it drawn, and try rules on it:\n\n  ${viewer}/?tx=${example.told.hash}\n\nCtrl-C ends it.`,
  );
}

main().catch(async (error: Error) => {
  if (stepOpen) process.stdout.write('\n');
  console.error(`${pc.red('demo failed')}: ${error.message}`);
  if (process.env.DEBUG) console.error(error);
  await leave(1);
});
