/**
 * The attack suite: nodes that break each round trip and each answer, alone and beside a healthy node; false contents;
 * abusive clients. Against the service in a process of its own, with `/health` asked all the while.
 * A report is right when it is byte for byte the healthy node's (but for `engine`, which names the trace API);
 * otherwise the answer must be 502 with a reason, or say that the
 * state could not be read.
 * Prints a table with the longest `/health` stall and the peak memory. Exits 1 when a case fails.
 *
 *   --stall MS   longest time the event loop may be busy (default 100, CPU time: other processes do not count)
 *   --only NAME  one group: wire, message, shape, state, lie, circuit, price, client, socket, reload
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TxReport } from '../../src/model/generated/report.ts';
import { later, loadRecordings, type Dialect, type Recorded } from '../fuzz/recordedNode.ts';
import { build } from '../soak/processes.ts';
import { PRICE_BODIES, RULE_FILES } from './attackAnswers.ts';
import { abuses } from './attackClients.ts';
import { attackSocket, SOCKET_ATTACKS } from './attackSockets.ts';
import {
  disguised,
  ERROR_FAULTS,
  MESSAGE_FAULTS,
  SECRETS,
  SHAPE_FAULTS,
  startAttackNode,
  STATE_FAULTS,
  WIRE_FAULTS,
  type MessageFault,
  type Misbehaviour,
} from './attackNode.ts';
import { watch } from './attackWatch.ts';
import { dialectsOf, LIES } from './inconsistent.ts';

const { values } = parseArgs({
  options: { stall: { type: 'string', default: '100' }, only: { type: 'string' } },
});
const AT_ONCE = 4;
/** One recording without and one with Multicall3, which joins all reads of state. */
const plain = loadRecordings().find(({ name }) => name === 'swap-v3')!;
const RECORDED = { plain, multicall: later(plain) };
const DIALECTS: readonly Dialect[] = ['geth', 'parity'];

interface Answer {
  readonly status: number;
  readonly text: string;
}
interface Case {
  readonly group: string;
  readonly name: string;
  /** Null when all is well, else what is wrong. */
  run(): Promise<string | null>;
}

// ——— the service ———

const compiled = build();
const service: ChildProcess = fork(
  join(import.meta.dirname, 'attackService.mjs'),
  [join(dirname(compiled.main), '..')],
  { execArgv: [] },
);
process.on('exit', () => {
  service.kill('SIGKILL');
  compiled.remove();
});
interface Message {
  readonly id: number;
  readonly url: string;
  readonly busiest: number;
  readonly leaks: readonly string[];
  readonly broken: number;
}
const waiting = new Map<number, (message: Message) => void>();
service.on('message', (message: Message) => waiting.get(message.id)?.(message));
let died = false;
service.once('exit', () => (died = true));
await new Promise((resolve) => waiting.set(0, resolve));

let opened = 0;
async function withService<T>(
  rpcUrls: readonly string[],
  use: (url: string) => Promise<T>,
  settings: object = {},
): Promise<T> {
  const id = ++opened;
  const { url } = await new Promise<Message>((resolve) => {
    waiting.set(id, resolve);
    service.send({ open: id, rpcUrls, settings });
  });
  try {
    return await use(url);
  } finally {
    service.send({ close: id });
  }
}

/**
 * Since the last call: the longest time, milliseconds, for which the service's event loop was busy, and the
 * log lines that held a secret.
 */
async function watched(): Promise<Message> {
  const id = ++opened;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    service.send({ stalls: id });
  });
}

