// Fuzzed answers of the node, through the fetch, every stage and the report's own schema.
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import type { Hash, Hex } from '../../src/model/hex.ts';
import { newCapabilities } from '../../src/stages/1-fetch/rpc/chooseTrace.ts';
import { CircuitBreaker } from '../../src/stages/1-fetch/rpc/circuitBreaker.ts';
import { fetchContext } from '../../src/stages/1-fetch/context/fetchContext.ts';
import { fetchTransaction } from '../../src/stages/1-fetch/fetchTransaction.ts';
import { canonicalize } from '../../src/stages/2-canonical/canonicalize.ts';
import { planContext } from '../../src/stages/1-fetch/context/planContext.ts';
import type { RpcEndpoint } from '../../src/stages/1-fetch/rpc/rpcEndpoint.ts';
import type { RpcAnswer } from '../../src/stages/1-fetch/rpc/rpcMessages.ts';
import type { Session } from '../../src/stages/1-fetch/rpc/session.ts';
import { createReportValidator } from '../../src/stages/9-report/reportValidator.ts';
import { lie, topicsOf } from './lie.ts';
import { spoil } from './mutate.ts';
import { ODD_TEXTS } from './oddTexts.ts';
import { brokenReport, improperFailure, newTally, type Tally } from './outcome.ts';
import { Random, seedOf } from './random.ts';
import { answer, later, loadRecordings, type Dialect, type Recorded } from './recordedNode.ts';

const METHODS = [
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'debug_traceTransaction',
  'trace_transaction',
  'eth_getBlockByNumber',
  'eth_call',
  'eth_getCode',
  'eth_chainId',
];
const MAX_TOKENS = 500;

/** A case: which recording, in which dialect, with which answers changed. */
export interface Case {
  readonly recorded: Recorded;
  readonly dialect: Dialect;
  readonly what: string;
  readonly change: (method: string, result: unknown) => unknown;
}

const whole = loadRecordings();
const shifted = whole.map(later);
const strangers = topicsOf(whole);

/** The case of this number: always the same one for the same seed. */
export function makeCase(seed: number, index: number): Case {
  const random = new Random(seedOf(seed, index));
  const recorded = random.pick(random.chance(0.5) ? whole : shifted);
  const dialect = random.pick<Dialect>(['both', 'geth', 'parity']);
  const kind = random.below(11);
  if (kind < 5) {
    const victim = random.pick(METHODS);
    const how: string[] = [];
    return {
      recorded,
      dialect,
      what: `${recorded.name}, ${dialect}, spoiled ${victim}`,
      change: (method, result) => {
        if (method !== victim) return result;
        const spoiled = spoil(result, random);
        how.push(...spoiled.how);
        return spoiled.value;
      },
    };
  }
  if (kind < 9) {
    const told = lie(recorded, random, strangers);
    return {
      recorded: told.recorded,
      dialect,
      what: `${recorded.name}, ${dialect}, false ${told.how.join(', ')}`,
      change: (_, result) => result,
    };
  }
  if (kind === 9) {
    // Feeds, pools, vaults and tokens alike answer words of any size, the same to the same question.
    const told = new Map<string, Hex | null>();
    const words = (): Hex | null =>
      random.chance(0.1)
        ? null
        : `0x${Array.from({ length: 1 + random.below(8) }, () => random.amount().toString(16).padStart(64, '0')).join('')}`;
    const read = (to: string, data: string): Hex | null => {
      const key = `${to} ${data}`;
      if (!told.has(key)) told.set(key, words());
      return told.get(key)!;
    };
    return {
      recorded: { ...recorded, read },
      dialect,
      what: `${recorded.name}, ${dialect}, reads at random`,
      change: (_, result) => result,
    };
  }
  // Everything a contract answers about itself is its own invention.
  const odd = {
    ...recorded,
    tokens: Object.fromEntries(
      Object.keys(recorded.tokens).map((token) => [
        token,
        { symbol: random.pick(ODD_TEXTS), name: random.pick(ODD_TEXTS), decimals: random.below(300) },
      ]),
    ),
  };
  return {
    recorded: odd,
    dialect,
    what: `${recorded.name}, ${dialect}, odd metadata`,
    change: (method, result) =>
      method === 'eth_getCode' && random.chance(0.5)
        ? `0xef0100${random.hex(40)}`
        : method === 'eth_call' && random.chance(0.2)
          ? `0x${random.hex(random.below(8) * 32)}`
          : result,
  };
}

/** A session with one node in memory, which answers what the case says. */
function sessionOf({ recorded, dialect, change }: Case): Session {
  const endpoint: RpcEndpoint = {
    name: 'upstream-1',
    capabilities: newCapabilities(),
    breaker: new CircuitBreaker(),
    send: (calls) =>
      Promise.resolve(
        calls.map(({ method, params }): RpcAnswer => {
          const said = answer(
            (hash) => (hash === recorded.hash ? recorded : undefined),
            () => recorded,
            dialect,
            method,
            params,
          );
          return said.error
            ? { ok: false, error: said.error }
            : { ok: true, result: change(method, said.result) };
        }),
      ),
  };
  return {
    signal: new AbortController().signal,
    timeLeft: () => 10_000,
    onCall: () => {},
    traceEndpoint: null,
    ask: (attempt) => attempt(endpoint),
  };
}

const rulebook = loadRules();
const validate = createReportValidator();

/** The report of a case, serialised: the service's own way from the fetch to the wire. */
export async function analyzeCase(tried: Case): Promise<string> {
  const session = sessionOf(tried);
  const raw = await fetchTransaction(session, tried.recorded.hash as Hash);
  const context = await fetchContext(session, planContext(canonicalize(raw), raw, rulebook, MAX_TOKENS));
  const report = await analyzeRaw(raw, context, rulebook);
  validate(report);
  return JSON.stringify(report);
}

/** Tries `count` cases, from number `from`. */
export async function fuzzAnswers(count: number, seed: number, from = 0): Promise<Tally> {
  const tally = newTally('answers of the node');
  for (let index = from; index < from + count; index++) {
    const tried = makeCase(seed, index);
    const start = performance.now();
    tally.tried++;
    try {
      const json = await analyzeCase(tried);
      tally.accepted++;
      const broken = brokenReport(json);
      if (broken !== null) tally.failures.push({ index, what: tried.what, why: broken });
    } catch (error) {
      const why = improperFailure(error);
      if (why !== null) tally.failures.push({ index, what: tried.what, why });
    }
    const ms = performance.now() - start;
    tally.slowestMs = Math.max(tally.slowestMs, ms);
    if (ms > 5_000) tally.failures.push({ index, what: tried.what, why: `took ${ms.toFixed(0)} ms` });
    // Lets timers and other work of the process run: nothing here waits for anything.
    if (index % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return tally;
}
