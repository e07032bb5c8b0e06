// Compiles our own test contracts with solc, once per change: the result is cached outside git.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi, Hex } from 'viem';

const require = createRequire(import.meta.url);
const CONTRACTS = fileURLToPath(new URL('./contracts/', import.meta.url));
export const CACHE_DIR = fileURLToPath(new URL('../../node_modules/.cache/txreport/', import.meta.url));

export interface Contract {
  abi: Abi;
  bytecode: Hex;
}
export type Contracts = Record<string, Contract>;

/** SHA-256 over names and contents, for cache keys. */
export function digest(parts: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Writes a file so that no reader ever sees half of it: two test workers may build the same cache. */
export function writeAtomically(path: string, content: string): void {
  mkdirSync(CACHE_DIR, { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
  // Earlier versions of the same thing serve nobody any more, unless somebody works on another branch: keep a few.
  const kind = basename(path).split('-')[0]!;
  const old = readdirSync(CACHE_DIR)
    .filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'))
    .map((name) => join(CACHE_DIR, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const file of old.slice(4)) rmSync(file, { force: true });
}

export function ownSources(): Record<string, string> {
  const names = readdirSync(CONTRACTS)
    .filter((name) => name.endsWith('.sol'))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(CONTRACTS, name), 'utf8')]));
}

/**
 * ABI and init code of every contract under test/devnet/contracts, by contract name.
 * @throws Error with solc's own messages when a source does not compile.
 */
export function compileContracts(): Contracts {
  const sources = ownSources();
  const versions = ['solc', '@openzeppelin/contracts'].map(
    (name) => require(`${name}/package.json`).version as string,
  );
  const path = join(CACHE_DIR, `contracts-${digest([...versions, ...Object.entries(sources).flat()])}.json`);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Contracts;
  } catch {
    /* not compiled yet */
  }
  const contracts = runSolc(sources);
  writeAtomically(path, JSON.stringify(contracts));
  return contracts;
}

function runSolc(sources: Record<string, string>): Contracts {
  // Loaded only here: the compiler costs a quarter of a second and is not needed once cached.
  const solc = require('solc') as { compile(input: string, callbacks: object): string };
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: {
      optimizer: { enabled: false },
      // No path or comment hash in the code: the same bytes wherever the repository is checked out.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: Object.fromEntries(
        Object.keys(sources).map((name) => [name, { '*': ['abi', 'evm.bytecode.object'] }]),
      ),
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
  };
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const contracts: Contracts = {};
  for (const file of Object.values(output.contracts ?? {}))
    for (const [name, { abi, evm }] of Object.entries(file))
      contracts[name] = { abi, bytecode: `0x${evm.bytecode.object}` };
  return contracts;
}

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return {
      contents: readFileSync(path.startsWith('@') ? require.resolve(path) : join(CONTRACTS, path), 'utf8'),
    };
  } catch (error) {
    return { error: String(error) };
  }
}
