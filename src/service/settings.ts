import { splitList } from '../lib/text.ts';
import { readPriceApis } from '../stages/1-fetch/prices/priceApi.ts';

/** The kinds of settings: each reads one environment variable and describes its errors. */
/** One environment variable: its meaning, default and parser. */
export interface Setting<T> {
  readonly env: string;
  readonly help: string;
  /** The default, as the documentation shows it. */
  readonly standard: string;
  /** The value, or a problem worded to follow the variable's name. */
  readonly parse: (text: string | undefined) => { value: T } | { problem: string };
}

export function integer(
  env: string,
  { standard, min = 0, max }: { standard: number; min?: number; max: number },
  help: string,
): Setting<number> {
  return {
    env,
    help,
    standard: String(standard),
    parse: (text) => {
      if (text === undefined) return { value: standard };
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max
        ? { value }
        : { problem: `must be a whole number from ${min} to ${max}` };
    },
  };
}

export function oneOf(
  env: string,
  values: readonly string[],
  standard: string,
  help: string,
): Setting<string> {
  return {
    env,
    help,
    standard,
    parse: (text = standard) =>
      values.includes(text) ? { value: text } : { problem: `must be one of ${values.join(', ')}` },
  };
}

export function word(env: string, standard: string, help: string): Setting<string> {
  return { env, help, standard, parse: (text = standard) => ({ value: text }) };
}

export function file(env: string, help: string): Setting<string | null> {
  return { env, help, standard: 'shipped', parse: (text) => ({ value: text ?? null }) };
}

export function words(env: string, help: string): Setting<readonly string[]> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) => ({
      value: splitList(text),
    }),
  };
}

export function someOf<T extends string>(
  env: string,
  values: readonly T[],
  standard: string,
  help: string,
): Setting<readonly T[] | null> {
  return {
    env,
    help,
    standard,
    parse: (text) => {
      if (text === undefined) return { value: null };
      const list = splitList(text);
      return list.every((part): part is T => (values as readonly string[]).includes(part))
        ? { value: [...new Set(list as T[])] }
        : { problem: `must be some of ${values.join(', ')}, comma-separated` };
    },
  };
}

export function flag(env: string, help: string): Setting<boolean> {
  return {
    env,
    help,
    standard: '0',
    parse: (text = '0') =>
      text === '0' || text === '1' ? { value: text === '1' } : { problem: 'must be 0 or 1' },
  };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export function url(env: string, help: string): Setting<string | null> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) =>
      text === undefined
        ? { value: null }
        : isHttpUrl(text)
          ? { value: text }
          : { problem: 'is not an http(s) URL' },
  };
}

export function priceApis(env: string, help: string): Setting<string | null> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) =>
      text === undefined || readPriceApis(text) !== null
        ? { value: text ?? null }
        : { problem: 'must name price sources or http(s) URLs, comma-separated' },
  };
}

export function urls(env: string, help: string): Setting<readonly string[]> {
  return {
    env,
    help,
    standard: 'none',
    parse: (text) => {
      const list = splitList(text);
      const bad = list.flatMap((part, i) => (isHttpUrl(part) ? [] : [i + 1]));
      return bad.length === 0
        ? { value: list }
        : { problem: `entry ${bad.join(', ')} is not an http(s) URL` };
    },
  };
}

export function optionalPort(env: string, help: string): Setting<number | null> {
  const port = integer(env, { standard: 0, max: 65_535 }, help);
  return {
    env,
    help,
    standard: 'off',
    parse: (text) => (text === undefined ? { value: null } : port.parse(text)),
  };
}
