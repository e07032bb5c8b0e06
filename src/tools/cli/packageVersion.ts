import { readFileSync } from 'node:fs';

/** Version of the package, from its package.json at the package root: three levels up from `src/tools/cli` and `dist/tools/cli` alike. */
export function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
