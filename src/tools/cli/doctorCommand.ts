import type { Command } from 'commander';
import pc from 'picocolors';
import { splitList } from '../../lib/text.ts';
import { separateCredentials } from '../verify/fetchRawAnswers.ts';

const HELP = `
Asks the node what txreport needs of it, and says what will be missing and how to get it. Nothing is analysed.

Examples:
  txreport doctor --rpc http://127.0.0.1:8545
  RPC_URL=https://your-node.example txreport doctor --json

Exit status: 0 everything needed is there, 1 something is missing, 2 no node given`;

/** `txreport doctor`: tests the nodes of the configuration. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('test the node: what it can do, how fast, what will be missing')
    .option('--rpc <urls>', 'nodes to test, several comma-separated (default: RPC_URL and TRACE_URL)')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', HELP)
    .action(async ({ rpc, json = false }: { rpc?: string; json?: boolean }) => {
      process.exitCode = await doctor(rpc, json);
    });
}

/**
 * One thing that was tried. `need`: without it no report; `old`: needed for old transactions; `extra`: speed
 * or batches.
 */
interface Finding {
  readonly check: string;
  readonly need: 'need' | 'old' | 'extra';
  readonly ok: boolean;
  readonly ms: number;
  readonly detail: string;
  /** The consequence of a failure, and the remedy. */
  readonly advice: string;
}

interface Diagnosis {
  readonly node: string;
  readonly findings: readonly Finding[];
}

