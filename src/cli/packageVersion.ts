import { readFileSync } from 'node:fs';

/** Version of the package, from its package.json at the package root: two levels up from `src/cli` and `dist/cli` alike. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
