import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { pino, type DestinationStream } from 'pino';
import { createLog, dropped, type Log } from '../lib/log.ts';
import { createMask } from '../lib/mask.ts';
import { secretUrls, type Config } from './config.ts';

/** Bytes kept for a reader that stalls: some seconds of a busy service. */
const BUFFERED_BYTES = 1_048_576;

/**
 * Standard output for the log. A reader of a pipe that stalls fills a buffer, then loses lines, which are
 * counted and logged; writing would otherwise block. Files and terminals are written at once.
 */
function logOutput(): DestinationStream {
  const kind = fstatSync(1);
  if (!kind.isFIFO() && !kind.isSocket()) return pino.destination({ fd: 1, sync: true });
  // Made by its number, the stream does not block; `process.stdout` does.
  const pipe = new Socket({ fd: 1, readable: false, writable: true });
  let missing = 0;
  // The reader is gone: there is nothing to report to.
  pipe.on('error', () => {});
  pipe.unref();
  return {
    write(line) {
      if (pipe.writableLength > BUFFERED_BYTES || pipe.destroyed) {
        dropped.lines++;
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
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 40, time, lines, msg: 'log lines dropped' })}\n`;
}

/** The service's log, on standard output and without the secrets of its settings. */
export function openLog(config: Config): Log {
  return createLog({ level: config.logLevel, mask: createMask(secretUrls(config)), stream: logOutput() });
}
