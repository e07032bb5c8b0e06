/**
 * Packs a part of dist as a package of its own, with the files it reaches and the dependencies these import:
 * `npm run client:pack`, `npm run library:pack`, after `npm run build`, write a .tgz to the working directory. A second
 * argument is another folder that holds dist.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BUILT = process.argv[3] ?? ROOT;
const PARTS = {
  client: {
    description: 'Typed client of a txreport service, for Node and browsers. No dependencies.',
    exports: { '.': 'tools/client/client' },
    data: [],
  },
  library: {
    description: 'Reports of Ethereum transactions, analysed in your own Node process.',
    exports: { '.': 'tools/library', './client': 'tools/client/client' },
    data: [
      'dist/compiled',
      'rules',
      'schemas/http',
      'schemas/settings.schema.json',
      'schemas/problem.schema.json',
    ],
  },
} as const;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** What a compiled file imports, types included. */
const IMPORTS = /^(?:import|export)\b[^'";]*'([^']+)'|\bimport\('([^']+)'\)|new URL\('(\.[^']+\.js)'/gm;

/** Files below dist that these reach, and the packages they name; a file is its .js and its .d.ts. */
function reached(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  // Growing while it is walked: what a file imports is walked too.
  const open = new Set(entries.flatMap((entry) => [`${entry}.js`, `${entry}.d.ts`]));
  for (const file of open) {
    const path = join(BUILT, 'dist', file);
    if (!existsSync(path)) continue;
    files.add(file);
    for (const [, plain, lazy, url] of readFileSync(path, 'utf8').matchAll(IMPORTS)) {
      const target = (plain ?? lazy ?? url)!;
      const own = join(dirname(file), target).replace(/\.(ts|js)$/, '');
      if (target.startsWith('.')) open.add(`${own}${file.endsWith('.d.ts') ? '.d.ts' : '.js'}`);
      else if (!file.endsWith('.d.ts') && !target.startsWith('node:')) packages.add(packageOf(target));
    }
  }
  return { files, packages };
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The paths `exports` offers, each with its types. */
const entryPoints = (exports: Readonly<Record<string, string>>): object =>
  Object.fromEntries(
    Object.entries(exports).map(([name, entry]) => [
      name,
      { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
    ]),
  );

const name = process.argv[2] as keyof typeof PARTS;
const part = PARTS[name];
const whole = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const { files, packages } = reached(Object.values(part.exports));
const folder = mkdtempSync(join(tmpdir(), `txreport-${name}-`));
const copy = (path: string, to = path): void => {
  mkdirSync(dirname(join(folder, to)), { recursive: true });
  cpSync(join(path.startsWith('dist/') ? BUILT : ROOT, path), join(folder, to), { recursive: true });
};
try {
  for (const file of files) copy(`dist/${file}`);
  for (const path of [...part.data, 'LICENSE']) copy(path);
  copy('docs/api-client.md', 'README.md');
  const manifest = {
    name: `txreport-${name}`,
    version: whole.version,
    license: whole.license,
    engines: whole.engines,
    description: part.description,
    type: 'module',
    sideEffects: false,
    exports: {
      ...entryPoints(part.exports),
      ...(part.data.length > 0 ? { './schemas/*': './schemas/*' } : {}),
    },
    files: ['dist', ...part.data],
    dependencies: Object.fromEntries(
      Object.entries(whole.dependencies).filter(([dependency]) => packages.has(dependency)),
    ),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  execFileSync('npm', ['pack', folder], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
