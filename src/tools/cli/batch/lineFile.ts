import { createReadStream } from 'node:fs';
import { open, truncate } from 'node:fs/promises';

/** A file that only grows by whole lines; what a killed process left unfinished at its end is gone once opened. */
export interface LineFile {
  /** Appends one line; resolves when the system has it. Lines of concurrent calls never mix. */
  append(line: string): Promise<void>;
  /** Waits for what is being written and asks the disk to have it. */
  close(): Promise<void>;
}

export interface OpenedLineFile {
  readonly file: LineFile;
  /** Bytes of an unfinished last line that were cut off. */
  readonly torn: number;
}

const NEWLINE = 0x0a;

/** Opens or creates a file of lines and hands each line that is there to `onLine`, which may throw to refuse the file. */
export async function openLineFile(
  path: string,
  onLine: (line: string, number: number) => void,
): Promise<OpenedLineFile> {
  await (await open(path, 'a')).close();
  const { complete, torn } = await readLines(path, onLine);
  if (torn > 0) await truncate(path, complete);
  const handle = await open(path, 'a');
  let last: Promise<void> = Promise.resolve();
  return {
    torn,
    file: {
      append: (line) => (last = last.then(() => handle.appendFile(`${line}\n`))),
      async close() {
        try {
          await last;
          await handle.datasync();
        } finally {
          await handle.close();
        }
      },
    },
  };
}

async function readLines(
  path: string,
  onLine: (line: string, number: number) => void,
): Promise<{ complete: number; torn: number }> {
  let complete = 0;
  let number = 0;
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
      complete += line.length + 1;
      rest = [];
      restBytes = 0;
      start = end + 1;
      onLine(line.toString('utf8'), ++number);
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start));
      restBytes += chunk.length - start;
    }
  }
  return { complete, torn: restBytes };
}
