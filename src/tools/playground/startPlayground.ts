import { playgroundRoutes } from './routes.ts';
import { openTransactions } from './transactions.ts';
import { servePage, type PageServer } from '../view/servePage.ts';

export interface PlaygroundOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Folder of recorded transactions to try rules on. */
  readonly recordingsDir: string;
  /** Node to ask for transactions that are not recorded. */
  readonly rpcUrl?: string;
  /** The built viewer page. */
  readonly viewerFile?: string;
  /** The service the page asks for reports. */
  readonly api?: string;
}

export type Playground = PageServer;

/** The service asked where none is named: `npm start` on this machine. */
const SERVICE = 'http://127.0.0.1:3000';
/** Trying a rule keeps the process busy: one at a time, a few waiting. */
const ONE_AT_A_TIME = { maxConcurrency: 1, maxQueue: 4 };

/**
 * Serves the viewer with the rule playground on this machine alone. Rejects when the port is taken or the
 * recordings cannot be read.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { port, recordingsDir, rpcUrl, viewerFile, api = SERVICE } = options;
  const transactions = openTransactions(recordingsDir, rpcUrl);
  const server = await servePage({
    port,
    routes: playgroundRoutes(transactions),
    settings: { playground: 'on', api: new URL(api).href.replace(/\/$/, '') },
    limits: ONE_AT_A_TIME,
    ...(viewerFile === undefined ? {} : { viewerFile }),
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      await transactions.close();
    },
  };
}
