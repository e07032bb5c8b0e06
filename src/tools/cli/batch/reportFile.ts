import { rename, rm, writeFile } from 'node:fs/promises';
import { CliError } from '../rules/cliIo.ts';
import { openLineFile } from './lineFile.ts';

/** Where reports and failures of a batch go. */
export interface BatchSink {
  /** Bytes of an unfinished last report that were cut off. */
  readonly torn: number;
  /** Hashes that have a report already. */
  readonly done: ReadonlySet<string>;
  /** Hashes that failed in an earlier run and have no report yet. */
  readonly failedBefore: readonly string[];
  report(hash: string, json: string): Promise<void>;
  failure(failure: Failure): Promise<void>;
  /** Settles the files: of the failures those remain that have no report. Resolves to how many remain. */
  close(): Promise<number>;
}

export interface Failure {
  /** Null for a line of the list that holds no hash. */
  readonly tx_hash: string | null;
  readonly code: string;
  readonly error: string;
}

function hashOfReport(line: string): string | null {
  try {
    const hash = (JSON.parse(line) as { tx?: { hash?: unknown } } | null)?.tx?.hash;
    return typeof hash === 'string' ? hash : null;
  } catch {
    return null;
  }
}

function parseFailure(line: string): Failure | null {
  try {
    const failure = JSON.parse(line) as Failure | null;
    return typeof failure?.code === 'string' && typeof failure.error === 'string' ? failure : null;
  } catch {
    return null;
  }
}

/**
 * Reports in one file, failures in another, both append-only while the batch runs: a process killed at any moment leaves
 * at worst an unfinished last line, which the next one cuts off. Throws `CliError` when a file holds something else.
 */
export async function openReportFiles(reportsPath: string, failuresPath: string): Promise<BatchSink> {
  const done = new Set<string>();
  const reports = await openLineFile(reportsPath, (line, number) => {
    const hash = hashOfReport(line);
    if (hash === null)
      throw new CliError(
        `${reportsPath}:${number} is no report: --out must name a new file or the output of an earlier batch`,
      );
    done.add(hash);
  });
  const failures = new Map<string, Failure>();
  const remember = (failure: Failure): void => void failures.set(failure.tx_hash ?? failure.error, failure);
  const errors = await openLineFile(failuresPath, (line, number) => {
    const failure = parseFailure(line);
    if (failure === null)
      throw new CliError(
        `${failuresPath}:${number} is no failure of an earlier batch: --errors must name a file of its own`,
      );
    if (failure.tx_hash !== null && !done.has(failure.tx_hash)) remember(failure);
  });
  return {
    torn: reports.torn,
    done,
    failedBefore: [...failures.keys()],
    async report(hash, json) {
      await reports.file.append(json);
      done.add(hash);
      failures.delete(hash);
    },
    async failure(failure) {
      remember(failure);
      await errors.file.append(JSON.stringify(failure));
    },
    async close() {
      await reports.file.close();
      await errors.file.close();
      if (failures.size === 0) {
        await rm(failuresPath, { force: true });
        return 0;
      }
      const text = [...failures.values()].map((failure) => `${JSON.stringify(failure)}\n`).join('');
      await writeFile(`${failuresPath}.new`, text);
      await rename(`${failuresPath}.new`, failuresPath);
      return failures.size;
    },
  };
}

/** Reports to standard output, failures to standard error: nothing to resume from. */
export function openStandardStreams(): BatchSink {
  let failed = 0;
  const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
    new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())));
  return {
    torn: 0,
    done: new Set(),
    failedBefore: [],
    report: (_, json) => write(process.stdout, `${json}\n`),
    failure: (failure) => (failed++, write(process.stderr, `${JSON.stringify(failure)}\n`)),
    close: () => Promise.resolve(failed),
  };
}
