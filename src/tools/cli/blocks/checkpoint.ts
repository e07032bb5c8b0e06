import { readFile } from 'node:fs/promises';
import { replaceFile } from '../batch/guards.ts';
import { CliError } from '../cliIo.ts';

/** Transactions without a report; the next run tries them again. */
export interface BlockBatchFailure {
  readonly block: string;
  /** Null where the block as a whole failed. */
  readonly tx_hash: string | null;
  readonly code: string;
  readonly error: string;
}

/**
 * How far a batch has come. Written after each block's reports, so that a killed batch repeats at most that
 * block.
 */
export interface Checkpoint {
  /** List, shard and filters: another batch must not go on from here. */
  readonly batch: string;
  /** The blocks, with `latest` resolved. */
  readonly blocks: string;
  /** Position in the list of the next block. */
  readonly next: number;
  /** Bytes of the output that are complete, or its number of parts. */
  readonly written: number;
  /** Bytes of the findings that are complete. */
  readonly findings?: number;
  readonly failures: readonly BlockBatchFailure[];
}

const checkpointPath = (out: string): string => `${out}.state.json`;

/** The checkpoint of an earlier run; null where there is none. Throws `CliError` for a file that is none. */
export async function readCheckpoint(out: string): Promise<Checkpoint | null> {
  const path = checkpointPath(out);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const state = JSON.parse(text) as Checkpoint;
    if (Number.isSafeInteger(state.next) && Number.isSafeInteger(state.written)) return state;
  } catch {
    // Reported below.
  }
  throw new CliError(`${path} is not the state of an earlier batch`);
}

export const writeCheckpoint = (out: string, state: Checkpoint): Promise<void> =>
  replaceFile(checkpointPath(out), `${JSON.stringify(state)}\n`);