const agent = new Agent({ keepAlive: false });
function send(
  url: string,
  {
    method,
    path,
    headers,
    body,
  }: { method: string; path: string; headers: object; body: string | Buffer | null },
): Promise<Answer> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, agent, headers: { ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
const analyze = (url: string, hash: string): Promise<Answer> =>
  send(url, {
    method: 'POST',
    path: '/analyze',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });

// ——— cases ———

const healthy = new Map<Recorded, string>();
const truths = new Map<Recorded, string>();
for (const recorded of Object.values(RECORDED)) {
  const { url } = await startAttackNode(recorded, 'both');
  healthy.set(recorded, url);
  const { status, text } = await withService([url], (at) => analyze(at, recorded.hash));
  if (status !== 200) throw new Error(`the healthy node's answer is ${status} ${text}`);
  truths.set(recorded, masked(text));
}

function masked(report: string): string {
  const { engine: _, ...rest } = JSON.parse(report) as Record<string, unknown>;
  return JSON.stringify(rest);
}

const UNFIT = /internal error|internal report validation/;
function refusal({ status, text }: Answer): string | null {
  const said = `${status} ${text.slice(0, 200)}`;
  if (status !== 502) return said;
  const { error } = JSON.parse(text) as { error: string };
  return error.startsWith('analysis failed: ') && !UNFIT.test(error) ? null : said;
}

type Place = 'alone' | 'first' | 'second';

/** The report of the healthy node, or alone a 502. */
async function attacked(
  recorded: Recorded,
  dialect: Dialect,
  bad: Misbehaviour,
  place: Place,
): Promise<string | null> {
  const { url, server } = await startAttackNode(recorded, dialect, bad);
  try {
    return await judged(recorded, url, place);
  } finally {
    server.close().closeAllConnections();
  }
}

/** No node reads the state: the report says so, proves nothing, and has the movements of the healthy one. */
function isWithoutState(text: string, recorded: Recorded): boolean {
  const [report, truth] = [text, truths.get(recorded)!].map((json) => JSON.parse(json) as TxReport);
  const { caveats = [], status } = report!.classification;
  const moved = ({ movements = [] }: TxReport): string => JSON.stringify(movements);
  return (
    caveats.some(({ code }) => code === 'state_unread') &&
    status !== 'Proven' &&
    moved(report!) === moved(truth!)
  );
}

/** The same for a node at an address. */
async function judged(recorded: Recorded, url: string, place: Place): Promise<string | null> {
  const good = healthy.get(recorded)!;
  const urls = { alone: [url], first: [url, good], second: [good, url] }[place];
  const answer = await withService(urls, (at) => analyze(at, recorded.hash));
  if (SECRETS.some((secret) => answer.text.toLowerCase().includes(secret.toLowerCase())))
    return `a secret in the answer: ${answer.text.slice(0, 300)}`;
  if (answer.status === 200 && masked(answer.text) === truths.get(recorded)) return null;
  if (answer.status === 200 && place === 'alone' && isWithoutState(answer.text, recorded)) return null;
  if (answer.status === 200) return 'a report that differs from the healthy one';
  return place === 'alone'
    ? refusal(answer)
    : `beside a healthy node: ${answer.status} ${answer.text.slice(0, 200)}`;
}

/** Nodes whose TLS fails: bytes sent at the first byte of the client, then the end. */
const TLS_ENDS: Readonly<Record<string, Buffer>> = {
  'the end at once': Buffer.alloc(0),
  'a handshake alert': Buffer.from('15030100020228', 'hex'),
  'plain HTTP': Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
  noise: Buffer.alloc(5_000, 7),
};

function tlsCases(): Case[] {
  return Object.entries(TLS_ENDS).flatMap(([name, bytes]) =>
    ['https', 'http'].flatMap((scheme) =>
      (['alone', 'first'] as const).map((place) => ({
        group: 'wire',
        name: `TLS: ${name} to ${scheme}, ${place}`,
        run: async () => {
          const server = createTcpServer((socket) =>
            socket.on('error', () => {}).once('data', () => socket.end(bytes)),
          );
          await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
          const { port } = server.address() as AddressInfo;
          const url = disguised(`http://127.0.0.1:${port}`).replace('http:', `${scheme}:`);
          return judged(plain, url, place).finally(() => server.close());
        },
      })),
    ),
  );
}

function wireCases(): Case[] {
  return Object.keys(WIRE_FAULTS).flatMap((fault) =>
    (['transaction', 'context'] as const).flatMap((round) =>
      DIALECTS.flatMap((dialect) =>
        (['alone', 'first'] as const).map((place) => ({
          group: 'wire',
          name: `${fault}, ${round}, ${dialect}, ${place}`,
          run: () => attacked(plain, dialect, { wire: { fault, round } }, place),
        })),
      ),
    ),
  );
}

const messageCase = (
  group: string,
  what: { fault: MessageFault; methods: readonly string[] },
  { name, recorded, dialect, place }: { name: string; recorded: Recorded; dialect: Dialect; place: Place },
): Case => ({
  group,
  name: `${name}, ${recorded === plain ? 'plain' : 'multicall'}, ${dialect}, ${place}`,
  run: () => attacked(recorded, dialect, { message: what }, place),
});

function callCases(group: string, faults: Readonly<Record<string, MessageFault>>, ofContext: string): Case[] {
  return DIALECTS.flatMap((dialect) => {
    const trace = dialect === 'geth' ? 'debug_traceTransaction' : 'trace_transaction';
    const methods = [
      'eth_getTransactionByHash',
      'eth_getTransactionReceipt',
      trace,
      'eth_getBlockByNumber',
      ofContext,
    ];
    return methods.flatMap((method) =>
      Object.entries(faults).flatMap(([name, fault]) =>
        (['alone', 'first'] as const).map((place) =>
          messageCase(
            group,
            { fault, methods: [method] },
            { name: `${name} to ${method}`, recorded: plain, dialect, place },
          ),
        ),
      ),
    );
  });
}

/** The failover matrix: kinds of state failure × reads × orders, without and with Multicall3. */
function stateCases(): Case[] {
  const reads = [['eth_call'], ['eth_getCode'], ['eth_call', 'eth_getCode']];
  return Object.values(RECORDED).flatMap((recorded) =>
    Object.entries(STATE_FAULTS).flatMap(([name, fault]) =>
      reads.flatMap((methods) =>
        (['alone', 'first', 'second'] as const).map((place) =>
          messageCase(
            'state',
            { fault, methods },
            { name: `${name} to ${methods.join(' and ')}`, recorded, dialect: 'geth', place },
          ),
        ),
      ),
    ),
  );
}

/** False contents: well-formed answers that do not belong together. */
function lieCases(): Case[] {
  const stranger = loadRecordings().find(
    (r) =>
      r.name !== plain.name && r.rpc.receipt['logs'].length > 0 && r.rpc.tx['from'] !== plain.rpc.tx['from'],
  )!;
  return Object.keys(LIES).flatMap((name) =>
    dialectsOf(name).flatMap((dialect) =>
      (['alone', 'first'] as const).map((place) => ({
        group: 'lie',
        name: `${name}, ${dialect}, ${place}`,
        run: () => {
          const fault: MessageFault = ({ method }, truth) => {
            if (truth['result'] === null || truth['result'] === undefined) return truth;
            const told = LIES[name]!.change(
              method,
              truth['result'] as Record<string, unknown>,
              plain,
              stranger,
            );
            return told === undefined ? truth : { ...truth, result: told };
          };
          const methods = [
            'eth_getTransactionByHash',
            'eth_getTransactionReceipt',
            'debug_traceTransaction',
            'trace_transaction',
            'eth_getBlockByNumber',
          ];
          return attacked(plain, dialect, { message: { fault, methods } }, place);
        },
      })),
    ),
  );
}

/** A price source in place of which none at all, or one that knows nothing, would give the same report. */
function priceCases(): Case[] {
  const ask = (priceApiUrl: string): Promise<Answer> =>
    withService([healthy.get(plain)!], (at) => analyze(at, plain.hash), {
      priceApiUrl,
      priceSources: ['http'],
    });
  type Respond = (response: ServerResponse, coins: readonly string[]) => void;
  const source = (answer: Respond): Promise<{ url: string; server: Server }> => {
    const server = createServer(({ url = '' }, response) =>
      answer(response, decodeURIComponent(url).match(/ethereum:0x\w+|coingecko:\w+/g) ?? []),
    );
    return new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () =>
        resolve({
          url: disguised(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).replace(/\?.*/, ''),
          server,
        }),
      ),
    );
  };
  const run = async (answer: Respond, exact: boolean): Promise<string | null> => {
    let asked = 0;
    const { url, server } = await source((response, coins) => (asked++, answer(response, coins)));
    try {
      const { status, text } = await ask(url);
      if (asked === 0) return 'the price source was not asked';
      if (status !== 200) return `${status} ${text.slice(0, 200)}`;
      if (SECRETS.some((secret) => text.includes(secret))) return 'a secret in the report';
      if (!exact) return null;
      const same = [await unreachable, await ignorant].map(({ text: report }) => masked(report));
      return same.includes(masked(text)) ? null : 'a report that differs from one without prices';
    } finally {
      server.close().closeAllConnections();
    }
  };
  const unreachable = ask('http://127.0.0.1:1');
  const ignorant = source((response) => response.end('{"coins":{}}')).then(({ url, server }) =>
    ask(url).finally(() => server.close().closeAllConnections()),
  );
  return [
    ...Object.entries(WIRE_FAULTS).map(([name, fault]) => ({
      group: 'price',
      name,
      run: () => run((response) => fault(response, '{"coins":{}}'), true),
    })),
    ...Object.entries(PRICE_BODIES).map(([name, body]) => ({
      group: 'price',
      name,
      run: () => run((response, coins) => void response.end(body(coins)), false),
    })),
  ];
}

