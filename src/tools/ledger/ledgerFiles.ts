import { readFileSync, writeFileSync } from 'node:fs';
import { CliError } from '../cli/cliIo.ts';

/** A file's text. Throws `CliError` where it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** To standard output where no file is named. Throws `CliError` where the file cannot be written. */
export function writeText(file: string | undefined, text: string): void {
  if (file === undefined) return void process.stdout.write(text);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
