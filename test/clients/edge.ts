/**
 * Runs the whole pipeline live against Polygon Edge, whose EVM and `callTracer` are its own, and against anvil: the
 * same signed transactions must give the same reports but for the gas, which it prices in its own way. Its traces hold no
 * logs, call a creation `UNKNOWN` without its input, and fail for what reverts: the last two must be failures.
 * usage: EDGE=path/to/polygon-edge tsx test/clients/edge.ts
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from '../devnet/startAnvil.ts';
import {
  analyze,
  check,
  checkSame,
  failures,
  freePort,
  sendAll,
  signer,
  transactions,
  startClient,
  type LiveChain,
  type Rpc,
} from './liveChains.ts';

const EDGE = process.env['EDGE'] ?? 'polygon-edge';

async function startEdge(): Promise<LiveChain> {
  const folder = mkdtempSync(join(tmpdir(), 'txreport-edge-'));
  const genesis = join(folder, 'genesis.json');
  const flags = {
    consensus: 'dev',
    dir: genesis,
    'chain-id': '1',
    'block-gas-limit': '30000000',
    // London wants an account that receives the base fee.
    'burn-contract': `0:0x${'be'.repeat(20)}`,
    premine: `${signer.address}:1000000000000000000000000`,
  };
  const made = spawnSync(EDGE, ['genesis', ...Object.entries(flags).flatMap(([k, v]) => [`--${k}`, v])], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`polygon-edge genesis failed: ${made.stdout}${made.stderr}`);
  const [port, grpc, p2p] = [await freePort(), await freePort(), await freePort()];
  const args = ['server', '--dev', '--dev-interval', '1', '--seal', '--chain', genesis];
  args.push('--data-dir', join(folder, 'data'), '--log-level', 'ERROR');
  args.push('--jsonrpc', `127.0.0.1:${port}`, '--grpc-address', `127.0.0.1:${grpc}`);
  args.push('--libp2p', `127.0.0.1:${p2p}`, '--price-limit', '0');
  return startClient(EDGE, args, { port, folder });
}

/** Its development chain has no block producer and writes `0x` for it: nothing else is filled in here. */
async function withProducer(url: string): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(url, { method: 'POST', body: Buffer.concat(chunks) });
      const text = (await answer.text()).replace('"miner":"0x"', `"miner":"0x${'00'.repeat(20)}"`);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Transactions it cannot trace, and the failure that must say so. */
const UNTRACED: Readonly<Record<string, string>> = {
  // Its `UNKNOWN` is no type of call.
  creation: 'trace_malformed',
  revert: 'trace_unavailable',
};

/** Its gas prices are those of no fork of mainnet. */
function withoutGas(report: unknown): unknown {
  if (typeof report !== 'object' || report === null) return report;
  const { execution, ...rest } = report as { execution: Record<string, unknown> };
  const { gas_used: _, gas_cost_native: __, ...others } = execution;
  return { ...rest, execution: others };
}

const sent = await transactions();
const [edge, anvil] = [await startEdge(), await startAnvil({ hardfork: 'istanbul' })];
const proxy = await withProducer(edge.url);
try {
  await anvil.rpc('anvil_setBalance', [signer.address, '0xd3c21bcecceda1000000']);
  const onEdge = await sendAll(edge.rpc, sent);
  const onAnvil = await sendAll(anvil.rpc as Rpc, sent);
  for (const [i, { name }] of sent.entries()) {
    const [a, b] = [await analyze(proxy.url, onEdge[i]!), await analyze(anvil.rpcUrl, onAnvil[i]!)];
    const failure = UNTRACED[name];
    if (failure === undefined)
      checkSame(`${name}: Polygon Edge and anvil give one report`, withoutGas(a), withoutGas(b));
    else check(`${name}: refused as ${failure}`, a === failure, () => JSON.stringify(a).slice(0, 300));
  }
} finally {
  proxy.server.close().closeAllConnections();
  await edge.stop();
  await anvil.stop();
}
console.log(failures() === 0 ? 'Polygon Edge: passed' : `Polygon Edge: ${failures()} failed`);
process.exit(failures() === 0 ? 0 : 1);
