// The service in front of a node that knows the recordings of this repository. Prints its URL; runs until it is killed.
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { readConfig } from '../../src/service/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { serve } from '../../src/service/server.ts';
import { answer, loadRecordings } from '../fuzz/recordedNode.ts';
import { startFakeNode } from '../support/fakeNode.ts';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown[];
}

const recordings = loadRecordings();
const node = await startFakeNode({
  intercept: ({ response, body }) => {
    const reply = ({ id, method, params }: Call): object => ({
      jsonrpc: '2.0',
      id,
      ...answer(
        (hash) => recordings.find((one) => one.hash === hash),
        (number) => recordings.find(({ rpc }) => rpc.block['number'] === number),
        'geth',
        method,
        params,
      ),
    });
    response.end(JSON.stringify(Array.isArray(body) ? (body as Call[]).map(reply) : reply(body as Call)));
    return true;
  },
});
const config = { ...readConfig({ RPC_URL: node.url }), host: '127.0.0.1', port: 0, rpcRetries: 0 };
const { url } = await serve(config, createServiceAnalyze, { log: createLog({ level: 'silent' }) });
console.log(url);
