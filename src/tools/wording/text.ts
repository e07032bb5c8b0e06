import { groupBy } from '../../lib/lists.ts';
import { cleanText } from '../../value/cleanText.ts';

/** Text from a report, fit to show: a report may come from anywhere, so its texts are cleaned again. */
export function shown(text: string | null | undefined, limit = 200): string {
  return cleanText(text, limit) ?? '';
}

/** `0x549d…6CBe` */
export function shortHex(hex: string, head = 6, tail = 4): string {
  return hex.length <= head + tail + 1 ? hex : `${hex.slice(0, head)}…${hex.slice(-tail)}`;
}

/** `sha256:12ab34cd…ef5678` of a report's digest. */
export const shortDigest = (digest: string): string => shortHex(shown(digest, 100), 15, 6);

/** `remove_liquidity` and `AggregatedSwap` as words: `Remove liquidity`, `Aggregated swap`. */
export function words(name: string): string {
  const spaced = shown(name, 64)
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replace(/[_:-]+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(ACRONYMS, (word) => word.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The same within a sentence: `MEV bot`, `remove liquidity`. */
export function lower(name: string): string {
  const text = words(name);
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

const ACRONYMS = /\b(mev|jit|nft|amm|lp|dao|usd|eip|erc|ens)\b/g;

/** `uniswap-v3` as a title: `Uniswap V3`. */
export function title(slug: string): string {
  return shown(slug, 64)
    .split(/[-_ ]+/)
    .map((word) =>
      /^v\d/.test(word) || word.search(ACRONYMS) >= 0
        ? word.toUpperCase()
        : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(' ');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** Thousands apart: `30,000,000`. */
export const countText = (count: number): string => count.toLocaleString('en');

/** An ISO 8601 time as people read it, `2024-05-01 12:00:11 UTC`; the text itself where it is none. */
export function timeText(iso: string | null | undefined): string | null {
  if (iso === null || iso === undefined) return null;
  const time = Date.parse(iso);
  return Number.isNaN(time)
    ? shown(iso, 40)
    : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Alike texts once, those that come several times with their number. */
export function counted(
  texts: readonly string[],
  withNumber: (text: string, count: number) => string,
): string[] {
  return [...groupBy(texts, (text) => text)].map(([text, { length }]) =>
    length === 1 ? text : withNumber(text, length),
  );
}
