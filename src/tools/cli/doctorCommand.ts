import { Command } from 'commander';
import pc from 'picocolors';
import type { Config } from '../../service/config.ts';
import type { Hash } from '../../model/hex.ts';
import type { RpcAnswer, RpcCall } from '../../stages/1-fetch/rpc/rpcMessages.ts';

const HELP = `
Asks the node what txreport needs of it, and says what will be missing and how to get it. Nothing is analysed.

Examples:
  txreport doctor --rpc http://127.0.0.1:8545
  RPC_URL=https://your-node.example txreport doctor --json

Exit status: 0 everything needed is there, 1 something is missing, 2 no node given`;

/** `txreport doctor`: tests the nodes of the configuration. */
export const doctorCommand = new Command('doctor')
  .description('test the node: what it can do, how fast, what will be missing')
  .option('--rpc <urls>', 'nodes to test, several comma-separated (default: RPC_URL and TRACE_URL)')
  .option('--json', 'print the findings as JSON')
  .addHelpText('after', HELP)
  .action(async ({ rpc, json = false }: { rpc?: string; json?: boolean }) => {
    process.exitCode = await doctor(rpc, json);
  });

/** One thing tried. `need`: no report without it; `old`: for old transactions; `extra`: for speed. */
interface Finding {
  readonly check: string;
  readonly need: 'need' | 'old' | 'extra';
  /** Null: not tested, because an earlier check failed. */
  readonly ok: boolean | null;
  readonly ms: number;
  /** Why there was no answer: `dns`, `refused`, `tls_expired`, …, or an error code. */
  readonly cause?: string;
  readonly detail: string;
  /** The consequence of a failure, and the remedy. */
  readonly advice: string;
}

async function doctor(rpc: string | undefined, json: boolean): Promise<number> {
  const { readCliConfig } = await import('./openAnalyzer.ts');
  const { createMask } = await import('../../lib/mask.ts');
  const config = readCliConfig();
  const urls = [...config.rpcUrls, ...(rpc === undefined && config.traceUrl ? [config.traceUrl] : [])];
  const mask = createMask(urls);
  const all: { node: string; findings: Finding[] }[] = [];
  // Nodes are numbered as in logs: their addresses may hold keys.
  for (const [i, url] of urls.entries())
    all.push({ node: `upstream-${i + 1}`, findings: await examineNode({ ...config, rpcUrls: [url] }) });
  const text = json
    ? `${JSON.stringify(all, null, 2)}\n`
    : all.map(({ node, findings }) => describe(node, findings)).join('');
  process.stdout.write(mask(text));
  return canReport(all.flatMap(({ findings }) => findings)) ? 0 : 1;
}

/** Every need is met by some node; either trace method is enough, of any node. */
function canReport(all: readonly Finding[]): boolean {
  const needed = all.filter(({ need }) => need === 'need');
  const needOf = ({ check }: Finding): string => check.replace(/^(debug_trace|trace_)\w+/, 'trace');
  return [...new Set(needed.map(needOf))].every((need) =>
    needed.some((f) => f.ok === true && needOf(f) === need),
  );
}

function describe(node: string, findings: readonly Finding[]): string {
  const lines = findings.map(({ check, ok, ms, cause, detail }) => {
    const mark = ok === null ? pc.dim('–') : ok ? pc.green('✓') : pc.red('✗');
    const why = cause === undefined ? detail : `${cause}: ${detail}`;
    const took = ok === null ? ' '.repeat(9) : `${ms.toFixed(0).padStart(6)} ms`;
    return `  ${mark} ${check.padEnd(32)} ${pc.dim(took)}  ${why}`;
  });
  const missing = findings.filter(({ ok }) => ok === false);
  const advice = missing.map(({ check, advice }) => `  ${pc.yellow(check)}: ${advice}`);
  const untested = findings.some(({ ok }) => ok === null);
  const fine = untested ? '' : `  ${pc.green('everything is there')}`;
  const closing = missing.length === 0 ? [fine].filter(Boolean) : advice;
  return `${[pc.bold(node), ...lines, ...closing].join('\n')}\n`;
}

const TIMEOUT_MS = 20_000;
/** April 2020: every pruned node has dropped the state. */
const OLD_BLOCK = '0x961860';
/** Blocks behind the head from which a recent transaction is taken. */
const RECENT = 5n;

interface Asked extends Partial<Pick<Finding, 'cause' | 'detail'>> {
  readonly result: unknown;
  readonly error: string | null;
  /** Whether the node takes batches; null where it was never sent one. */
  readonly batches?: boolean | null;
}
/** Sends the calls to the node as one request, as an analysis would. Never rejects. */
type Ask = (...calls: RpcCall[]) => Promise<Asked>;

interface Check extends Pick<Finding, 'check' | 'need' | 'advice'> {
  run(): Promise<Asked>;
}

async function carryOut({ check, need, advice, run }: Check): Promise<Finding> {
  const began = performance.now();
  const { error, cause, detail = '' } = await run();
  const ms = performance.now() - began;
  const ok = error === NO_TX ? null : error === null;
  return { check, need, ms, advice, ok, detail: error ?? detail, ...(cause && { cause }) };
}

