// The service itself with a ready report in place of its analysis: its HTTP stack, its own requests to the node, their
// answers read. What it costs over the floor is the service's shell; what the service costs over it is the analysis.
//   hollow.js DIST_URL SCRIPT_FILE          (compiled by the bench before it is started; settings as the service's)
import { readFileSync } from 'node:fs';
import type { RpcCall } from '../../src/stages/1-fetch/rpc/rpcMessages.ts';
import type { Script } from './script.ts';

const [dist, file] = process.argv.slice(2) as [string, string];
const script = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Script);
const answers = new Map(
  script.map(([hash, { requests, report }]) => [
    hash,
    { batches: requests.map((body) => JSON.parse(body) as RpcCall[]), report },
  ]),
);

const { main } = (await import(
  new URL('service/main.js', dist).href
)) as typeof import('../../src/service/main.ts');
await main(({ upstream }) => async (hash, { signal, deadlineAt, onCall }) => {
  const { batches, report } = answers.get(hash)!;
  const session = upstream.open({ signal, deadlineAt, ...(onCall ? { onCall } : {}) });
  for (const calls of batches) await session.ask((endpoint) => endpoint.send(calls, session));
  return { json: report, intentKind: 'none' };
});
