/**
 * Previews on a real geth: its `debug_traceCall`, `muxTracer` and `blockOverrides`. Every story of the embedded chain runs on
 * geth with the state anvil had before it; what geth mined itself is previewed at the block before, from its own state.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getContractAddress, pad, toHex, type Hex } from 'viem';
import { readConfig } from '../../src/service/config.ts';
import { openPreviewer } from '../../src/tools/preview/preview.ts';
import { readRequest } from '../../src/tools/preview/readRequest.ts';
import { ALL, runStory, type Story } from '../devnet/story.ts';
import { previewed, told } from '../preview/told.ts';
import { analyze, check, checkSame, other, signer, type LiveChain, type Rpc } from './liveChains.ts';

/** The token of the first transaction. */
const token = getContractAddress({ from: signer.address, nonce: 0n });

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: any[];
}
type Account = { balance?: string; nonce?: number; code?: string; storage?: Record<string, string> };

/** Anvil's chain with geth's tracer: state before the story's transaction becomes geth's state overrides. */
async function gethFor(
  story: Story,
  geth: Rpc,
): Promise<{
  url: string;
  server: Server;
  use: (hash: Hex) => Promise<void>;
  tracers: ReadonlyMap<string, number>;
}> {
  const rpc = story.devnet.chain.rpc as Rpc;
  let before: Record<string, object> = {};
  let block: Record<string, string> = {};
  const use = async (hash: Hex): Promise<void> => {
    const state = (await rpc('debug_traceTransaction', [hash, { tracer: 'prestateTracer' }])) as Record<
      string,
      Account
    >;
    before = Object.fromEntries(
      // An override of a precompile would take its place.
      Object.entries(state)
        .filter(([address]) => BigInt(address) > 0x1ffn)
        .map(([address, { balance, nonce, code, storage }]) => [
          address,
          { balance, nonce: `0x${(nonce ?? 0).toString(16)}`, code: code ?? '0x', state: storage ?? {} },
        ]),
    );
    const { blockNumber } = await rpc('eth_getTransactionByHash', [hash]);
    block = await rpc('eth_getBlockByNumber', [`0x${(BigInt(blockNumber) - 1n).toString(16)}`, false]);
  };
  const trace = ([call, , options]: any[]): Promise<unknown> =>
    geth('debug_traceCall', [
      call,
      'latest',
      {
        ...options,
        stateOverrides: { ...before, ...options.stateOverrides },
        blockOverrides: {
          ...options.blockOverrides,
          feeRecipient: block['miner'],
          baseFeePerGas: block['baseFeePerGas'],
        },
      },
    ]);
  const tracers = new Map<string, number>();
  const reply = async ({ id, method, params }: Call): Promise<object> => {
    try {
      if (method === 'debug_traceCall')
        tracers.set(params[2].tracer, (tracers.get(params[2].tracer) ?? 0) + 1);
      const result = await (method === 'debug_traceCall' ? trace(params) : rpc(method, params));
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } };
    }
  };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      response.end(
        JSON.stringify(Array.isArray(body) ? await Promise.all(body.map(reply)) : await reply(body)),
      );
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, use, tracers };
}

/** Each story previewed with geth's tracer against the report of anvil's mined transaction. */
export async function previewStories(geth: LiveChain): Promise<void> {
  const story = await runStory({ scenarios: ALL });
  const { url, server, use, tracers } = await gethFor(story, geth.rpc);
  const previewer = await openPreviewer(readConfig({ RPC_URL: url }));
  const differ: string[] = [];
  try {
    for (const { scenario, hash } of story.told) {
      await use(hash);
      const tx = (await story.devnet.chain.rpc('eth_getTransactionByHash', [hash])) as Record<string, any>;
      const parent = String(Number(tx['blockNumber']) - 1);
      const preview = await previewer
        .preview(readRequest(tx, { block: parent }))
        .catch((error: Error) => error.message);
      const mined = await analyze(story.devnet.rpcUrl, hash);
      if (typeof preview === 'string') differ.push(`${scenario.name}: ${preview}`);
      else if (
        JSON.stringify(told(preview)) !== JSON.stringify(told(previewed(mined as never, scenario.name)))
      )
        differ.push(scenario.name);
      else if (!preview.simulated.next_block) differ.push(`${scenario.name}: not in the next block`);
    }
    check(`${story.told.length} stories previewed by geth as anvil mined them`, differ.length === 0, () =>
      differ.join('; '),
    );
    const asked = JSON.stringify([...tracers]);
    check(
      'geth runs both tracers at once',
      asked === `[["muxTracer",${2 * story.told.length}]]`,
      () => asked,
    );
  } finally {
    await previewer.close();
    server.close().closeAllConnections();
    await story.stop();
  }
}

/** What geth has mined, previewed from geth's own state at the block before. */
export async function previewMined(
  geth: LiveChain,
  names: readonly string[],
  hashes: readonly Hex[],
): Promise<void> {
  const previewer = await openPreviewer(readConfig({ RPC_URL: geth.url }));
  try {
    for (const [i, hash] of hashes.entries()) {
      const tx = (await geth.rpc('eth_getTransactionByHash', [hash])) as Record<string, string>;
      const block = String(Number(tx['blockNumber']) - 1);
      const preview = await previewer.preview(readRequest(tx, { block }));
      const mined = (await analyze(geth.url, hash)) as never;
      checkSame(`${names[i]}: previewed by geth as it was mined`, told(preview), told(mined));
    }
    const deposit = { to: token, value: '0xde0b6b3a7640000', data: '0xd0e30db0' };
    const send = { to: token, data: `0xa9059cbb${pad(other).slice(2)}${pad('0xde0b6b3a7640000').slice(2)}` };
    // The second call sends what the first one deposits, beside what the account had.
    const whole = { to: token, data: `0x2e1a7d4d${pad(toHex(14n * 10n ** 17n)).slice(2)}` };
    const alone = await previewer.preview(readRequest({ from: signer.address, ...whole }));
    const calls = [deposit, whole, deposit, send];
    const batch = await previewer.preview(readRequest({ from: signer.address, calls }));
    check(
      'calls as one act, each on what the one before left',
      alone.execution.reverted && !batch.execution.reverted && batch.movements!.length > 3,
      () => JSON.stringify([alone.execution, batch.execution, batch.movements]),
    );
    const pending = readRequest({ from: signer.address, ...deposit }, { block: 'pending' });
    const refused = await previewer.preview(pending).catch((error: Error) => error.message);
    check('geth refuses the pending block, and the failure says so', /pending/.test(String(refused)), () =>
      String(refused),
    );
  } finally {
    await previewer.close();
  }
}
