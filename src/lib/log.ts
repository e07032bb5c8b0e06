import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Mask } from './mask.ts';

export type Log = Logger;

/** Bytes kept for a reader that stands still: some seconds of a busy service. */
const BUFFERED_BYTES = 1_048_576;

let dropped = 0;

/** Lines this process dropped because nobody read them. */
export function droppedLogLines(): number {
  return dropped;
}

/**
 * Standard output for the log. A reader of a pipe that stands still fills a buffer, then loses lines, but
 * never stops the process: writing to a pipe would otherwise block. The loss is counted, and told when the
 * reader goes on. Files and terminals are written at once.
 */
function standardOutput(): DestinationStream {
  const kind = fstatSync(1);
  if (!kind.isFIFO() && !kind.isSocket()) return pino.destination({ fd: 1, sync: true });
  // Made by its number, the stream does not block; `process.stdout` does.
  const pipe = new Socket({ fd: 1, readable: false, writable: true });
  let missing = 0;
  // The reader is gone: nothing is left to tell anybody.
  pipe.on('error', () => {});
  pipe.unref();
  return {
    write(line) {
      if (pipe.writableLength > BUFFERED_BYTES || pipe.destroyed) {
        dropped++;
        missing++;
        return;
      }
      if (missing > 0) pipe.write(lossLine(missing));
      missing = 0;
      pipe.write(line);
    },
  };
}

function lossLine(lines: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), lines, msg: 'log lines dropped' })}\n`;
}

/** Structured log, one JSON object per line; every finished line passes through `mask`. */
export function createLog(options: { level: string; mask?: Mask; stream?: DestinationStream }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: options.mask ?? ((line) => line) },
    },
    options.stream ?? standardOutput(),
  );
}
