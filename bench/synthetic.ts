import { keccak256 } from 'viem';
import type { Recorded } from './recordings.ts';

/** The shapes large transactions take. */
export const SHAPES = [
  'swap chain',
  'batch transfer',
  'deep nesting',
  'wide fan-out',
  'logs of one call',
  'two pools',
  'approvals and pulls',
] as const;
export type Shape = (typeof SHAPES)[number];

interface Log {
  address: string;
  topics: string[];
  data: string;
}
interface Frame {
  type: string;
  from: string;
  to: string;
  value?: string;
  gas: string;
  gasUsed: string;
  input: string;
  output?: string;
  calls?: Frame[];
  logs?: (Log & { position: string })[];
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
/** `Swap(address indexed,uint256,uint256,uint256,uint256,address indexed)` of constant-product pools. */
const SWAP = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
const MAX_DEPTH = 1_024;
/** Distinct tokens and pools: more than that no transaction touches, however long. */
const CONTRACTS = 256;

const word = (value: bigint | number | string): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');
const account = (kind: string, n: number): string =>
  `0x${kind}${n.toString(16).padStart(40 - kind.length, '0')}`;
const SIGNER = account('a1', 1);
const ROUTER = account('c0', 1);
const tokenAt = (n: number): string => account('70', (n % CONTRACTS) + 1);
const poolAt = (n: number): string => account('d0', (n % CONTRACTS) + 1);
const BLOCK_HASH = `0x${'b1'.repeat(32)}`;

function transfer(of: string, from: string, to: string, amount: bigint): Log {
  return { address: of, topics: [TRANSFER, `0x${word(from)}`, `0x${word(to)}`], data: `0x${word(amount)}` };
}

function call(
  from: string,
  to: string,
  input: string,
  logs: readonly Log[] = [],
  calls: readonly Frame[] = [],
  value = 0n,
): Frame {
  return {
    type: 'CALL',
    from,
    to,
    value: `0x${value.toString(16)}`,
    gas: '0x186a0',
    gasUsed: '0x5208',
    input,
    output: `0x${word(1)}`,
    ...(calls.length > 0 ? { calls: [...calls] } : {}),
    ...(logs.length > 0
      ? { logs: logs.map((log) => ({ ...log, position: `0x${calls.length.toString(16)}` })) }
      : {}),
  };
}

/** `transfer(address,uint256)` of a token, by its holder. */
function send(of: string, from: string, to: string, amount: bigint): Frame {
  return call(from, of, `0xa9059cbb${word(to)}${word(amount)}`, [transfer(of, from, to, amount)]);
}

/** Who is paid n-th. */
type Payee = (n: number) => string;

/** Two frames and two logs a hop: the pool pays the next pool, then says what was swapped. */
function swapChain(frames: number, pools = CONTRACTS): Frame[] {
  const [token, pool] = [(n: number) => tokenAt(n % pools), (n: number) => poolAt(n % pools)];
  const hops = Math.max(1, Math.floor((frames - 2) / 2));
  const calls = [send(token(0), SIGNER, pool(0), 1_000_000n)];
  for (let n = 0; n < hops; n++) {
    const [given, received] = [1_000_000n + BigInt(n), 1_000_001n + BigInt(n)];
    const to = n + 1 < hops ? pool(n + 1) : SIGNER;
    const swapped: Log = {
      address: pool(n),
      topics: [SWAP, `0x${word(ROUTER)}`, `0x${word(to)}`],
      data: `0x${word(given)}${word(0)}${word(0)}${word(received)}`,
    };
    calls.push(
      call(
        ROUTER,
        pool(n),
        `0x022c0d9f${word(0)}${word(received)}${word(to)}${word(128)}${word(0)}`,
        [swapped],
        [send(token(n + 1), pool(n), to, received)],
      ),
    );
  }
  return calls;
}

function batchTransfer(frames: number, payee: Payee): Frame[] {
  return Array.from({ length: frames - 1 }, (_, n) => send(tokenAt(0), ROUTER, payee(n), BigInt(n + 1)));
}

/** The router lets each payee take as much as it then pulls. */
function approvalsAndPulls(frames: number, payee: Payee): Frame[] {
  const of = tokenAt(0);
  return Array.from({ length: Math.floor((frames - 1) / 3) }, (_, n) => {
    const taker = payee(n);
    const approved: Log = {
      address: of,
      topics: [APPROVAL, `0x${word(ROUTER)}`, `0x${word(taker)}`],
      data: `0x${word(n + 1)}`,
    };
    const pull = `0x23b872dd${word(ROUTER)}${word(taker)}${word(n + 1)}`;
    return [
      call(ROUTER, of, `0x095ea7b3${word(taker)}${word(n + 1)}`, [approved]),
      call(
        ROUTER,
        taker,
        '0x12345678',
        [],
        [call(taker, of, pull, [transfer(of, ROUTER, taker, BigInt(n + 1))])],
      ),
    ];
  }).flat();
}

/** One chain of calls as deep as the machine allows; whatever is left stands beside it. */
function deepNesting(frames: number): Frame[] {
  const depth = Math.min(frames, MAX_DEPTH) - 1;
  let inner: Frame | null = null;
  for (let n = depth; n > 0; n--)
    inner = call(
      n === 1 ? ROUTER : poolAt(n - 1),
      poolAt(n),
      `0x12345678${word(n)}`,
      [],
      inner ? [inner] : [],
    );
  return [
    ...(inner ? [inner] : []),
    ...Array.from({ length: frames - 1 - depth }, (_, n) => call(ROUTER, poolAt(n), `0x12345678${word(n)}`)),
  ];
}

function wideFanOut(frames: number, payee: Payee): Frame[] {
  return Array.from({ length: frames - 1 }, (_, n) => call(ROUTER, payee(n), '0x', [], [], BigInt(n + 1)));
}

function rootOf(shape: Shape, size: number, payee: Payee): Frame {
  const input = `0x5f575529${word(1)}${word(32)}`;
  if (shape === 'logs of one call') {
    const logs = Array.from({ length: size }, (_, n) => transfer(ROUTER, SIGNER, payee(n), BigInt(n + 1)));
    return call(SIGNER, ROUTER, input, logs);
  }
  const inner = {
    'swap chain': (frames: number) => swapChain(frames),
    'batch transfer': batchTransfer,
    'deep nesting': deepNesting,
    'wide fan-out': wideFanOut,
    'two pools': (frames: number) => swapChain(frames, 2),
    'approvals and pulls': approvalsAndPulls,
  }[shape](size, payee);
  const value = shape === 'wide fan-out' ? BigInt(size) * BigInt(size) : 0n;
  return call(SIGNER, ROUTER, input, [], inner, value);
}

/** Receipt logs in execution order: those of a frame after its calls, as `call` places them. */
function logsOf(root: Frame): Log[] {
  const logs: Log[] = [];
  const open: (Frame | Log[])[] = [root];
  for (let next = open.pop(); next; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const log of next) logs.push({ address: log.address, topics: log.topics, data: log.data });
      continue;
    }
    open.push(next.logs ?? []);
    for (const inner of [...(next.calls ?? [])].reverse()) open.push(inner);
  }
  return logs;
}

