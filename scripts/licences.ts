/**
 * Lists name, version and licence of every package that production installs, by the lock file, and fails on a licence
 * that is absent, not allowed, or not the one in the package's own manifest. `--json` prints the list as JSON.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Licences that ask for no more than their notice: SPDX identifiers. */
export const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
]);

export interface Package {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; null where the package has none. */
  readonly licence: string | null;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** The licence in a package's folder, or null where it is not installed. */
export type ReadManifest = (folder: string) => { readonly license?: unknown } | null;

/**
 * The production packages of a lock file (version 3), each version once, by name.
 * @throws Error where an installed package names another licence than the lock file.
 */
export function productionPackages(
  lock: { readonly packages: Readonly<Record<string, Locked>> },
  read: ReadManifest,
): Package[] {
  const found = new Map<string, Package>();
  for (const [folder, { version = '', license, dev, devOptional, link }] of Object.entries(lock.packages)) {
    if (folder === '' || dev || devOptional || link) continue;
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const said = read(folder)?.license;
    const own = typeof said === 'string' ? said : null;
    if (own !== null && license !== undefined && own !== license)
      throw new Error(`${name}@${version}: the lock file says ${license}, the package ${own}`);
    found.set(`${name}@${version}`, { name, version, licence: own ?? license ?? null });
  }
  return [...found.values()].sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1,
  );
}

/** Whether an SPDX expression grants an allowed licence: one side of an OR, both sides of an AND. */
export function isAllowed(licence: string | null): boolean {
  if (licence === null) return false;
  // OR binds weaker than AND. Expressions with inner parentheses are for a person to read.
  const bare = licence.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(bare)) return false;
  return bare.split(' OR ').some((side) => side.split(' AND ').every((one) => ALLOWED.has(one.trim())));
}

function main(root: string): void {
  const read: ReadManifest = (folder) => {
    const path = join(root, folder, 'package.json');
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { license?: unknown }) : null;
  };
  const packages = productionPackages(
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Parameters<
      typeof productionPackages
    >[0],
    read,
  );
  if (process.argv.includes('--json')) console.log(JSON.stringify(packages, null, 2));
  else
    for (const { name, version, licence } of packages)
      console.log(`${name}@${version}  ${licence ?? 'none'}`);
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  for (const { name, version, licence } of refused)
    console.error(`not allowed: ${name}@${version} (${licence ?? 'no licence'})`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(join(import.meta.dirname, '..'));
