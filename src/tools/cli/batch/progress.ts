import pc from 'picocolors';
import type { BatchCounts } from './runBatch.ts';

export interface Progress {
  update(counts: BatchCounts): void;
  /** Clears what is drawn. */
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** Where nobody watches a terminal, a line now and then tells that the batch is alive. */
const TELL_EVERY_MS = 30_000;
const BAR = 24;

/** `3 h 12 min`, `4 min 5 s`, `12 s`. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  return s < 3600
    ? `${Math.floor(s / 60)} min ${s % 60} s`
    : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** One line: how far, how fast, how long to go. `total` is null while the list is still coming in. */
export function progressLine(
  counts: BatchCounts,
  total: number | null,
  elapsedMs: number,
  bar: boolean,
): string {
  const now = counts.reported + counts.failed;
  const finished = now + counts.skipped;
  const perSecond = elapsedMs > 0 ? (now * 1000) / elapsedMs : 0;
  const share = total === null || total === 0 ? null : Math.min(1, finished / total);
  const filled = share === null ? 0 : Math.round(share * BAR);
  const left = total === null || perSecond === 0 ? null : ((total - finished) * 1000) / perSecond;
  return [
    ...(bar && share !== null ? [`${pc.green('█'.repeat(filled))}${pc.dim('░'.repeat(BAR - filled))}`] : []),
    total === null ? `${finished}` : `${finished}/${total}`,
    ...(share === null ? [] : [`${Math.floor(share * 100)} %`]),
    `${perSecond.toFixed(1)}/s`,
    ...(left === null || left <= 0 ? [] : [`${duration(left)} left`]),
    ...(counts.failed > 0 ? [pc.red(`${counts.failed} failed`)] : []),
  ].join('  ');
}

/** Draws on standard error: a bar on a terminal, a line every half minute elsewhere. */
export function startProgress(total: number | null, stream: NodeJS.WriteStream, quiet: boolean): Progress {
  if (quiet) return { update: () => {}, end: () => {} };
  const began = performance.now();
  const terminal = stream.isTTY === true;
  let drawn = 0;
  return {
    update(counts) {
      const now = performance.now();
      if (now - (drawn || began) < (terminal ? DRAW_EVERY_MS : TELL_EVERY_MS)) return;
      drawn = now;
      const line = progressLine(counts, total, now - began, terminal);
      stream.write(terminal ? `\r\u001b[2K${line}` : `${line}\n`);
    },
    end() {
      if (terminal && drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}
