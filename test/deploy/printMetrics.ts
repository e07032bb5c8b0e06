// Prints a running service's /metrics after one failed and one refused analysis, for `promtool check metrics`.
import { startServer } from '../../src/service/main.ts';

const server = await startServer({
  rpcUrl: 'http://127.0.0.1:1',
  port: 0,
  adminPort: 0,
  logLevel: 'silent',
  rpcRetries: 0,
});
for (const body of [JSON.stringify({ tx_hash: `0x${'5c'.repeat(32)}` }), '{}'])
  await fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
process.stdout.write(await (await fetch(`http://127.0.0.1:${server.adminPort}/metrics`)).text());
await server.close();
