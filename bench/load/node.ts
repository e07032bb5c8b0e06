// A node that answers from recordings, as a process of its own. `fork` it; it sends its URL, counts its HTTP requests and
// adds up the milliseconds from each one's arrival until its answer was handed over.
//   node.ts LATENCY_MS PLACE...
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Answers, type Call } from '../answers.ts';
import { readRecordings } from '../recordings.ts';

const [latency = '0', ...places] = process.argv.slice(2);
const answers = new Answers(places.flatMap(readRecordings));
let requests = 0;
let busy = 0;

const server = createServer((request, response) => {
  const start = performance.now();
  response.once('finish', () => (busy += performance.now() - start));
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requests++;
    const body = answers.respond(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call[]);
    const send = (): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    if (Number(latency) > 0) setTimeout(send, Number(latency));
    else send();
  });
});
server.listen(0, '127.0.0.1', () =>
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
process.on('message', () => {
  process.send!({ requests, busy });
  requests = busy = 0;
});
