/**
 * Writes `rules/signatures/*.txt` and `rules/address-book/*.txt` from lists of public facts, one JSON object per line.
 * Their sources and licences are in `rules/SOURCES.md`.
 * usage: npx tsx scripts/importTables.ts <signatures.ndjson.gz> <functions-with-intent.ndjson> <names.ndjson>
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseSignature, type SignatureKind } from '../src/rules/compile/signature.ts';
import { readSignature } from '../src/evm/signatures.ts';

interface Listed {
  readonly kind: SignatureKind;
  readonly signature: string;
  /** How many projects list it. */
  readonly count: number;
}

const RULES = join(import.meta.dirname, '../rules');
const [signaturesFile, functionsFile, namesFile] = process.argv.slice(2);
if (!signaturesFile || !functionsFile || !namesFile) throw new Error('three files are needed');

function rows<T>(file: string): T[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** One line per hash and number of topics: the signature most projects list; none where two are listed equally often. */
function linesOf(kind: SignatureKind, listed: readonly Listed[]): string[] {
  const best = new Map<string, { line: string; count: number; layouts: number }>();
  for (const { kind: listedKind, signature, count } of listed) {
    if (listedKind !== kind) continue;
    const parsed = parseSignature(kind, signature);
    if ('code' in parsed) continue;
    const read = readSignature(signature);
    if (!parsed.id.startsWith(`0x${read.hash.slice(0, 8)}`)) continue;
    const key = `${kind === 'event' ? read.hash : read.hash.slice(0, 8)}:${parsed.topicCount}`;
    const line = `${read.hash.slice(0, 8)} ${signature}`;
    const known = best.get(key);
    if (!known || count > known.count) best.set(key, { line, count, layouts: 1 });
    else if (count === known.count && line !== known.line) known.layouts++;
  }
  return [...best.values()]
    .filter(({ layouts }) => layouts === 1)
    .map(({ line }) => line)
    .sort(inOrder);
}

function write(path: string, heads: readonly string[], lines: readonly string[]): void {
  writeFileSync(join(RULES, path), `${[...heads.map((head) => `# ${head}`), ...lines].join('\n')}\n`);
  console.log(`${path}: ${lines.length} lines`);
}

const listed = rows<Listed>(signaturesFile);
const described = rows<{ function: string }>(functionsFile).map(
  ({ function: signature }): Listed => ({
    kind: 'function',
    signature: signature.replaceAll(/,(?! )/g, ', '),
    count: 1,
  }),
);
mkdirSync(join(RULES, 'signatures'), { recursive: true });
mkdirSync(join(RULES, 'address-book'), { recursive: true });
const ABIS = 'Sources: ABIs of messari/subgraphs (2025-03), DefiLlama adapters (2026-08)';
write(
  'signatures/events.txt',
  ['<first 8 digits of topic 0> <signature>, sorted', ABIS],
  linesOf('event', listed),
);
write(
  'signatures/functions.txt',
  ['<selector> <signature>, sorted', `${ABIS}, LedgerHQ ERC-7730 registry (2026-08)`],
  linesOf('function', [...listed, ...described]),
);

const names = rows<{ address: string; name: string; category: string }>(namesFile);
for (const kind of [...new Set(names.map(({ category }) => category))].sort())
  write(
    `address-book/${kind}.txt`,
    ['<address> <kind> <name>, sorted', 'Source: duneanalytics/spellbook address labels (2023-05-30, MIT)'],
    names
      .filter(({ category }) => category === kind)
      .map(({ address, name }) => `${address.toLowerCase()} ${kind} ${name.trim()}`)
      .sort(inOrder),
  );
