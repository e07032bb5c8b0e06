import type { Allowance, Failure, Method, TxReport } from '../../../src/model/generated/report.ts';
import { shown } from './text.ts';

/** The optional keys of a report, read alike whether the service sent them or not. */
export interface Glance {
  /** `2024-05-01 12:00:11 UTC` */
  readonly time: string | null;
  readonly method: Method | null;
  readonly failure: Failure | null;
  /** Why the verdict needs caution, in words. */
  readonly caveats: readonly string[];
  readonly allowances: readonly Allowance[];
  /** Names of accounts by lower-case address. */
  readonly names: ReadonlyMap<string, { readonly name: string; readonly kind: string }>;
}

export function glanceOf({ tx, execution, classification, allowances, accounts }: TxReport): Glance {
  const names = Object.entries(accounts ?? {}).flatMap(([address, account]) => {
    const name = shown(account.name, 60);
    return name === '' ? [] : [[address.toLowerCase(), { name, kind: account.kind }] as const];
  });
  return {
    time: timeText(tx.timestamp),
    method: tx.method ?? null,
    failure: execution.failure ?? null,
    caveats: (classification.caveats ?? []).map(({ text }) => shown(text, 300)),
    allowances: allowances ?? [],
    names: new Map(names),
  };
}

/** An ISO 8601 time as people read it; the text itself where it is none. */
export function timeText(iso: string | null | undefined): string | null {
  if (iso === null || iso === undefined) return null;
  const time = Date.parse(iso);
  return Number.isNaN(time)
    ? shown(iso, 40)
    : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `swap()`, or the selector of an unknown function. */
export const methodText = ({ name, selector }: Method): string =>
  name === null ? shown(selector, 10) : `${shown(name, 60)}()`;
