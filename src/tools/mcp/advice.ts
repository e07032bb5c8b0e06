import type { AnalysisError } from '../../lib/errors.ts';

const ADVICE: Readonly<Partial<Record<AnalysisError['code'], string>>> = {
  transaction_not_found: 'Check the hash with the user: only Ethereum mainnet is analysed.',
  transaction_pending: 'It is in no block yet; try again in a minute.',
  trace_unavailable: 'The node offers no traces; its operator can run txreport doctor.',
  upstream_rate_limited: 'Try again in a few seconds.',
  overloaded: 'Try again in a few seconds.',
};

/** Advice after a failure, as a further sentence; empty where nothing helps. */
export const adviceOn = ({ code }: AnalysisError): string =>
  ADVICE[code] === undefined ? '' : `. ${ADVICE[code]}`;
