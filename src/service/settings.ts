import proxyAddr from 'proxy-addr';
import { splitList } from '../lib/text.ts';
import { readPriceApis } from '../stages/1-fetch/prices/priceApi.ts';

/** A value, or a problem worded to follow the variable's name. */
type Parsed<T> = { value: T } | { problem: string };
type Parse<T> = (text: string | undefined) => Parsed<T>;

/** One environment variable: its meaning, default and parser. */
export interface Setting<T> {
  readonly env: string;
  readonly help: string;
  /** The default, as the documentation shows it. */
  readonly standard: string;
  readonly parse: Parse<T>;
}

/** A kind of setting, which a variable's name and meaning make a setting of. */
const kind =
  <T>(standard: string, parse: Parse<T>) =>
  (env: string, help: string): Setting<T> => ({ env, help, standard, parse });

export function integer(
  env: string,
  { standard, min = 0, max }: { standard: number; min?: number; max: number },
  help: string,
): Setting<number> {
  const parse = (text = String(standard)): Parsed<number> => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max
      ? { value }
      : { problem: `must be a whole number from ${min} to ${max}` };
  };
  return kind(String(standard), parse)(env, help);
}

export function oneOf(
  env: string,
  values: readonly string[],
  standard: string,
  help: string,
): Setting<string> {
  const parse = (text = standard): Parsed<string> =>
    values.includes(text) ? { value: text } : { problem: `must be one of ${values.join(', ')}` };
  return kind(standard, parse)(env, help);
}

export function word(env: string, standard: string, help: string): Setting<string> {
  return kind(standard, (text = standard) => ({ value: text }))(env, help);
}

export const file = kind<string | null>('shipped', (text) => ({ value: text ?? null }));

export const words = kind<readonly string[]>('none', (text) => ({ value: splitList(text) }));

export function someOf<T extends string>(
  env: string,
  values: readonly T[],
  standard: string,
  help: string,
): Setting<readonly T[] | null> {
  const parse: Parse<readonly T[] | null> = (text) => {
    if (text === undefined) return { value: null };
    const list = splitList(text);
    return list.every((part): part is T => (values as readonly string[]).includes(part))
      ? { value: [...new Set(list as T[])] }
      : { problem: `must be some of ${values.join(', ')}, comma-separated` };
  };
  return kind(standard, parse)(env, help);
}

export const flag = kind<boolean>('0', (text = '0') =>
  text === '0' || text === '1' ? { value: text === '1' } : { problem: 'must be 0 or 1' },
);

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export const url = kind<string | null>('none', (text) =>
  text === undefined || isHttpUrl(text) ? { value: text ?? null } : { problem: 'is not an http(s) URL' },
);

export const priceApis = kind<string | null>('none', (text) =>
  text === undefined || readPriceApis(text) !== null
    ? { value: text ?? null }
    : { problem: 'must name price sources or http(s) URLs, comma-separated' },
);

export const urls = kind<readonly string[]>('none', (text) => {
  const list = splitList(text);
  const bad = list.flatMap((part, i) => (isHttpUrl(part) ? [] : [i + 1]));
  return bad.length === 0 ? { value: list } : { problem: `entry ${bad.join(', ')} is not an http(s) URL` };
});

/** Addresses, networks (`10.0.0.0/8`) and the names `loopback`, `linklocal` and `uniquelocal`. */
export const addresses = kind<readonly string[]>('none', (text) => {
  const list = splitList(text);
  try {
    proxyAddr.compile(list);
    return { value: list };
  } catch {
    return { problem: 'must be IP addresses or networks such as 10.0.0.0/8, comma-separated' };
  }
});

export function optionalPort(env: string, help: string): Setting<number | null> {
  const port = integer(env, { standard: 0, max: 65_535 }, help);
  return kind<number | null>('off', (text) => (text === undefined ? { value: null } : port.parse(text)))(
    env,
    help,
  );
}