async function doctor(rpc: string | undefined, json: boolean): Promise<number> {
  const listed = rpc ?? [process.env['RPC_URL'], process.env['TRACE_URL']].filter(Boolean).join(',');
  const urls = splitList(listed).filter((url) => URL.canParse(url) && /^https?:/.test(url));
  if (urls.length === 0) {
    process.stderr.write('no node to test: give --rpc or set RPC_URL to an http or https address\n');
    return 2;
  }
  const all: Diagnosis[] = [];
  // Nodes are numbered as in logs: their addresses may hold keys.
  for (const [i, url] of urls.entries())
    all.push({ node: `upstream-${i + 1}`, findings: await examineNode(url) });
  if (json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  else for (const one of all) print(one);
  return canReport(all) ? 0 : 1;
}

/**
 * Every need is met by some node; either trace method is enough, and may come from another node than the
 * rest.
 */
function canReport(all: readonly Diagnosis[]): boolean {
  const needed = all.flatMap(({ findings }) => findings).filter(({ need }) => need === 'need');
  const needOf = ({ check }: Finding): string => check.replace(/^(debug_trace|trace_)\w+/, 'trace');
  return [...new Set(needed.map(needOf))].every((need) => needed.some((f) => f.ok && needOf(f) === need));
}

function print({ node, findings }: Diagnosis): void {
  process.stdout.write(`${pc.bold(node)}\n`);
  for (const { check, ok, ms, detail } of findings) {
    const mark = ok ? pc.green('✓') : pc.red('✗');
    process.stdout.write(
      `  ${mark} ${check.padEnd(32)} ${pc.dim(`${ms.toFixed(0).padStart(6)} ms`)}  ${detail}\n`,
    );
  }
  const missing = findings.filter(({ ok }) => !ok);
  for (const { check, advice } of missing) process.stdout.write(`  ${pc.yellow(check)}: ${advice}\n`);
  if (missing.length === 0) process.stdout.write(`  ${pc.green('everything is there')}\n`);
}

const TIMEOUT_MS = 20_000;
/** April 2020: every pruned node has dropped the state. */
const OLD_BLOCK = '0x961860';
/** Blocks behind the head from which a recent transaction is taken. */
const RECENT = 5n;

type Asked = { readonly result: unknown; readonly error: string | null };

/** One JSON-RPC request, or a batch of them. Never throws; the error text holds no address. */
async function post(url: string, body: unknown): Promise<unknown> {
  const { url: target, headers } = separateCredentials(url);
  const response = await fetch(target, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<Asked> {
  try {
    const answer = (await post(url, { jsonrpc: '2.0', id: 1, method, params })) as {
      result?: unknown;
      error?: { message?: unknown };
    };
    if (answer?.error) return { result: null, error: String(answer.error.message).slice(0, 120) };
    return { result: answer?.result ?? null, error: answer?.result == null ? 'empty answer' : null };
  } catch (error) {
    const timedOut = (error as Error).name === 'TimeoutError';
    return { result: null, error: timedOut ? `no answer in ${TIMEOUT_MS / 1_000} s` : 'no JSON-RPC answer' };
  }
}

interface Check {
  readonly check: string;
  readonly need: Finding['need'];
  readonly advice: string;
  run(): Promise<Asked>;
  /** Words for a result; an `error` makes it a failure. */
  judge?(result: unknown): { readonly detail?: string; readonly error?: string };
}

async function carryOut({ check, need, advice, run, judge }: Check): Promise<Finding> {
  const began = performance.now();
  const { result, error } = await run();
  const ms = performance.now() - began;
  const judged = error === null ? (judge?.(result) ?? {}) : { error };
  return {
    check,
    need,
    ms,
    advice,
    ok: judged.error === undefined,
    detail: judged.error ?? judged.detail ?? '',
  };
}

async function examineNode(url: string): Promise<Finding[]> {
  const call =
    (method: string, ...params: unknown[]) =>
    () =>
      ask(url, method, params);
  const head = await carryOut({
    check: 'Ethereum mainnet',
    need: 'need',
    advice: 'this endpoint does not answer as Ethereum mainnet: check the address and the key.',
    run: call('eth_chainId'),
    judge: (id) => (BigInt(id as string) === 1n ? { detail: 'chain 1' } : { error: `chain ${String(id)}` }),
  });
  if (!head.ok) return [head];
  const number = await ask(url, 'eth_blockNumber', []);
  const recent = `0x${(BigInt((number.result as string | null) ?? '0x0') - RECENT).toString(16)}`;
  const [fresh, old] = [await firstTransaction(url, recent), await firstTransaction(url, OLD_BLOCK)];
  const findings = [head, await batches(url)];
  for (const check of [
    ...traceChecks('recent', fresh.hash, call),
    ...traceChecks('old', old.hash, call),
    ...blockChecks(fresh, call),
  ])
    findings.push(await carryOut(check));
  return withEitherTrace(findings);
}

async function firstTransaction(
  url: string,
  block: string,
): Promise<{ hash: string | null; block: string | null }> {
  const { result } = await ask(url, 'eth_getBlockByNumber', [block, false]);
  const { transactions, hash } = (result ?? {}) as { transactions?: string[]; hash?: string };
  return { hash: transactions?.[0] ?? null, block: hash ?? null };
}

type Call = (method: string, ...params: unknown[]) => () => Promise<Asked>;
const NO_TX = (): Promise<Asked> => Promise.resolve({ result: null, error: 'no transaction to try it on' });

/** Both trace methods on one transaction; either is enough. */
function traceChecks(age: 'recent' | 'old', hash: string | null, call: Call): Check[] {
  const need = age === 'recent' ? 'need' : 'old';
  const advice =
    age === 'recent'
      ? 'no reports without traces: enable the debug or trace module, choose a plan that has it, ' +
        'or set TRACE_URL.'
      : 'transactions older than some hours cannot be analysed: use an archive node.';
  const callTracer = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  return [
    {
      check: `debug_traceTransaction (${age})`,
      need,
      advice,
      run: hash === null ? NO_TX : call('debug_traceTransaction', hash, callTracer),
    },
    {
      check: `trace_transaction (${age})`,
      need,
      advice,
      run: hash === null ? NO_TX : call('trace_transaction', hash),
    },
  ];
}

function blockChecks({ block }: { block: string | null }, call: Call): Check[] {
  const advice = 'batch --blocks asks per transaction instead, which is slower.';
  const on = (method: string, ...rest: unknown[]) => (block === null ? NO_TX : call(method, block, ...rest));
  return [
    { check: 'eth_getBlockReceipts', need: 'extra', advice, run: on('eth_getBlockReceipts') },
    {
      check: 'debug_traceBlockByHash',
      need: 'extra',
      advice,
      run: on('debug_traceBlockByHash', { tracer: 'callTracer' }),
    },
  ];
}

/** One trace method is enough: the other one's absence is no finding. */
function withEitherTrace(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ check, ok }) => {
    const age = /^(?:debug_trace|trace_)\w+ (\(\w+\))$/.exec(check)?.[1];
    const other = findings.find((f) => f.check !== check && f.check.endsWith(age ?? '\0'));
    return ok || age === undefined || !other?.ok;
  });
}

async function batches(url: string): Promise<Finding> {
  return carryOut({
    check: 'JSON-RPC batches',
    need: 'extra',
    advice: 'every call goes alone, which is slower and counts more requests.',
    run: async () => {
      const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] });
      try {
        const answer = await post(url, [request(1), request(2)]);
        return Array.isArray(answer) ? { result: answer, error: null } : { result: null, error: 'refused' };
      } catch {
        return { result: null, error: 'refused' };
      }
    },
  });
}
