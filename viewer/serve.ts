// npm run viewer: builds the viewer and serves it, with the rule playground, on this machine alone.
//
//   --port N         any free one otherwise         --api URL          service to ask (default http://127.0.0.1:3000)
//   --recordings D   default: test/recordings       --rpc URL          node for other transactions (default: RPC_URL)
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPlayground } from '../src/tools/playground/startPlayground.ts';
import { buildViewer } from './build.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    api: { type: 'string', default: 'http://127.0.0.1:3000' },
    recordings: { type: 'string', default: join(import.meta.dirname, '../test/recordings') },
    rpc: { type: 'string' },
  },
});

const { file, gzipped } = await buildViewer({ api: values.api });
const rpcUrl = values.rpc ?? process.env['RPC_URL']?.split(',')[0]?.trim();
const playground = await startPlayground({
  port: Number(values.port),
  recordingsDir: values.recordings,
  viewerFile: file,
  ...(rpcUrl ? { rpcUrl } : {}),
});
process.stdout.write(
  `${file} (${(gzipped / 1024).toFixed(0)} KiB gzipped) opens by itself, too\nviewer and rule playground: ${playground.url}\nCtrl-C ends it\n`,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void playground.close().then(() => process.exit(0)));
}
