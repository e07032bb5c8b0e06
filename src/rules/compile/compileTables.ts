import { readFileSync } from 'node:fs';
import { readSignature } from '../../evm/signatures.ts';
import type { LineTable, Rulebook } from '../../model/rulebook.ts';
import type { TableFile } from '../read/readRuleFiles.ts';
import { RulebookError, sortProblems } from '../read/problems.ts';
import { sha256 } from './digest.ts';
import { ProblemSink } from './ruleItem.ts';
import { isFault, checkAddress } from './signature.ts';

/** `<8 hex digits> <signature>`; the digits may be left out. */
const SIGNATURE = /^(?:([0-9a-f]{8}) )?([A-Za-z_$][\w$]*\([\w$ ,()[\]]*\))$/;
/** `<slug>[,<slug>…] <signature>` */
const OWN = /^([\w,.-]+) ([A-Za-z_$][\w$]*\(.*\))$/;
const ADDRESS = /^(0x[0-9a-fA-F]{40}) ([a-z][a-z-]*) (\S.*)$/;
/** `0x…` or `0x…/0x…`, then base64. */
const INDEX = /^0x[0-9a-f]{40}(?:\/0x[0-9a-f]{64})? [A-Za-z0-9+/]+$/;

/**
 * The text tables of all directories as single sorted texts; a line of a later directory replaces those of
 * earlier ones about the same address or hash.
 */
export function compileTables(
  tables: readonly TableFile[],
  sink: ProblemSink,
  slugs: ReadonlySet<string>,
): Pick<Rulebook, 'signatures' | 'addressBook'> {
  const of = (folder: TableFile['folder'], part: RegExp): TableFile[] =>
    tables.filter((table) => table.folder === folder && part.test(table.path));
  const signatures = (part: RegExp): LineTable => {
    const text = merge(of('signatures', part), sink, (line, layer) => {
      const [, prefix, signature] = SIGNATURE.exec(line) ?? [];
      if (signature === undefined) return [];
      // The shipped tables are checked by a test; thousands of hashes take their time.
      const hash = prefix !== undefined && layer === 0 ? prefix : readSignature(signature).hash.slice(0, 8);
      return prefix !== undefined && prefix !== hash ? [] : [`${hash} ${signature}`];
    });
    return { text };
  };
  const ownOf = (line: string, layer: number): string[] => {
    const [, list = '', signature] = OWN.exec(line) ?? [];
    const own = list.split(',');
    const areKnown = layer === 0 || own.every((slug) => slugs.has(slug));
    return signature !== undefined && areKnown ? own.map((slug) => `${slug} ${signature}`) : [];
  };
  const own = merge(of('signatures', /\/own[^/]*$/), sink, ownOf, selectorOf);
  return {
    signatures: {
      events: signatures(/\/events[^/]*$/),
      functions: signatures(/\/functions[^/]*$/),
      own: { text: own },
    },
    addressBook: { text: merge(of('address-book', /./), sink, bookLine) },
  };
}

/** Slug and types: a protocol has many functions, and each is replaced alone. */
const selectorOf = (entry: string): string => {
  const end = entry.indexOf(' ');
  return `${entry.slice(0, end)} ${readSignature(entry.slice(end + 1)).named.canonical}`;
};

/** Stored indexes of created contracts: lines `<deployer>[/<salt>] <base64>`. */
export function readIndexes(tables: readonly TableFile[], sink: ProblemSink): Map<string, string> {
  const created = tables.filter(({ folder }) => folder === 'created');
  const lines = merge(created, sink, (line) => (INDEX.test(line) ? [line] : [])).split('\n');
  return new Map(lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string]));
}

/**
 * Replaces the rulebook's address names by those of one file. Throws `RulebookError` for a malformed line,
 * and the file system's error for an unreadable file.
 */
export function withAddressBook(rulebook: Rulebook, path: string): Rulebook {
  const text = readFileSync(path, 'utf8');
  const sink = new ProblemSink();
  const file: TableFile = { folder: 'address-book', layer: 0, path, shownPath: path, text };
  const addressBook: LineTable = { text: merge([file], sink, bookLine) };
  if (sink.problems.length > 0) throw new RulebookError(sortProblems(sink.problems));
  return Object.freeze({
    ...rulebook,
    addressBook,
    digest: sha256(`${rulebook.digest}\n${addressBook.text}`),
  });
}

/** A line of an address book in the form that is looked up; none for another form, or a wrong checksum. */
function bookLine(line: string): string[] {
  const [, address, kind, name] = ADDRESS.exec(line) ?? [];
  if (address === undefined || (/[A-F]/.test(address) && isFault(checkAddress(address)))) return [];
  return [`${address.toLowerCase()} ${kind!} ${name!.trim()}`];
}

/** Entries of all tables; `read` gives none for a line that it refuses. */
function merge(
  tables: readonly TableFile[],
  sink: ProblemSink,
  read: (line: string, layer: number) => readonly string[],
  keyOf = (entry: string): string => entry.slice(0, entry.indexOf(' ')),
): string {
  // By directory: within one, several lines may share a hash (layouts of one event).
  const layers = new Map<string, { layer: number; lines: string[] }>();
  for (const { folder, layer, shownPath, text } of tables) {
    text.split('\n').forEach((line, index) => {
      if (line === '' || line.startsWith('#')) return;
      const entries = read(line.trimEnd(), layer);
      const refuse = (message: string): void =>
        sink.report({ file: shownPath, line: index + 1, column: 1, code: 'bad_line', message });
      if (entries.length === 0) return refuse(line.slice(0, 80));
      for (const entry of entries) {
        const key = keyOf(entry);
        const known = layers.get(key);
        if (known?.layer !== layer) layers.set(key, { layer, lines: [entry] });
        else if (folder === 'address-book' && !known.lines.includes(entry))
          refuse(`${key} has another name above`);
        else known.lines.push(entry);
      }
    });
  }
  const lines = [...layers.values()].flatMap((entry) => entry.lines);
  return lines.length === 0 ? '' : `${[...new Set(lines)].sort().join('\n')}\n`;
}
