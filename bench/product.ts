import { existsSync } from 'node:fs';

/** Where the build puts the service. */
export const DIST = new URL('../dist/', import.meta.url);

/**
 * A module of the built service. What runs in production is measured, not the sources as a development tool loads them.
 * Throws where nothing has been built.
 */
export async function built<Module>(path: string): Promise<Module> {
  const url = new URL(path, DIST);
  if (!existsSync(url)) throw new Error(`${path} is not built: run npm run build first`);
  return (await import(url.href)) as Module;
}
