import { lowerAddress } from '../../evm/hex.ts';
import { distance } from '../../value/amount.ts';
import { isRecord } from '../../lib/shape.ts';
import type { PreviewReport } from './preview.ts';
import { RequestError } from './readFields.ts';

/** The outcome a caller expects of a transaction; absent fields are not checked. Amounts in whole units. */
export interface Expectation {
  readonly intent_kind?: string;
  /** The signer's side receives at least, and sends at most, by asset: a token's address or `native`. */
  readonly least_received?: Readonly<Record<string, string>>;
  readonly most_sent?: Readonly<Record<string, string>>;
  /** The only accounts that may be allowed to spend, or to borrow in the signer's name. */
  readonly allowed_spenders?: readonly string[];
  /** The only accounts and contracts that may be controlled otherwise, and operators of whole collections. */
  readonly control_changes?: readonly string[];
}

const LISTS = ['allowed_spenders', 'control_changes'];
const KEYS = ['intent_kind', 'least_received', 'most_sent', ...LISTS];
const DECIMAL = /^\d{1,78}(?:\.\d{1,77})?$/;

/** Checks a parsed file. Throws `RequestError` for keys or values it cannot hold to. */
export function readExpectation(value: unknown): Expectation {
  if (!isRecord(value)) throw new RequestError('the expectation must be an object');
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new RequestError(`no expectation is called ${unknown.slice(0, 50)}`);
  requireAmounts(value['least_received'], 'least_received');
  requireAmounts(value['most_sent'], 'most_sent');
  for (const key of LISTS) {
    const listed = value[key] ?? [];
    if (!Array.isArray(listed) || listed.some((one) => lowerAddress(one) === null))
      throw new RequestError(`${key} must be a list of addresses`);
  }
  if (value['intent_kind'] !== undefined && typeof value['intent_kind'] !== 'string')
    throw new RequestError('intent_kind must be a text');
  return value as Expectation;
}

function requireAmounts(amounts: unknown, key: string): void {
  const right = ([asset, amount]: [string, unknown]): boolean =>
    (asset === 'native' || lowerAddress(asset) !== null) &&
    typeof amount === 'string' &&
    DECIMAL.test(amount);
  if (amounts !== undefined && !(isRecord(amounts) && Object.entries(amounts).every(right)))
    throw new RequestError(`${key} must hold decimal texts by token address or native`);
}

/** Where the preview differs from the expectation, a sentence each; empty where it holds. */
export function differences(report: PreviewReport, wanted: Expectation): string[] {
  const { classification, tx, execution } = report;
  const found: string[] = [];
  if (execution.reverted) found.push(`it would fail: ${execution.outcome}`);
  const unsure = report.warnings.find(({ code }) => code === 'depends_on_environment');
  if (unsure !== undefined) found.push(unsure.text);
  if (wanted.intent_kind !== undefined && classification.intent_kind !== wanted.intent_kind)
    found.push(`intent is ${classification.intent_kind}, not ${wanted.intent_kind}`);
  const own = new Set([tx.signer, classification.actor ?? tx.signer]);
  const netsOf = (wants: Readonly<Record<string, string>> = {}) =>
    Object.entries(wants).map(([asset, limit]) => ({
      asset,
      stated: limit,
      ...netOf(report, own, asset, limit),
    }));
  for (const { asset, stated, amount, limit, shown } of netsOf(wanted.least_received))
    if (amount < limit) found.push(`receives ${shown} of ${asset}, less than ${stated}`);
  for (const { asset, stated, amount, limit, shown } of netsOf(wanted.most_sent))
    if (-amount > limit) found.push(`sends ${shown} of ${asset}, more than ${stated}`);
  return [...found, ...strangers(report, own, wanted), ...otherControl(report, own, wanted)];
}

/** Control that changes hands and was not expected to: a text each. */
function otherControl(
  { allowances = [], warnings }: PreviewReport,
  own: ReadonlySet<string>,
  { control_changes: listed }: Expectation,
): string[] {
  if (listed === undefined) return [];
  const expected = new Set(listed.map((one) => one.toLowerCase()));
  const isOther = (account = ''): boolean => !expected.has(account.toLowerCase());
  return [
    ...warnings
      .filter(({ code, accounts }) => code === 'control_changes' && isOther(accounts[0]))
      .map(({ text }) => text),
    ...allowances
      .filter(({ owner, kind, spender }) => kind === 'operator' && own.has(owner) && isOther(spender))
      .map(({ spender, asset }) => `${spender} is made an operator of ${asset.address}`),
  ];
}

/** Spenders of the side's tokens that are not among those allowed. */
function strangers(
  { allowances = [] }: PreviewReport,
  own: ReadonlySet<string>,
  { allowed_spenders: listed }: Expectation,
): string[] {
  if (listed === undefined) return [];
  const allowed = new Set(listed.map((one) => one.toLowerCase()));
  return allowances
    .filter(
      ({ owner, kind, spender }) =>
        own.has(owner) && kind !== 'revoked' && !allowed.has(spender.toLowerCase()),
    )
    .map(({ spender }) => `${spender} may spend`);
}

interface Net {
  readonly amount: bigint;
  /** The wanted amount in the same smallest units, rounded up. */
  readonly limit: bigint;
  readonly shown: string;
}

/** The side's net of an asset, gas not included. Unknown decimals count as none. */
function netOf(report: PreviewReport, own: ReadonlySet<string>, asset: string, wanted: string): Net {
  let amount = 0n;
  let decimals = asset === 'native' ? 18 : 0;
  for (const delta of report.inventory_deltas) {
    const id = delta.asset.kind === 'native' ? 'native' : delta.asset.address?.toLowerCase();
    if (id !== asset.toLowerCase()) continue;
    decimals = delta.asset.decimals ?? 0;
    if (own.has(delta.subject)) amount += BigInt(delta.delta_raw);
  }
  const [whole, fraction = ''] = wanted.split('.');
  const digits = fraction.slice(0, decimals).padEnd(decimals, '0');
  const beyond = /[1-9]/.test(fraction.slice(decimals)) ? 1n : 0n;
  const limit = BigInt(`${whole}${digits}`) + beyond;
  return { amount, limit, shown: `${distance(amount, 0n)} (smallest units)` };
}
