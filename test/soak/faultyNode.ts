/**
 * A node of its own process: answers from the recordings of this repository, and misbehaves as often as it is told to.
 * Prints its URL. `POST /__set {"rate": 0.2, "latencyMs": 5, "only": "hang"}` changes its manners.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, loadRecordings, type Recorded } from '../fuzz/recordedNode.ts';

interface Message {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const recordings = loadRecordings();
const byHash = new Map(recordings.map((recorded) => [recorded.hash, recorded]));
// Blocks hold one transaction each here, so a number names its recording.
const byBlock = new Map(
  recordings.map((recorded) => [BigInt(recorded.rpc.block['number'] as string), recorded]),
);
const find = (hash: unknown): Recorded | undefined => byHash.get(String(hash));
const atBlock = (number: unknown): Recorded | undefined =>
  typeof number === 'string' && /^0x[0-9a-f]+$/.test(number) ? byBlock.get(BigInt(number)) : undefined;

let manners = { rate: 0, latencyMs: 0, only: '' };
const FAULTS = [
  'http500',
  'http429',
  'hang',
  'reset',
  'truncate',
  'html',
  'rpc-error',
  'empty-trace',
  'null-receipt',
  'wrong-id',
  'no-logs',
  'no-state',
];

function reply({ id, method, params }: Message, fault: string): object {
  if (fault === 'rpc-error')
    return { jsonrpc: '2.0', id, error: { code: -32005, message: 'upstream overloaded' } };
  if (fault === 'empty-trace' && /trace/.test(method)) return { jsonrpc: '2.0', id, result: null };
  if (fault === 'null-receipt' && method === 'eth_getTransactionReceipt')
    return { jsonrpc: '2.0', id, result: null };
  if (fault === 'no-state' && /^eth_(call|getCode)$/.test(method))
    return { jsonrpc: '2.0', id, error: { code: -32000, message: 'missing trie node' } };
  const said = answer(find, atBlock, 'geth', method, params);
  if (fault === 'no-logs' && method === 'eth_getTransactionReceipt' && said.result)
    return { jsonrpc: '2.0', id, result: { ...(said.result as object), logs: [] } };
  return { jsonrpc: '2.0', id: fault === 'wrong-id' ? 'another' : id, ...said };
}

function respond(response: ServerResponse, body: string): void {
  const fault =
    Math.random() < manners.rate ? manners.only || FAULTS[Math.floor(Math.random() * FAULTS.length)]! : '';
  if (fault === 'hang') return;
  if (fault === 'reset') return void response.socket?.destroy();
  if (fault === 'http500') return void response.writeHead(500).end('internal error');
  if (fault === 'http429') return void response.writeHead(429, { 'retry-after': '0' }).end('{}');
  if (fault === 'html')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>gateway</html>');
  const parsed = JSON.parse(body) as Message | Message[];
  const text = JSON.stringify(
    Array.isArray(parsed) ? parsed.map((message) => reply(message, fault)) : reply(parsed, fault),
  );
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(fault === 'truncate' ? text.slice(0, text.length >> 1) : text);
}

const server = createServer((request, response) => {
  let body = '';
  request
    .setEncoding('utf8')
    .on('data', (chunk: string) => (body += chunk))
    .on('end', () => {
      if (request.url === '/__set') {
        manners = { ...manners, ...(JSON.parse(body) as object) };
        return void response.end();
      }
      if (manners.latencyMs > 0) setTimeout(respond, manners.latencyMs, response, body);
      else respond(response, body);
    });
});
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on('disconnect', () => process.exit(0));
