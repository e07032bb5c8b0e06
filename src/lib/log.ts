import { pino, type DestinationStream, type Logger } from 'pino';
import type { Mask } from './mask.ts';

export type Log = Logger;

/** Lines that this process dropped because they were not read. */
export const dropped = { lines: 0 };

/** Structured log, one JSON object per line; every finished line passes through `mask`. */
export function createLog(options: { level: string; mask?: Mask; stream?: DestinationStream }): Log {
  const { level, mask = (line) => line, stream = pino.destination({ fd: 1, sync: true }) } = options;
  const hooks = { streamWrite: mask };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, stream);
}
