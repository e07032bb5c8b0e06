// EIP-7708 (scheduled): the system address logs a Transfer for every movement of ether, and a Burn where ether ends. No node
// does so yet, so recorded transactions are told again with the logs that the EIP asks for.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pad, toHex } from 'viem';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';
import { startDemoService } from '../devnet/service.ts';
import { startFakeNode, FakeRpcError, type FakeNode, type Handler } from '../support/fakeNode.ts';
import { bloomOf, type SampleLog } from '../support/sampleTransaction.ts';
import type { RunningServer } from '../../src/service/server.ts';
import type { TxReport } from '../../src/model/generated/report.ts';

const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Burn(address indexed account, uint256 amount) */
const BURN = '0xcc16f5dbb4873280815c1ee09dbd06736cffcc184412cf7a71a0fdb75d397ca5';
const ALICE = '0x6338a64eedb77affd10945baf8732bb93e0a16db';
const FORWARDER = '0x7d01d7a136cdee7736f0471d06c7aeae7e72eb61';
const BOB = '0x1a5629f14243e8c8bc02b005cbad0bc1ff03e735';
const ERIN = '0x6f939368ff1f2fafdc0b32b0fb53f0b18a332141';
const BOMB = '0x97a65900cee8a42a0c8ca7cfb2dd3cd2e4437f3c';
const ETHER = 10n ** 18n;

type Path = readonly number[];
const transfer = (from: `0x${string}`, to: `0x${string}`, wei = ETHER): SampleLog => ({
  address: SYSTEM,
  topics: [TRANSFER, pad(from), pad(to)],
  data: toHex(wei, { size: 32 }),
});
const burn = (account: `0x${string}`, wei: bigint): SampleLog => ({
  address: SYSTEM,
  topics: [BURN, pad(account)],
  data: toHex(wei, { size: 32 }),
});

/** The recording with these logs before its own, each in the frame with the given path. */
function retold(name: string, logs: readonly [SampleLog, Path][]): { before: Recorded; after: Recorded } {
  const before = loadRecordings().find((recorded) => recorded.name === name)!;
  const after = structuredClone(before);
  const { receipt, callTracer } = after.rpc;
  for (const [log, path] of logs) {
    let frame = callTracer;
    for (const step of path) frame = frame['calls'][step];
    frame['logs'] = [...(frame['logs'] ?? []), { ...log, position: '0x0' }];
  }
  const own = receipt['logs'] as (SampleLog & Record<string, unknown>)[];
  const shared = {
    blockHash: receipt['blockHash'],
    blockNumber: receipt['blockNumber'],
    transactionHash: receipt['transactionHash'],
    transactionIndex: '0x0',
    removed: false,
  };
  receipt['logs'] = [...logs.map(([log]) => ({ ...shared, ...log })), ...own].map((log, i) => ({
    ...log,
    logIndex: `0x${i.toString(16)}`,
  }));
  receipt['logsBloom'] = bloomOf(receipt['logs'] as SampleLog[]);
  return { before, after };
}

/** What the nodes answer about: nothing is kept between requests. */
let told: Recorded;
const running: Record<string, { node: FakeNode; service: RunningServer }> = {};
beforeAll(async () => {
  const methods = [
    'eth_chainId',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    'debug_traceTransaction',
    'trace_transaction',
    'eth_getBlockByNumber',
    'eth_getCode',
    'eth_call',
  ];
  for (const dialect of ['geth', 'parity'] as const) {
    const handler =
      (method: string): Handler =>
      (params) => {
        const { result, error } = answer(
          () => told,
          () => told,
          dialect,
          method,
          params,
        );
        if (error) throw new FakeRpcError(error.code, error.message);
        return result;
      };
    const node = await startFakeNode({
      handlers: Object.fromEntries(methods.map((method) => [method, handler(method)])),
    });
    running[dialect] = { node, service: await startDemoService(node.url) };
  }
});
afterAll(async () => {
  for (const { node, service } of Object.values(running)) {
    await service.close();
    await node.close();
  }
});

async function reportOn(recorded: Recorded, dialect: 'geth' | 'parity'): Promise<TxReport> {
  told = recorded;
  const response = await fetch(`${running[dialect]!.service.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: recorded.hash }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as TxReport;
}

/** All that a report says of value and of who acted. */
const essence = ({ classification, economics, inventory_deltas, movements, attribution }: TxReport) => ({
  classification,
  economics,
  inventory_deltas,
  movements,
  actor: attribution.actor,
});

const CASES: [string, readonly [SampleLog, Path][]][] = [
  [
    'delegatecall-value',
    [
      [transfer(ALICE, FORWARDER), []],
      [transfer(FORWARDER, BOB), [0, 0]],
    ],
  ],
  [
    'selfdestruct',
    [
      [transfer(ERIN, BOMB), []],
      [transfer(BOMB, BOB), []],
    ],
  ],
  [
    'native-transfer',
    [
      [transfer(ALICE, BOB, (3n * ETHER) / 2n), []],
      [burn(BOB, ETHER), []],
    ],
  ],
];

it.each(CASES)('%s says the same when its ether is logged as well', async (name, logs) => {
  const { before, after } = retold(name, logs);
  for (const dialect of ['geth', 'parity'] as const) {
    const [plain, logged] = [await reportOn(before, dialect), await reportOn(after, dialect)];
    expect(essence(logged)).toEqual(essence(plain));
    expect(logged.movements!.length).toBeGreaterThan(0);
    expect(logged.pipeline_stats).toEqual({
      ...plain.pipeline_stats,
      logs: plain.pipeline_stats.logs + logs.length,
      non_economic_movements: plain.pipeline_stats.non_economic_movements + logs.length,
    });
  }
});