/** Transactions that break every node, eight at once, then ordinary ones: the circuit of no node may open for them. */
function circuitCases(): Case[] {
  const heavy = Array.from({ length: 8 }, (_, i) => `0x${'b'.repeat(63)}${i}`);
  const methods = ['eth_getTransactionByHash', 'debug_traceTransaction', 'trace_transaction'];
  const faults: (readonly [string, Misbehaviour])[] = [
    ...Object.keys(WIRE_FAULTS).map(
      (fault) => [fault, { wire: { fault, round: 'transaction', others: true } }] as const,
    ),
    // Many times 10 MB would keep this process from asking: `message` sends it once.
    ...Object.entries({ ...MESSAGE_FAULTS, ...ERROR_FAULTS })
      .filter(([name]) => !name.includes('10 MB'))
      .map(
        ([name, fault]) => [`${name} to each call`, { message: { fault, methods, others: true } }] as const,
      ),
  ];
  return faults.flatMap(([fault, misbehaviour]) =>
    [1, 2].map((nodes) => ({
      group: 'circuit',
      name: `${fault}, ${nodes} node(s)`,
      run: async () => {
        const bad = await Promise.all(
          Array.from({ length: nodes }, () => startAttackNode(plain, 'both', misbehaviour)),
        );
        const ask = async (url: string): Promise<string | null> => {
          const { status, text } = await analyze(url, plain.hash);
          if (status !== 200) return `an ordinary one: ${status} ${text.slice(0, 200)}`;
          return masked(text) === truths.get(plain) ? null : 'another report';
        };
        try {
          return await withService(
            bad.map(({ url }) => url),
            async (at) => {
              const known = await ask(at);
              const refused = await Promise.all(heavy.map((hash) => analyze(at, hash)));
              // A node that answers null does not have the transaction.
              const passed = refused.find(({ status }) => ![502, 404].includes(status));
              const leak = refused.find(({ text }) => SECRETS.some((secret) => text.includes(secret)));
              if (leak) return `a secret in the answer: ${leak.text.slice(0, 300)}`;
              if (passed) return `a heavy one: ${passed.status} ${passed.text.slice(0, 200)}`;
              return known ?? (await ask(at)) ?? (await ask(at));
            },
          );
        } finally {
          for (const { server } of bad) server.close().closeAllConnections();
        }
      },
    })),
  );
}

