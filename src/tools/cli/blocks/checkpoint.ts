import { readFile } from 'node:fs/promises';
import { parseJson } from '../../../lib/json.ts';
import { replaceFile } from '../batch/guards.ts';
import type { Failure } from '../batch/reportFile.ts';
import { CliError } from '../cliIo.ts';

/** A transaction without a report, or with a null `tx_hash` a whole block; the next run tries it again. */
export interface BlockBatchFailure extends Failure {
  readonly block: string;
}

/** How far a batch has come, written after each block: a killed batch repeats at most that block. */
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
  const state = parseJson(text) as Checkpoint | null | undefined;
  if (Number.isSafeInteger(state?.next) && Number.isSafeInteger(state?.written)) return state!;
  throw new CliError(`${path} is not the state of an earlier batch`);
}

export const writeCheckpoint = (out: string, state: Checkpoint): Promise<void> =>
  replaceFile(checkpointPath(out), `${JSON.stringify(state)}\n`);
