import pc from 'picocolors';

export interface BatchCounts {
  /** Hashes that had a report before this run. */
  skipped: number;
  reported: number;
  failed: number;
  /** Lines that repeat an earlier hash. */
  repeated: number;
}

export interface Progress {
  /** Draws the line anew, at most a few times per second. */
  update(): void;
  /** Clears the progress line. */
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** Without a terminal, one line per half minute shows that the batch is alive. */
const LOG_EVERY_MS = 30_000;
const BAR = 24;

/** `3 h 12 min`, `4 min 5 s`, `12 s`. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  return s < 3600
    ? `${Math.floor(s / 60)} min ${s % 60} s`
    : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

export function progressBar(share: number): string {
  const filled = Math.round(share * BAR);
  return `${pc.green('█'.repeat(filled))}${pc.dim('░'.repeat(BAR - filled))}`;
}

/** One line: progress, speed, time left. `total` is null while the list is still being read. */
export function progressLine(
  counts: BatchCounts,
  total: number | null,
  elapsedMs: number,
  bar: boolean,
): string {
  const now = counts.reported + counts.failed;
  const finished = now + counts.skipped;
  const perSecond = elapsedMs > 0 ? (now * 1000) / elapsedMs : 0;
  const failed = counts.failed > 0 ? [pc.red(`${counts.failed} failed`)] : [];
  const speed = `${perSecond.toFixed(1)}/s`;
  if (!total) return [`${finished}`, speed, ...failed].join('  ');
  const share = Math.min(1, finished / total);
  const left = perSecond === 0 ? 0 : ((total - finished) * 1000) / perSecond;
  return [
    ...(bar ? [progressBar(share)] : []),
    `${finished}/${total}`,
    `${Math.floor(share * 100)} %`,
    speed,
    ...(left > 0 ? [`${duration(left)} left`] : []),
    ...failed,
  ].join('  ');
}

/** Shows progress on `stream`: a bar on a terminal, a line every half minute elsewhere. */
export function startProgress(
  line: (elapsedMs: number, bar: boolean) => string,
  stream: NodeJS.WriteStream,
  quiet: boolean,
): Progress {
  if (quiet) return { update: () => {}, end: () => {} };
  const began = performance.now();
  const terminal = stream.isTTY === true;
  let drawn = 0;
  return {
    update() {
      const now = performance.now();
      if (now - (drawn || began) < (terminal ? DRAW_EVERY_MS : LOG_EVERY_MS)) return;
      drawn = now;
      const text = line(now - began, terminal);
      stream.write(terminal ? `\r\u001b[2K${text}` : `${text}\n`);
    },
    end() {
      if (terminal && drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}
