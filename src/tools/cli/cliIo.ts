import { readFileSync } from 'node:fs';
import type { Hash } from '../../model/hex.ts';
import { commandsFor, pastedHash, whyNoTransaction } from '../pasted.ts';

/** Where a command writes; tests pass their own. */
export interface CliIo {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** Options that several commands have. */
export interface CommonOptions {
  readonly rpc?: string;
  readonly json?: boolean;
  /** Addresses in full. */
  readonly full?: boolean;
  /** Ids, raw integers and places of proofs as well. */
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

export const TERMINAL: CliIo = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
};

/** An error the user can fix; printed without a stack. */
export class CliError extends Error {
  /** 2: wrong arguments or configuration, nothing was done. 1: it failed on the way. 3: the disk failed. */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 | 3 = 2,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** The hash in pasted text. Throws `CliError` where there is none. */
export function requireTxHash(text: string): Hash {
  const hash = pastedHash(text);
  if (hash !== null) return hash as Hash;
  const why = `invalid tx_hash \`${text.slice(0, 100)}\`: ${whyNoTransaction(text)}`;
  throw new CliError([why, ...commandsFor(text).map((command) => `  try: ${command}`)].join('\n'));
}

/** An error that is no fault of the user; its stack where DEBUG is set. */
export const defectText = ({ stack, message }: Error): string =>
  `internal error: ${process.env['DEBUG'] ? stack : `${message} (DEBUG=1 shows the stack)`}`;

/** Version in package.json, three levels above both `src/tools/cli` and `dist/tools/cli`. */
export function packageVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** A reader that closes the pipe early (`| head -1`) does not end the command: its status still counts. */
export function outliveReader(): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
}
