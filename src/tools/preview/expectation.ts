import { lowerAddress } from '../../evm/hex.ts';
import { distance } from '../../value/amount.ts';
import { isRecord } from '../../lib/shape.ts';
import type { PreviewReport } from './preview.ts';
import { bad } from './readFields.ts';

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
  if (!isRecord(value)) return bad('the expectation must be an object');
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) bad(`no expectation is called ${unknown.slice(0, 50)}`);
  requireAmounts(value['least_received'], 'least_received');
  requireAmounts(value['most_sent'], 'most_sent');
  for (const key of LISTS) {
    const listed = value[key] ?? [];
    if (!Array.isArray(listed) || listed.some((one) => lowerAddress(one) === null))
      bad(`${key} must be a list of addresses`);
  }
  if (value['intent_kind'] !== undefined && typeof value['intent_kind'] !== 'string')
    bad('intent_kind must be a text');
  return value as Expectation;
}

function requireAmounts(amounts: unknown, key: string): void {
  const right = ([asset, amount]: [string, unknown]): boolean =>
    (asset === 'native' || lowerAddress(asset) !== null) &&
    typeof amount === 'string' &&
    DECIMAL.test(amount);
  if (amounts !== undefined && !(isRecord(amounts) && Object.entries(amounts).every(right)))
    bad(`${key} must hold decimal texts by token address or native`);
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
    Object.entries(wants).map(([asset, stated]) => ({ asset, stated, ...netOf(report, own, asset, stated) }));
  for (const { asset, stated, amount, limit } of netsOf(wanted.least_received))
    if (amount < limit) found.push(`receives ${shown(amount)} of ${asset}, less than ${stated}`);
  for (const { asset, stated, amount, limit } of netsOf(wanted.most_sent))
    if (-amount > limit) found.push(`sends ${shown(amount)} of ${asset}, more than ${stated}`);
  return [...found, ...strangers(report, own, wanted)];
}

const shown = (amount: bigint): string => `${distance(amount, 0n)} (smallest units)`;

/** Spenders that are not among those allowed, and control that was not expected to change: a text each. */
function strangers(report: PreviewReport, own: ReadonlySet<string>, wanted: Expectation): string[] {
  const { allowances = [], warnings } = report;
  const { allowed_spenders: allowed, control_changes: expected } = wanted;
  const isOther = (listed: readonly string[] | undefined, account = ''): boolean =>
    listed?.every((one) => one.toLowerCase() !== account.toLowerCase()) ?? false;
  const given = allowances.filter(({ owner, kind }) => own.has(owner) && kind !== 'revoked');
  return [
    ...given.filter(({ spender }) => isOther(allowed, spender)).map(({ spender }) => `${spender} may spend`),
    ...warnings
      .filter(({ code, accounts }) => code === 'control_changes' && isOther(expected, accounts[0]))
      .map(({ text }) => text),
    ...given
      .filter(({ kind, spender }) => kind === 'operator' && isOther(expected, spender))
      .map(({ spender, asset }) => `${spender} is made an operator of ${asset.address}`),
  ];
}

/**
 * The side's net of an asset, gas not included, and the wanted amount in the same smallest units, rounded up.
 * Unknown decimals count as none.
 */
function netOf(report: PreviewReport, own: ReadonlySet<string>, asset: string, wanted: string) {
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
  return { amount, limit: BigInt(`${whole}${digits}`) + beyond };
}
