import pc from 'picocolors';

/** How far a batch has come. */
export interface Standing {
  readonly done: number;
  /** Null while the list is still being read. */
  readonly total: number | null;
  /** Of `done` and `total`, with a space before it. */
  readonly unit?: string;
  /** Figures such as the speed. */
  readonly figures: readonly string[];
  readonly leftMs: number;
  readonly failed: number;
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

function progressBar(share: number): string {
  const filled = Math.round(share * BAR);
  return `${pc.green('█'.repeat(filled))}${pc.dim('░'.repeat(BAR - filled))}`;
}

/** One line: progress, speed, time left. */
function progressLine({ done, total, unit = '', figures, leftMs, failed }: Standing, bar: boolean): string {
  const share = total ? Math.min(1, done / total) : null;
  return [
    ...(bar && share !== null ? [progressBar(share)] : []),
    `${done}${total ? `/${total}` : ''}${unit}`,
    ...(share === null ? [] : [`${Math.floor(share * 100)} %`]),
    ...figures,
    ...(leftMs > 0 ? [`${duration(leftMs)} left`] : []),
    ...(failed > 0 ? [pc.red(`${failed} failed`)] : []),
  ].join('  ');
}

/** Shows progress on `stream`: a bar on a terminal, a line every half minute elsewhere. */
export function startProgress(
  standing: (elapsedMs: number) => Standing,
  stream: NodeJS.WriteStream,
  quiet: boolean,
) {
  if (quiet) return { update: () => {}, end: () => {} };
  const began = performance.now();
  const terminal = stream.isTTY === true;
  let drawn = 0;
  return {
    /** Draws the line anew, at most a few times per second. */
    update() {
      const now = performance.now();
      if (now - (drawn || began) < (terminal ? DRAW_EVERY_MS : LOG_EVERY_MS)) return;
      drawn = now;
      const text = progressLine(standing(now - began), terminal);
      stream.write(terminal ? `\r\u001b[2K${text}` : `${text}\n`);
    },
    /** Clears the progress line. */
    end() {
      if (terminal && drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}
