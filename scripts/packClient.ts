/**
 * Packs the client as a package of its own, without the service and its dependencies: `npm run client:pack`, after
 * `npm run build`, writes txreport-client-<version>.tgz to the working directory.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { version, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
  engines: object;
};
const CLIENT = 'tools/client';
const FILES = [
  ...readdirSync(join(ROOT, 'dist', CLIENT))
    .filter((name) => /\.(js|d\.ts)$/.test(name))
    .map((name) => `${CLIENT}/${name}`),
  ...['accountFlows', 'money', 'amount'].map((name) => `value/${name}.js`),
  'model/generated/report.d.ts',
];
const folder = mkdtempSync(join(tmpdir(), 'txreport-client-'));
try {
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, 'dist', file)), { recursive: true });
    cpSync(join(ROOT, 'dist', file), join(folder, 'dist', file));
  }
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(ROOT, 'docs/api-client.md'), join(folder, 'README.md'));
  const entry = './dist/tools/client/client';
  const manifest = {
    name: 'txreport-client',
    version,
    license,
    engines,
    description: 'Typed client of a txreport service, for Node and browsers. No dependencies.',
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: `${entry}.d.ts`, default: `${entry}.js` } },
    files: ['dist'],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  execFileSync('npm', ['pack', folder], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