/** Hostile rule files that appear while requests run: each is refused, and every report is the one from before. */
async function reloadCases(use: (cases: Case[]) => Promise<void>): Promise<void> {
  const overlay = mkdtempSync(join(tmpdir(), 'txreport-rules-'));
  mkdirSync(join(overlay, 'intents'));
  writeFileSync(join(overlay, 'ruleset.yaml'), 'name: acme\nversion: 0.1.0\nengine: 1\n');
  const file = join(overlay, 'intents/hostile.yaml');
  const refused = async (at: string, text: string): Promise<string | null> => {
    const { broken } = await watched();
    writeFileSync(file, text);
    try {
      for (const until = performance.now() + 60_000; performance.now() < until; ) {
        const answer = await analyze(at, plain.hash);
        if (answer.status !== 200) return `${answer.status} ${answer.text.slice(0, 200)}`;
        if (masked(answer.text) !== truths.get(plain)) return 'another report';
        const seen = await watched();
        if (seen.busiest > Number(values.stall)) return `busy for ${seen.busiest.toFixed(0)} ms`;
        if (seen.broken > broken) return null;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return 'not refused within 60 s';
    } finally {
      rmSync(file);
    }
  };
  const settings = { rulesDirs: [overlay], rulesReload: true };
  await withService(
    [healthy.get(plain)!],
    async (at) => {
      // One after the other: they share the service and its rules.
      let before: Promise<unknown> = Promise.resolve();
      const inTurn = (text: string): Promise<string | null> => {
        const result = before.then(() => refused(at, text));
        before = result.catch(() => {});
        return result;
      };
      // Loading the rules with an overlay is the start's, not the attack's.
      await watched();
      await use(
        Object.entries(RULE_FILES).map(([name, text]) => ({
          group: 'reload',
          name,
          run: () => inTurn(text),
        })),
      );
    },
    settings,
  );
  rmSync(overlay, { recursive: true });
}

const socketCases = (base: string): Case[] =>
  SOCKET_ATTACKS.map((attack) => ({
    group: 'socket',
    name: attack.name,
    run: () => attackSocket(base, attack),
  }));

function clientCases(base: string): Case[] {
  return abuses().map((abuse) => ({
    group: 'client',
    name: abuse.name,
    run: async () => {
      const { status, text } = await send(base, abuse);
      if (status !== abuse.status) return `${status} in place of ${abuse.status}: ${text.slice(0, 100)}`;
      if (abuse.method === 'HEAD') return text === '' ? null : 'a body to HEAD';
      return typeof (JSON.parse(text) as { error: unknown }).error === 'string' ? null : text.slice(0, 100);
    },
  }));
}

// ——— the run ———

const failures: string[] = [];
// The first analyses, when nothing is compiled yet, are the start's, not an attack's.
console.log(`busy for ${(await watched()).busiest.toFixed(0)} ms at the start`);
const wanted = (group: string): boolean => !values.only || group === values.only;
await withService([healthy.get(plain)!], async (base) => {
  const all = [
    ...wireCases(),
    ...tlsCases(),
    ...callCases('message', { ...MESSAGE_FAULTS, ...ERROR_FAULTS }, 'eth_getCode'),
    ...callCases('shape', SHAPE_FAULTS, 'eth_call'),
    ...stateCases(),
    ...lieCases(),
    ...circuitCases(),
    ...priceCases(),
    ...clientCases(base),
    ...socketCases(base),
  ];
  const groups = [...new Set(all.map(({ group }) => group))].filter(wanted);
  const probe = watch(base, service.pid!);
  const total = { cases: 0, stall: 0, busy: 0, own: 0, all: 0 };
  console.log(
    'group     cases  failed   slowest  longest /health stall  longest busy  peak RSS  with its processes',
  );
  const runGroup = async (group: string, cases: readonly Case[]): Promise<void> => {
    probe.reset();
    const before = failures.length;
    const late: Case[] = [];
    let slowest = 0;
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let one = cases[next++]; one && !died; one = cases[next++]) {
        const start = performance.now();
        const wrong = await one.run().catch((error: Error) => error.message);
        slowest = Math.max(slowest, performance.now() - start);
        if (wrong?.includes('did not answer in time')) late.push(one);
        else if (wrong !== null) failures.push(`${group}: ${one.name}: ${wrong}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // The healthy node shares this process: on a busy machine it may miss its second. Once more, alone.
    for (const one of late) {
      const wrong = await one.run().catch((error: Error) => error.message);
      if (wrong !== null) failures.push(`${group}: ${one.name}, twice: ${wrong}`);
    }
    if (late.length > 0) console.log(`${late.length} cases of ${group} ran twice`);
    const { stall, own, all: tree } = probe.longest;
    const { busiest: busy, leaks } = await watched();
    for (const line of leaks) failures.push(`${group}: a secret in the log: ${line.slice(0, 300)}`);
    if (busy > Number(values.stall))
      failures.push(`${group}: the event loop was busy for ${busy.toFixed(0)} ms`);
    total.cases += cases.length;
    total.stall = Math.max(total.stall, stall);
    total.busy = Math.max(total.busy, busy);
    total.own = Math.max(total.own, own);
    total.all = Math.max(total.all, tree);
    console.log(row(group, cases.length, failures.length - before, slowest, { stall, busy, own, all: tree }));
  };
  for (const group of groups)
    await runGroup(
      group,
      all.filter((one) => one.group === group),
    );
  if (wanted('reload')) await reloadCases((cases) => runGroup('reload', cases));
  await probe.stop();
  console.log(row('all', total.cases, failures.length, 0, total));
});

function row(
  group: string,
  cases: number,
  failed: number,
  slowest: number,
  { stall, busy, own, all }: { stall: number; busy: number; own: number; all: number },
): string {
  return [
    group.padEnd(8),
    String(cases).padStart(6),
    String(failed).padStart(7),
    (slowest > 0 ? `${slowest.toFixed(0)} ms` : '').padStart(9),
    `${stall.toFixed(0)} ms`.padStart(21),
    `${busy.toFixed(0)} ms`.padStart(13),
    `${(own / 1024).toFixed(0)} MiB`.padStart(9),
    `${(all / 1024).toFixed(0)} MiB`.padStart(18),
  ].join(' ');
}

if (died) failures.push('the service ended');
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(failures.length === 0 ? 'all held' : `${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
