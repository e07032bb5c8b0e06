import * as Abi from 'ox/Abi';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  isFault,
  parseSignature,
  reasonOf,
  type ParsedSignature,
} from '../../../../rules/compile/signature.ts';
import { CliError } from '../../cliIo.ts';

/** An event or function of a contract's ABI. */
export interface AbiEntry {
  readonly kind: 'event' | 'function';
  /** As in Solidity, without the keyword and the words after the parameters of an event. */
  readonly text: string;
  readonly signature: ParsedSignature;
}

/**
 * The events and functions of an ABI as JSON, of a compiler's artifact or a Solidity interface, or of all
 * such files of a folder.
 * @throws CliError where a file holds none
 */
export function readAbi(path: string): AbiEntry[] {
  const texts = filesOf(path).flatMap((file) => signaturesIn(file));
  const entries = [...new Set(texts)].flatMap((line): AbiEntry[] => {
    const kind = line.startsWith('event ') ? 'event' : 'function';
    const text = line.slice(kind.length + 1);
    const signature = parseSignature(kind, text);
    return isFault(signature) ? [] : [{ kind, text, signature }];
  });
  if (entries.length === 0) throw new CliError(`${path} holds no ABI with events or functions`);
  return entries;
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.(?:json|sol)$/.test(name)).map((name) => join(path, name));
  } catch {
    throw new CliError(`${path}: cannot be read`);
  }
}

function signaturesIn(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  try {
    return Abi.format(path.endsWith('.sol') ? Abi.from(declarationsIn(text)) : abiOf(JSON.parse(text)));
  } catch (error) {
    throw new CliError(`${path}: ${error instanceof SyntaxError ? 'not JSON' : reasonOf(error)}`);
  }
}

/** The list of an ABI; compilers write it into a larger object. */
function abiOf(json: unknown): Abi.Abi {
  const list: unknown = Array.isArray(json) ? json : (json as { abi?: unknown } | null)?.abi;
  if (!Array.isArray(list)) throw new Error('it holds no ABI: a list, or an object with the key abi');
  const items = list.filter((item) => item?.type === 'event' || item?.type === 'function');
  // Hand-written ABIs leave lists out.
  return items.map((item) => ({ ...item, inputs: item.inputs ?? [], outputs: item.outputs ?? [] }));
}

const ELEMENTARY = /^(?:address|bool|string|bytes\d*|u?int\d*|function|mapping)$/;

/** Structs, events and functions that a Solidity text declares, with its own types in those of the ABI. */
function declarationsIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ' ');
  const named = (pattern: RegExp): [string, string][] =>
    [...code.matchAll(pattern)].map(([, name, type]) => [name!, type ?? '']);
  const structs = named(/\bstruct\s+(\w+)\s*\{([^}]*)\}/g);
  const types = new Map([
    ...named(/\benum\s+(\w+)/g).map(([name]) => [name, 'uint8'] as const),
    ...named(/\btype\s+(\w+)\s+is\s+(\w+)/g),
    ...structs.map(([name]) => [name, name] as const),
  ]);
  // A type that the text does not declare is a contract.
  const typed = (params: string): string =>
    params.replace(
      /(^|[,;(])\s*(?:\w+\.)?(\w+)(?=[\s[,);])/g,
      (_, before: string, type: string) =>
        `${before}${ELEMENTARY.test(type) ? type : (types.get(type) ?? 'address')}`,
    );
  const plain = (params: string): string =>
    typed(params.replace(/\s+/g, ' ').trim()).replace(/ payable\b/g, '');
  return [
    ...structs.map(([name, body]) => `struct ${name} { ${plain(body)} }`),
    ...named(/\bevent\s+(\w+)\s*\(([^)]*)\)/g).map(([name, params]) => `event ${name}(${plain(params)})`),
    ...named(/\bfunction\s+(\w+)\s*\(([^)]*)\)/g).map(
      ([name, params]) => `function ${name}(${plain(params)})`,
    ),
  ];
}
