import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build, type Plugin } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..');
const VIEWER_FILE = join(ROOT, 'dist/viewer/index.html');

export interface BuildOptions {
  /** The service a page asks by default. */
  readonly api?: string;
  readonly outFile?: string;
}

/**
 * Builds the viewer into one HTML file that needs nothing beside it: script and style are inside and named by hash in
 * its content security policy, so that nothing else runs and nothing else is loaded.
 */
export async function buildViewer(
  options: BuildOptions = {},
): Promise<{ file: string; bytes: number; gzipped: number }> {
  const { api = 'http://127.0.0.1:3000', outFile = VIEWER_FILE } = options;
  const [script, style] = await Promise.all([
    bundle('src/main.ts', [validatorModule]),
    bundle('styles/main.css', []),
  ]);
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data:',
    // Narrowed to the one service that is asked before the first request (source/api.ts).
    `connect-src 'self' https: http://127.0.0.1:* http://localhost:* ${new URL(api).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const escape = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const parts: Readonly<Record<string, string>> = { policy: escape(policy), api: escape(api), style, script };
  const page = (await readFile(join(HERE, 'page.html'), 'utf8')).replace(
    /\{\{(\w+)\}\}/g,
    (_, name: string) => parts[name]!,
  );
  await mkdir(dirname(outFile), { recursive: true });
  await writeFile(outFile, page);
  return { file: outFile, bytes: Buffer.byteLength(page), gzipped: gzipSync(page, { level: 9 }).length };
}

async function bundle(entry: string, plugins: Plugin[]): Promise<string> {
  const result = await build({
    entryPoints: [join(HERE, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['es2022', 'chrome123', 'firefox128', 'safari17.5'],
    charset: 'utf8',
    legalComments: 'none',
    plugins,
    logLevel: 'silent',
  });
  // A browser reads the text between the tags with its line ends normalised: hash it as it will be read.
  return result.outputFiles[0]!.text.replace(/\r\n?/g, '\n');
}

/** The report's schema as a function without `eval`, which the policy forbids, and the schema's example. */
const validatorModule: Plugin = {
  name: 'txreport-validate',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^txreport:(validate|example)$/ }, ({ path }) => ({ path, namespace: 'txreport' }));
    onLoad({ filter: /.*/, namespace: 'txreport' }, async ({ path }) => {
      const schema = JSON.parse(await readFile(join(ROOT, 'schemas/http/tx-report.schema.json'), 'utf8')) as {
        examples: object[];
      };
      if (path === 'txreport:example')
        return { contents: JSON.stringify(schema.examples[0]), loader: 'json' };
      const ajv = new Ajv2020({
        code: { source: true, esm: true, lines: false },
        strict: false,
        messages: true,
        inlineRefs: false,
      });
      const standalone = createRequire(import.meta.url)('ajv/dist/standalone') as (
        ajv: Ajv2020,
        validate: unknown,
      ) => string;
      return {
        contents: standalone(ajv, ajv.compile(tolerant(schema) as object)),
        loader: 'js',
        resolveDir: ROOT,
      };
    });
  },
};

/** Longest number a report can hold: 256 bits summed often over. */
const MOST_DIGITS = 120;

/**
 * The schema as a viewer should hold it: words it does not know are shown as they are, texts may be longer than the
 * service makes them, numbers may not be endless.
 */
function tolerant(schema: unknown, key = ''): unknown {
  if (Array.isArray(schema)) return schema.map((item) => tolerant(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([name]) =>
      !['maxLength', 'description', 'examples', 'title', 'default'].includes(name) || key === 'properties',
  );
  const open = kept.filter(
    ([name, value]) =>
      !(name === 'enum' && Array.isArray(value) && value.every((word) => typeof word === 'string')),
  );
  const result: Record<string, unknown> = Object.fromEntries(
    open.map(([name, value]) => [name, tolerant(value, name)]),
  );
  if (/^(RawInteger|RawAmount|DecimalAmount)$/.test(key)) result['maxLength'] = MOST_DIGITS;
  return result;
}

/** The recordings that `txreport demo` shows, packed into one file. */
async function packRecordings(file: string): Promise<void> {
  const folder = join(ROOT, 'test/recordings');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const lines = await Promise.all(
    names.map(async (name) => JSON.stringify(JSON.parse(await readFile(join(folder, name), 'utf8')))),
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, gzipSync(lines.join('\n'), { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The folder that is built into; the build of the package names its own.
  const folder = process.argv[2] ?? join(ROOT, 'dist');
  await packRecordings(join(folder, 'demo/recordings.ndjson.gz'));
  const { bytes, gzipped } = await buildViewer({ outFile: join(folder, 'viewer/index.html') });
  process.stdout.write(`${(bytes / 1024).toFixed(0)} KiB, ${(gzipped / 1024).toFixed(0)} KiB gzipped … `);
}
