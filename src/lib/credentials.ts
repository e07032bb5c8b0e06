import { attempt } from './attempt.ts';

/** Part of a URL without percent escapes; unchanged where they are invalid. */
export const decoded = (part: string): string => attempt(() => decodeURIComponent(part)) ?? part;

/** A URL without its credentials, as `fetch` takes it (WHATWG Fetch), and the header that carries them. */
export function separateCredentials(address: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = url.password = '';
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { url, headers: pair === ':' ? {} : { authorization } };
}
