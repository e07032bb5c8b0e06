import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRuleFile } from '../../rules/read/parsedFiles.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';
import type { RawLedgerFormat, RawLedgerTags } from '../../model/generated/rules.ts';
import { CliError } from '../cli/cliIo.ts';

/** A format as its YAML says it. */
export type LedgerFormat = RawLedgerFormat;
/** The type of a row of a tax ledger. */
export type RowKind = keyof NonNullable<LedgerFormat['tags']>;
/** Words that a format may translate; `swap` and others come from the rules' intents, `cost` is a fee. */
export type Word = keyof RawLedgerTags;

const FOLDER = join(SHIPPED_RULES, 'ledgers');

/** Names of the formats that come with the rules. */
export const formatNames = (): string[] => readdirSync(FOLDER).map((file) => file.replace('.yaml', ''));

/**
 * A shipped format by its name, or one's own by the path of its YAML file.
 * @throws CliError for a name or file that is none, with the place of each fault
 */
export function readFormat(name: string): LedgerFormat {
  const shipped = formatNames().includes(name);
  if (!shipped && !existsSync(name))
    throw new CliError(
      `unknown format ${name.slice(0, 100)}: ${formatNames().join(', ')}, or the path of a YAML file`,
    );
  const text = readText(shipped ? join(FOLDER, `${name}.yaml`) : name);
  const { tree, faults, schemaFaults, locate } = parseRuleFile('ledger', text);
  const problems = [
    ...faults,
    ...schemaFaults.map(({ pointer, part, message }) => ({
      place: locate(pointer, part),
      message: `${pointer}: ${message}`,
    })),
  ];
  const texts = problems.map(({ place, message }) => `${name}:${place.line}:${place.column} ${message}`);
  if (texts.length > 0) throw new CliError(texts.join('\n'));
  return tree as unknown as LedgerFormat;
}

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
