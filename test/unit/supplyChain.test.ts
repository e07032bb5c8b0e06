import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  dataFilesOf,
  faultsOfSources,
  isAllowed,
  productionPackages,
  withLicences,
} from '../../scripts/licences.ts';
import { onlyProduction, productionBom } from '../../scripts/sbom.ts';
import { developmentOnly } from '../support/dependencies.ts';

const ROOT = join(import.meta.dirname, '../..');
const json = (path: string): any => JSON.parse(readFileSync(path, 'utf8'));
const lock = json(join(ROOT, 'package-lock.json'));
const manifest = json(join(ROOT, 'package.json')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const read = (folder: string): { license?: unknown } | null => {
  try {
    return json(join(ROOT, folder, 'package.json'));
  } catch {
    return null;
  }
};
const packages = productionPackages(lock, read);

describe('licences', () => {
  it('of every production package are allowed', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
  });

  it('are counted in docs/security.md as the command counts them (npm run generate)', () => {
    const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
    expect(page).toBe(withLicences(page, packages));
    expect(page).toContain(`${packages.length} production packages:`);
  });

  it('are listed for every dependency, and for no tool of development', () => {
    const named = new Map(packages.map(({ name, version }) => [name, version]));
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(packages).toContainEqual(expect.objectContaining({ name, version }));
    for (const name of developmentOnly(manifest, lock)) expect(named.has(name), name).toBe(false);
  });

  it('are refused where they are unknown, missing, or part of an expression that grants none', () => {
    for (const licence of ['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC', 'GPL-3.0-only OR MIT'])
      expect([licence, isAllowed(licence)]).toEqual([licence, true]);
    for (const licence of [
      null,
      '',
      'UNLICENSED',
      'GPL-3.0-only',
      'MIT AND GPL-3.0-only',
      'SEE LICENSE IN LICENSE',
      '(MIT OR ISC) AND GPL-3.0-only',
      'mit-ish',
    ])
      expect([licence, isAllowed(licence)]).toEqual([licence, false]);
  });

  it('are those of the packages themselves, not only of the lock file', () => {
    const one = {
      packages: {
        '': {},
        'node_modules/a': { version: '1.0.0', license: 'MIT' },
        'node_modules/a/node_modules/@b/c': { version: '2.0.0' },
        'node_modules/d': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
      },
    };
    expect(productionPackages(one, () => null)).toEqual([
      { name: '@b/c', version: '2.0.0', licence: null },
      { name: 'a', version: '1.0.0', licence: 'MIT' },
    ]);
    expect(() =>
      productionPackages(one, (folder) => (folder === 'node_modules/a' ? { license: 'GPL-3.0-only' } : null)),
    ).toThrow('a@1.0.0: the lock file says MIT, the package GPL-3.0-only');
  });
});

describe('sources of the data files', () => {
  it('are listed in rules/SOURCES.md, each under an allowed licence', () => {
    const files = dataFilesOf(ROOT);
    expect(files).toContain('address-book/exchange.txt');
    expect(faultsOfSources(readFileSync(join(ROOT, 'rules/SOURCES.md'), 'utf8'), files)).toEqual([]);
  });

  it('are refused where a file, a field or an allowed licence is missing', () => {
    const head = '| File | Source | Version | Licence |\n|---|---|---|---|\n';
    const rows = [
      'a | x | 1 | MIT',
      'b | x | 1 | BUSL-1.1',
      'c | x |  | MIT',
      'd | x | 1 |',
      'gone | x | 1 | CC0-1.0',
    ];
    const page = head + rows.map((row) => `| ${row} |\n`).join('');
    expect(faultsOfSources(page, ['a', 'b', 'c', 'd', 'e'])).toEqual([
      'e: not listed',
      'b: not allowed: BUSL-1.1',
      'c: source, version and licence are needed',
      'd: not allowed: no licence',
      'gone: no such file',
    ]);
  });
});

describe('what production installs', () => {
  it('runs no script of its own while it is installed', () => {
    const scripted = Object.entries(
      lock.packages as Record<string, { dev?: boolean; hasInstallScript?: boolean }>,
    ).filter(([folder, one]) => folder !== '' && !one.dev && one.hasInstallScript);
    expect(scripted.map(([folder]) => folder)).toEqual([]);
  });

  it('comes from the registry, pinned by a checksum', () => {
    for (const [folder, one] of Object.entries(
      lock.packages as Record<string, { dev?: boolean; integrity?: string; resolved?: string }>,
    )) {
      if (folder === '' || one.dev) continue;
      expect([folder, one.integrity]).toEqual([folder, expect.stringMatching(/^sha512-/)]);
      expect(one.resolved ?? 'https://registry.npmjs.org/').toMatch(/^https:\/\/registry\.npmjs\.org\//);
    }
  });
});

describe('the bill of materials', () => {
  it('holds every production package with licence and checksum, and nothing else', () => {
    const bom = productionBom(ROOT) as unknown as {
      bomFormat: string;
      specVersion: string;
      components: { name: string; group?: string; version: string; licenses?: unknown; hashes?: unknown }[];
    };
    expect([bom.bomFormat, bom.specVersion]).toEqual(['CycloneDX', '1.5']);
    expect(
      bom.components
        .map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`)
        .sort(),
    ).toEqual(packages.map(({ name, version }) => `${name}@${version}`).sort());
    for (const { name, licenses, hashes } of bom.components)
      expect([name, Array.isArray(licenses), Array.isArray(hashes)]).toEqual([name, true, true]);
  });

  it('is refused where a package is missing', () => {
    const root = { 'bom-ref': 'txreport', purl: 'pkg:npm/txreport@1.0.0' };
    expect(() =>
      onlyProduction({ metadata: { component: root }, components: [], dependencies: [] }, [
        { name: '@a/b', version: '1.0.0', licence: 'MIT' },
      ]),
    ).toThrow('not in what npm lists: pkg:npm/%40a/b@1.0.0');
  });
});
