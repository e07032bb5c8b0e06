import { createClient, TxReportError } from '../../../src/tools/client/client.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';
import type { CallTree } from '../../../src/tools/wording/calls.ts';
import { checkReport } from './checkReport.ts';

/** The address a service is asked at: `http` or `https`, without a trailing slash. Null where it is none. */
export function readBaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/**
 * Whether a link may make the page ask this service without consent: services on this machine, and the one the page came
 * from or was built for. Any other service may show false reports, so the reader is asked first.
 */
export function isOwn(baseUrl: string, builtFor: string): boolean {
  const { hostname } = new URL(baseUrl);
  return (
    hostname === 'localhost' ||
    /^127(\.\d+){3}$/.test(hostname) ||
    isOwnOrigin(baseUrl) ||
    baseUrl === builtFor
  );
}

/** Whether a service is the server this page came from. */
export const isOwnOrigin = (baseUrl: string): boolean => new URL(baseUrl).origin === location.origin;

let narrowedTo: string | null = null;

/**
 * Narrows the page's content security policy to one service before the first request. Policies only ever add up, so
 * another service needs the page loaded anew; false says so.
 */
export function narrowConnections(baseUrl: string, alsoSelf: boolean): boolean {
  const { origin } = new URL(baseUrl);
  if (narrowedTo !== null) return narrowedTo === origin;
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = `connect-src ${origin}${alsoSelf ? " 'self'" : ''}`;
  document.head.append(meta);
  narrowedTo = origin;
  return true;
}

/** The service failed or refused; `next` is advice for the reader. */
export class AnswerError extends Error {
  readonly next: readonly string[];
  constructor(message: string, next: readonly string[], options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/** Advice on a failed analysis, by words in its message. */
const ADVICE: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /transaction not found/,
    ['Check that the hash is of Ethereum mainnet.', 'A new transaction may take a minute to reach the node.'],
  ],
  [/pending/, ['Wait until the transaction is in a block, then try again.']],
  [/overloaded/, ['The service is busy. Try again in a few seconds.']],
  [/trace/i, ['The node offers no traces. Run txreport doctor on the server: it names the missing methods.']],
];
const GENERAL = [
  'Try again in a moment.',
  'If it stays, run txreport doctor on the server: it tests the node.',
];

/** Fetches a report. Rejects with an `Error` that has a message for the reader. */
export async function fetchReport(baseUrl: string, hash: string, signal: AbortSignal): Promise<TxReport> {
  try {
    return checkReport(await createClient({ baseUrl, retries: 0 }).analyze(hash, { signal }));
  } catch (error) {
    if (error instanceof TxReportError && error.kind === 'unreachable')
      throw new AnswerError(
        `Nothing answered at ${baseUrl}. Is the service running there?`,
        [
          'Start it: RPC_URL=https://your-node.example txreport serve',
          'Or open the settings in the search bar and enter another address.',
        ],
        { cause: error },
      );
    if (error instanceof TxReportError && error.status > 0)
      throw new AnswerError(
        `The service answered ${error.status}: ${error.message}`,
        ADVICE.find(([pattern]) => pattern.test(error.message))?.[1] ?? GENERAL,
        { cause: error },
      );
    throw error;
  }
}

/** The call tree of a transaction, from the page's own server. Rejects with the server's words. */
export async function fetchTrace(baseUrl: string, hash: string): Promise<CallTree> {
  const answer = await fetch(`${baseUrl}/trace`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: hash }),
  });
  const body = (await answer.json()) as CallTree & { error?: string };
  if (!answer.ok) throw new Error(body.error ?? `status ${answer.status}`);
  return body;
}
