// The least any service can do that must read the same bytes: the same HTTP stack, the same two round trips to the
// node, their answers parsed, and a canned report of the same size. `fork` it; it sends its URL.
//   floor.js NODE_URL SCRIPT_FILE          (compiled by the bench before it is started)
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import cors from 'cors';
import express from 'express';
import { Agent, request } from 'undici';
import type { Script } from './script.ts';

const [url, file] = process.argv.slice(2) as [string, string];
const script = JSON.parse(readFileSync(file, 'utf8')) as Script;
const dispatcher = new Agent({ connections: 64 });

async function ask(body: string): Promise<unknown> {
  const { body: answer } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    dispatcher,
  });
  return JSON.parse(await answer.text());
}

const app = express();
app.use(cors());
app.use(express.json());
app.post('/analyze', async (incoming, outgoing) => {
  const { requests, report } = script[(incoming.body as { tx_hash: string }).tx_hash]!;
  for (const body of requests) await ask(body);
  outgoing.type('application/json').send(report);
});
const server = app.listen(0, '127.0.0.1', () =>
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
