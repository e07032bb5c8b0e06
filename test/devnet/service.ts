// The service itself, in this process, quietly: for the demo and for tests that want it beside a devnet.
import { createServiceAnalyze } from '../../src/service/analyzer.ts';
import { startServer } from '../../src/service/main.ts';
import type { RunningServer } from '../../src/service/server.ts';

/** Starts txreport on a loopback port (0: any free one) with the given node behind it. */
export function startDemoService(rpcUrl: string, port = 0): Promise<RunningServer> {
  return startServer({
    rpcUrl,
    port,
    host: '127.0.0.1',
    adminPort: null,
    logLevel: 'silent',
    createAnalyze: createServiceAnalyze,
  });
}
