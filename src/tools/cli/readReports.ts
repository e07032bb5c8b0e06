import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CliError } from './rules/cliIo.ts';

export interface NamedValue {
  /** The file, with its line where it holds several. */
  readonly name: string;
  readonly value: unknown;
}

/**
 * The JSON values of a file, or of standard input (`-`): one document over any number of lines, or one a line (NDJSON).
 * Throws `CliError` for what cannot be read or is neither.
 */
export async function* readReports(file: string): AsyncGenerator<NamedValue> {
  const input: Readable = file === '-' ? process.stdin : createReadStream(file);
  const pending: string[] = [];
  /** Held back until a second line tells that the file is NDJSON. */
  let first: { value: unknown; line: number } | null = null;
  let several = false;
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      number++;
      if (line.trim() === '') continue;
      // The first line of a document that goes over several is no JSON by itself.
      const value = pending.length === 0 ? parse(line) : undefined;
      if (value === undefined) {
        if (first !== null || several) throw new CliError(`${file}:${number} is not JSON`);
        pending.push(line);
      } else if (first === null && !several) first = { value, line: number };
      else {
        if (first !== null) yield { name: `${file}:${first.line}`, value: first.value };
        first = null;
        several = true;
        yield { name: `${file}:${number}`, value };
      }
    }
    if (first !== null) yield { name: file, value: first.value };
    else if (!several) yield { name: file, value: JSON.parse(pending.join('\n')) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(
      code === 'ENOENT'
        ? `cannot read ${file}: there is no such file`
        : error instanceof SyntaxError
          ? `${file} is not JSON`
          : `cannot read ${file}: ${message}`,
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
