import type { TxReport } from '../../../src/model/generated/report.ts';
import { isHttps } from './url.ts';

/** Pages of the block explorer that the report itself names. */
export interface Explorer {
  readonly host: string;
  readonly tx: string;
  readonly logs: string;
  readonly calls: string;
  account(address: string): string;
  block(number: number): string;
}

/** Null where the report's address is not an https page of this transaction. */
export function explorerOf({ tx }: TxReport): Explorer | null {
  if (!isHttps(tx.etherscan_url)) return null;
  const url = new URL(tx.etherscan_url);
  const suffix = `/tx/${tx.hash}`;
  if (!url.pathname.endsWith(suffix) || url.username !== '' || url.search !== '' || url.hash !== '')
    return null;
  const base = `${url.origin}${url.pathname.slice(0, -suffix.length)}`;
  return {
    host: url.host,
    tx: url.href,
    logs: `${url.href}#eventlog`,
    calls: `${url.href}#internal`,
    account: (address) => `${base}/address/${address}`,
    block: (number) => `${base}/block/${number}`,
  };
}
