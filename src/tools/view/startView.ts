import { readTxHash, whyNoTxHash } from '../client/txHash.ts';
import { RequestError } from '../../service/http/errorResponse.ts';
import { servePage, type PageServer } from './servePage.ts';

export interface ViewOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** The serialised report of a hash; rejects with an `AnalysisError`. */
  readonly analyze: (hash: string) => Promise<string>;
  /** Offered on the start page: hash and label. */
  readonly examples?: readonly (readonly [hash: string, label: string])[];
  /** The built viewer page. */
  readonly viewerFile?: string;
}

/**
 * Serves the viewer on this machine alone, with a service of its own behind it. Rejects when the port is
 * taken.
 */
export function startView({ port, analyze, examples = [], viewerFile }: ViewOptions): Promise<PageServer> {
  return servePage({
    port,
    settings: { examples: JSON.stringify(examples) },
    limits: { maxConcurrency: 4, maxQueue: 16 },
    routes: {
      get: { '/health': () => 'ok' },
      post: {
        '/analyze': async ({ tx_hash: text }) => {
          const hash = typeof text === 'string' ? readTxHash(text) : null;
          if (hash === null) throw new RequestError(400, `invalid tx_hash: ${whyNoTxHash(String(text))}`);
          return JSON.parse(await analyze(hash)) as unknown;
        },
      },
    },
    ...(viewerFile === undefined ? {} : { viewerFile }),
  });
}
