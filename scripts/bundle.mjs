// Puts each program of a compiled dist into one file, with the chunks it shares with the others: loading a thousand
// modules one by one takes most of a command's start.  usage: node scripts/bundle.mjs DIST
// The compiled modules stay beside: the library, the client and tests import them. Programs become a line that imports
// their bundle. Packages that are optional, start threads of their own files or load WebAssembly stay outside.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const DIST = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const SRC = join(ROOT, 'src');
const PROGRAMS = [
  'tools/cli/runCli',
  'service/main',
  'service/workers/analysisProcess',
  'service/workers/rulesThread',
  'tools/cli/blocks/blockThread',
];
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const OUTSIDE = [...Object.keys(optionalDependencies), 'pino', 'piscina', 'tiny-secp256k1'];

/** Files beside a module are found from where the module was compiled to, not from its bundle. */
const ownPlaces = {
  name: 'own places',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(SRC + sep)) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const place = `../${relative(SRC, path).replace(/\.ts$/, '.js')}`;
      const url = `new URL(${JSON.stringify(place)}, import.meta.url)`;
      const folder = `ownFolder(new URL('.', ${url})).replace(/[\\\\/]$/, '')`;
      const contents = text
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.dirname', folder);
      const named = contents.includes('ownFolder(')
        ? "import { fileURLToPath as ownFolder } from 'node:url';"
        : '';
      return { contents: `${named}${contents}`, loader: 'ts' };
    });
  },
};

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: Object.fromEntries(PROGRAMS.map((path) => [path.replaceAll('/', '-'), `src/${path}.ts`])),
  outdir: join(DIST, 'bundle'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  legalComments: 'none',
  external: OUTSIDE,
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  plugins: [ownPlaces],
  logLevel: 'warning',
});

for (const { entryPoint, exports } of Object.values(metafile.outputs)) {
  const program = PROGRAMS.find((path) => entryPoint === `src/${path}.ts`);
  if (program === undefined) continue;
  const file = join(DIST, `${program}.js`);
  const from = relative(dirname(file), join(DIST, 'bundle', `${program.replaceAll('/', '-')}.js`));
  const named = exports.includes('default') ? `export { default } from '${from}';\n` : '';
  writeFileSync(file, `export * from '${from}';\n${named}`);
}

/** The licence of each bundled package, once. */
function licences() {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    if (folder) folders.add(folder);
  }
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : readFileSync(join(ROOT, folder, file), 'utf8').trim();
    return `${name} ${version}, ${license}\n\n${text}\n`;
  });
}
writeFileSync(join(DIST, 'bundle/LICENSES.txt'), licences().join(`\n${'-'.repeat(80)}\n\n`));
if (!existsSync(join(DIST, 'bundle/tools-cli-runCli.js')))
  throw new Error('the command line was not bundled');
