/**
 * Prints the software bill of materials of the production install, CycloneDX as JSON. `npm sbom --omit dev` is not enough:
 * it leaves out packages that development needs as well (ajv and yaml among them), so npm lists everything the lock file
 * holds and this keeps the production packages. Fails where one of them is missing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { productionPackages, type Package } from './licences.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly purl: string;
}
interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The components of `bom` that are among `packages`, with their dependencies. Throws where one is missing. */
export function onlyProduction<T extends Bom>(bom: T, packages: readonly Package[]): T {
  const wanted = new Set(
    packages.map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`),
  );
  const components = bom.components.filter(({ purl }) => wanted.has(purl));
  const there = new Set(components.map(({ purl }) => purl));
  const missing = [...wanted].filter((purl) => !there.has(purl));
  if (missing.length > 0) throw new Error(`not in what npm lists: ${missing.join(', ')}`);
  const refs = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  return { ...bom, components, dependencies };
}

/** The bill of materials of the package in `root`, from its lock file alone. */
export function productionBom(root: string): Bom {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr.slice(-500)}`);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Parameters<
    typeof productionPackages
  >[0];
  return onlyProduction(
    JSON.parse(stdout) as Bom,
    productionPackages(lock, () => null),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(productionBom(join(import.meta.dirname, '..')), null, 2));
