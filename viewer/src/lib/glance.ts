import type { Asset, Evidence, TxReport } from '../../../src/model/generated/report.ts';
import { shown } from './text.ts';

export interface Allowance {
  readonly asset: Asset;
  readonly owner: string;
  readonly spender: string;
  readonly kind: string;
  readonly amount: string | null;
  readonly unlimited: boolean;
  readonly expiresAt: string | null;
  readonly evidence: readonly Evidence[];
}

/** The parts of a report that older services leave out: each is null or empty where it is missing. */
export interface Glance {
  /** `2024-05-01 12:00:11 UTC` */
  readonly time: string | null;
  readonly nonce: number | null;
  readonly method: {
    readonly selector: string;
    readonly name: string | null;
    readonly signature: string | null;
  } | null;
  readonly caveats: readonly string[];
  readonly allowances: readonly Allowance[];
  /** Names of accounts by lower-case address. */
  readonly names: ReadonlyMap<string, { readonly name: string; readonly source: string }>;
}

type Json = Readonly<Record<string, unknown>>;
const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.slice(0, 2_000).map(object) : []);
const text = (value: unknown, limit: number): string | null =>
  typeof value === 'string' && shown(value, limit) !== '' ? shown(value, limit) : null;
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);

/** Reads optional keys with care: a report file may hold anything under them. */
export function glanceOf(report: TxReport): Glance {
  const { tx, classification, allowances, accounts } = report as unknown as Readonly<Record<string, unknown>>;
  const { timestamp, nonce, method } = object(tx);
  const names = new Map<string, { name: string; source: string }>();
  for (const [address, entry] of Object.entries(object(accounts)).slice(0, 5_000)) {
    const name = text(object(entry)['name'], 60);
    if (isAddress(address) && name !== null)
      names.set(address.toLowerCase(), { name, source: text(object(entry)['source'], 60) ?? '' });
  }
  return {
    time: timeText(timestamp),
    nonce: Number.isSafeInteger(nonce) ? (nonce as number) : null,
    method: methodOf(object(method)),
    caveats: list(object(classification)['caveats']).flatMap((c) => text(c['text'], 300) ?? []),
    allowances: list(allowances).flatMap((one) => allowanceOf(one) ?? []),
    names,
  };
}

function timeText(timestamp: unknown): string | null {
  if (typeof timestamp !== 'string' || Number.isNaN(Date.parse(timestamp))) return null;
  return `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function methodOf({ selector, name, signature }: Json): Glance['method'] {
  if (typeof selector !== 'string' || !/^0x[0-9a-f]{8}$/i.test(selector)) return null;
  return { selector, name: text(name, 60), signature: text(signature, 200) };
}

function allowanceOf(one: Json): Allowance | null {
  const { asset, owner, spender, evidence } = one;
  if (!isAddress(owner) || !isAddress(spender) || typeof object(asset)['id'] !== 'string') return null;
  const places = Array.isArray(evidence) ? evidence : [evidence];
  return {
    asset: asset as Asset,
    owner,
    spender,
    kind: text(one['kind'], 20) ?? 'granted',
    amount: text(one['amount'], 90) ?? text(one['amount_raw'], 90),
    unlimited: one['unlimited'] === true,
    expiresAt: timeText(one['expires_at']) ?? text(one['expires_at'], 40),
    evidence: places.filter((e) => isAddress(object(e)['contract'])) as Evidence[],
  };
}
