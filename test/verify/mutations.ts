import { getAddress } from 'viem';

/** One small falsehood told about a report. */
export interface Mutation {
  readonly at: string;
  readonly kind: 'amount' | 'address' | 'index' | 'evidence';
  /** The report with just this changed. */
  readonly report: unknown;
}

/** A neighbouring account: one digit off, checksummed, so that only the chain can tell that it is the wrong one. */
const otherAddress = (address: string): string =>
  getAddress(`0x${address.slice(2, 41).toLowerCase()}${address.endsWith('0') ? '1' : '0'}`);

function changed(key: string, value: unknown, at: string): { kind: Mutation['kind']; value: unknown } | null {
  if (typeof value === 'string') {
    if (/^0x[0-9a-fA-F]{40}$/.test(value))
      return { kind: at.includes('/evidence/') ? 'evidence' : 'address', value: otherAddress(value) };
    if (/_raw$/.test(key) && /^-?\d+$/.test(value))
      return { kind: 'amount', value: (BigInt(value) + 1n).toString() };
    if ((key === 'delta' || key === 'amount' || key === 'gas_cost_native') && /^-?\d/.test(value))
      return {
        kind: 'amount',
        value: value.startsWith('-') ? value.slice(1) : `-${value === '0' ? '1' : value}`,
      };
    if (key === 'token_in' || key === 'token_out')
      return value === ''
        ? { kind: 'amount', value: '1 ETH' }
        : { kind: 'amount', value: value.replace(/^\d/, (d) => String((Number(d) + 1) % 10 || 1)) };
  }
  if (key === 'log_index' && typeof value === 'number') return { kind: 'evidence', value: value + 1 };
  if (key === 'frame_path' && Array.isArray(value)) return { kind: 'evidence', value: [...value, 99] };
  if (/\/movements\/\d+$/.test(at) && typeof value === 'number') return { kind: 'index', value: value + 1 };
  if (/^\/pipeline_stats\/(frames|logs|economic_movements|tvfg_nodes|tvfg_edges)$/.test(at))
    return { kind: 'index', value: (value as number) + 1 };
  return null;
}

/** Every mutation of the kinds above, one leaf at a time, in document order. */
export function* mutationsOf(report: object): Generator<Mutation> {
  const text = JSON.stringify(report);
  const leaves: { path: (string | number)[]; value: unknown; kind: Mutation['kind'] }[] = [];
  const walk = (value: unknown, path: (string | number)[]): void => {
    const change = changed(String(path.at(-1) ?? ''), value, `/${path.join('/')}`);
    if (change) leaves.push({ path, ...change });
    else if (value !== null && typeof value === 'object')
      for (const [key, child] of Object.entries(value))
        walk(child, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  walk(report, []);
  for (const { path, value, kind } of leaves) {
    const copy = JSON.parse(text) as Record<string | number, unknown>;
    let holder = copy;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
    holder[path.at(-1)!] = value;
    yield { at: `/${path.join('/')}`, kind, report: copy };
  }
}
