// npx tsx test/openapi/writeExample.ts: writes the report that schemas/openapi.yaml shows as its example.
import { writeFileSync } from 'node:fs';
import { startServer } from '../../src/service/main.ts';
import { HASH_OF, startRecordedNode } from '../cli/recordedNode.ts';

const node = await startRecordedNode();
const service = await startServer({ rpcUrl: node.url, host: '127.0.0.1', port: 0, logLevel: 'silent' });
const response = await fetch(`${service.url}/analyze`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ tx_hash: HASH_OF['swap-v2-eth-usdc'] }),
});
if (!response.ok) throw new Error(await response.text());
writeFileSync(
  new URL('../../schemas/examples/tx-report.json', import.meta.url),
  `${JSON.stringify(await response.json(), null, 2)}\n`,
);
await service.close();
await node.close();
