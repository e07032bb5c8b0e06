import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { TxReport } from '../../model/generated/report.ts';
import { jsonKeys, parseJson } from '../../lib/json.ts';
import { CliError } from './cliIo.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface NamedValue {
  /** The file, with the line number when it holds several values. */
  readonly name: string;
  readonly value: unknown;
}

/**
 * The JSON values of a file, or of standard input (`-`): one document over any number of lines, or one per
 * line (NDJSON). Throws `CliError` when the file cannot be read, is neither, or holds an object with one key
 * twice: readers of JSON differ in which of the two counts.
 */
export async function* readReports(file: string): AsyncGenerator<NamedValue> {
  try {
    yield* readValues(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(`cannot read ${file}: ${code === 'ENOENT' ? 'no such file' : message}`);
  }
}

/** Where the first line alone is no value, all lines are one document. */
async function* readValues(file: string): AsyncGenerator<NamedValue> {
  const document: string[] = [];
  /** The first value, held back until a second one shows that the name needs a line number. */
  let first: NamedValue | null = null;
  let values = 0;
  for await (const [number, line] of linesOf(file))
    if (document.length > 0 || (values === 0 && parseJson(line) === undefined)) document.push(line);
    else {
      const named = readText(line, `${file}:${number}`);
      if (++values === 2) yield first!;
      if (values === 1) first = named;
      else yield named;
    }
  if (values === 1) yield { name: file, value: first!.value };
  if (values === 0) yield readText(document.join('\n'), file);
}

/** The lines that are not blank, with their numbers. */
async function* linesOf(file: string): AsyncGenerator<[number: number, line: string]> {
  const input: Readable = file === '-' ? process.stdin : createReadStream(file);
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++;
    if (line.trim() !== '') yield [number, line];
  }
}

function readText(text: string, name: string): NamedValue {
  const value = parseJson(text);
  if (value === undefined) throw new CliError(`${name} is not JSON`);
  for (const { key, repeated } of jsonKeys(text))
    if (repeated) throw new CliError(`${name} has the key ${JSON.stringify(key)} twice in one object`);
  return { name, value };
}

/** The reports of a file. Throws `CliError` for the first that violates the published schema. */
export async function* readValidReports(file: string): AsyncGenerator<TxReport> {
  for await (const { name, value } of readReports(file)) {
    const faults = publishedSchemaErrors(value);
    if (faults.length > 0) throw new CliError(`${name} is not a valid report:\n  ${faults.join('\n  ')}`);
    yield value as TxReport;
  }
}

const SCHEMA = new URL('../../../schemas/http/tx-report.schema.json', import.meta.url);
let validate: ValidateFunction | null = null;

/** Violations of the published schema as `<JSON pointer> <message>`; empty for a valid report. */
export function publishedSchemaErrors(value: unknown): string[] {
  validate ??= new Ajv2020({ allErrors: true, strict: false }).compile(
    JSON.parse(readFileSync(SCHEMA, 'utf8')) as object,
  );
  const errors = validate(value) ? [] : (validate.errors ?? []);
  return errors.map(({ instancePath, message, keyword }) => `${instancePath || '/'} ${message ?? keyword}`);
}