async function examineNode(config: Config): Promise<Finding[]> {
  const { createUpstream } = await import('../../stages/1-fetch/rpc/upstream.ts');
  const once = { rpcRetries: 0, rpcTimeoutMs: TIMEOUT_MS };
  await using upstream = createUpstream({ ...config, traceUrl: null, priceApiUrl: null, ...once });
  const signal = new AbortController().signal;
  const { UpstreamFault } = await import('../../stages/1-fetch/rpc/upstreamFault.ts');
  const { CONNECTION_CAUSES } = await import('../../stages/1-fetch/rpc/connectionCause.ts');
  const ask: Ask = async (...calls) => {
    const session = upstream.open({ signal, deadlineAt: performance.now() + TIMEOUT_MS });
    try {
      return await session.ask(async (endpoint) => {
        const answers = await endpoint.send(calls, session);
        return { ...asked(answers), batches: endpoint.capabilities.batches };
      });
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      const { code, cause, note, message } = error;
      if (cause === undefined) return { result: null, cause: code, error: note ?? message };
      return { result: null, cause, error: [CONNECTION_CAUSES[cause], note ?? []].flat().join(', ') };
    }
  };
  return await examine(ask);
}

/** The first failure, or the last result. */
function asked(answers: readonly RpcAnswer[]): Asked {
  let result: unknown = null;
  for (const answer of answers) {
    if (!answer.ok)
      return { result: null, cause: `code ${answer.error.code}`, error: answer.error.message.slice(0, 120) };
    ({ result } = answer);
  }
  return { result, error: result == null ? 'empty answer' : null };
}

async function examine(ask: Ask): Promise<Finding[]> {
  const { quantity } = await import('../../evm/hex.ts');
  const head = await carryOut({
    check: 'Ethereum mainnet',
    need: 'need',
    advice: 'this endpoint does not answer as Ethereum mainnet: check the address and the key.',
    run: async () => {
      const answer = await ask(CHAIN_ID);
      const other = answer.error === null && quantity(answer.result) !== 1n;
      const error = other ? `chain ${String(answer.result).slice(0, 66)}` : answer.error;
      return { ...answer, error, detail: 'chain 1' };
    },
  });
  if (!head.ok) return [head, ...CALLS.map(untested)];
  const number = await ask({ method: 'eth_blockNumber', params: [] });
  const recent = (quantity(number.result) ?? RECENT) - RECENT;
  const fresh = await blockAt(ask, `0x${recent.toString(16)}`);
  const old = await blockAt(ask, OLD_BLOCK);
  const findings = [head, await batches(ask)];
  for (const tried of CALLS) {
    const [need, method, ...options] = tried;
    const block = need === 'old' ? old : fresh;
    const subject = need === 'extra' ? block.hash : block.transactions?.[0];
    const call = { method, params: [subject, ...options] } as unknown as RpcCall;
    // A block that the node did not give names no transaction to try the call on.
    const run = async (): Promise<Asked> => (subject ? ask(call) : { result: null, error: NO_TX });
    findings.push(await carryOut({ ...untested(tried), run }));
  }
  return withEitherTrace(findings);
}

const CHAIN_ID: RpcCall = { method: 'eth_chainId', params: [] };
const NO_TX = 'no transaction to try it on';

const TRACER = { tracer: 'callTracer' };
const WITH_LOGS = { ...TRACER, tracerConfig: { withLog: true } };
type Tried = readonly [need: Finding['need'], method: string, ...options: readonly object[]];
/** Tried on a recent transaction, on an old one, and on a recent block. */
const CALLS: readonly Tried[] = [
  ['need', 'debug_traceTransaction', WITH_LOGS],
  ['need', 'trace_transaction'],
  ['old', 'debug_traceTransaction', WITH_LOGS],
  ['old', 'trace_transaction'],
  ['extra', 'eth_getBlockReceipts'],
  ['extra', 'debug_traceBlockByHash', TRACER],
];

function untested([need, method]: Tried): Finding {
  const [check, advice] = [`${method}${AGES[need]}`, ADVICE[need]];
  return { check, need, advice, ok: null, ms: 0, detail: 'not tested' };
}

async function blockAt(ask: Ask, block: `0x${string}`): Promise<{ transactions?: Hash[]; hash?: Hash }> {
  const { result } = await ask({ method: 'eth_getBlockByNumber', params: [block, false] });
  return result ?? {};
}

const ADVICE: Readonly<Record<Finding['need'], string>> = {
  need:
    'no reports without traces: enable the debug or trace module, choose a plan that has it, ' +
    'or set TRACE_URL.',
  old: 'transactions older than 128 blocks (26 minutes) cannot be analysed: use an archive node.',
  extra: 'batch --blocks asks per transaction instead, which is slower.',
};
const AGES: Readonly<Record<Finding['need'], string>> = { need: ' (recent)', old: ' (old)', extra: '' };

/** One trace method is enough: the other one's absence is no finding. */
function withEitherTrace(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ check, ok }) => {
    const age = /^(?:debug_trace|trace_)\w+ (\(\w+\))$/.exec(check)?.[1];
    const other = findings.find((f) => f.check !== check && f.check.endsWith(age ?? '\0'));
    return ok || age === undefined || !other?.ok;
  });
}

function batches(ask: Ask): Promise<Finding> {
  return carryOut({
    check: 'JSON-RPC batches',
    need: 'extra',
    advice: 'every call goes alone, which is slower and counts more requests.',
    run: async () => {
      const { batches: taken, ...answer } = await ask(CHAIN_ID, CHAIN_ID);
      return taken === false ? { result: null, error: 'refused' } : answer;
    },
  });
}