function bloomOf(logs: readonly Log[]): string {
  const filter = Buffer.alloc(256);
  for (const item of new Set(logs.flatMap((log) => [log.address, ...log.topics]))) {
    const digest = keccak256(item as `0x${string}`).slice(2);
    for (const at of [0, 4, 8]) {
      const bit = parseInt(digest.slice(at, at + 4), 16) & 2047;
      filter[255 - (bit >>> 3)]! |= 1 << (bit & 7);
    }
  }
  return `0x${filter.toString('hex')}`;
}

/**
 * A transaction of `size` frames (or logs), valid in every respect that is checked: trace, receipt, bloom filter and header
 * agree. The same every time; variants of one shape and size pay other accounts.
 */
export function synthetic(shape: Shape, size: number, variant = 0): Recorded {
  const callTracer = rootOf(shape, size, (n) => account('e0', variant * size + n + 1));
  const hash: `0x${string}` = `0x5c${word(variant).slice(-4)}${word(SHAPES.indexOf(shape) * 2 ** 32 + size).slice(6)}`;
  const logs = logsOf(callTracer);
  const place = { blockHash: BLOCK_HASH, blockNumber: '0x1312d00', transactionIndex: '0x0' };
  const gasUsed = `0x${(21_000 + size * 60_000).toString(16)}`;
  const { from, to, input, value } = callTracer;
  return {
    name: `${shape} of ${size}`,
    hash,
    tokens: {},
    rpc: {
      tx: {
        hash,
        ...place,
        from,
        to,
        input,
        value,
        nonce: '0x1',
        gas: gasUsed,
        gasPrice: '0x3b9aca00',
        type: '0x2',
        chainId: '0x1',
      },
      receipt: {
        transactionHash: hash,
        ...place,
        from,
        to,
        contractAddress: null,
        status: '0x1',
        gasUsed,
        effectiveGasPrice: '0x3b9aca00',
        type: '0x2',
        logsBloom: bloomOf(logs),
        logs: logs.map((log, i) => ({
          ...log,
          ...place,
          transactionHash: hash,
          logIndex: `0x${i.toString(16)}`,
          removed: false,
        })),
      },
      block: {
        hash: BLOCK_HASH,
        number: place.blockNumber,
        timestamp: '0x665a1fff',
        baseFeePerGas: '0x3b9aca00',
        miner: account('bb', 1),
      },
      callTracer,
    },
  };
}
