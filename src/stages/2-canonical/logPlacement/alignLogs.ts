import type { Frame } from '../../../model/canonicalTx.ts';
import { LogAffinity, statementOf, type Judgement } from './logAffinity.ts';
import { lazy } from '../../../lib/lazy.ts';
import { lowerBound } from '../../../lib/lists.ts';
import type { Candidates, LogWindow } from './inferLogs.ts';
import type { ReceiptLog } from '../readTransaction.ts';
import type { Timeline } from '../timeline.ts';

export interface Aligned {
  readonly log: number;
  readonly moment: number;
  /** Every other frame fits clearly worse. */
  readonly sure: boolean;
}

/** Moments examined over all logs; beyond, each log looks at fewer, but at least at `LEAST`. */
const WORK = 1_000_000;
const LEAST = 8;
/** Cost of a log before a frame's last call: contracts mostly log at the end. */
const EARLY = 2;
/** Extra cost every other frame must have before one is named. */
const MARGIN = 5;
/** More than any sum of costs can reach. */
const NEVER = 2 ** 30;

/** A moment that is possible for a log: how badly the log fits it. */
interface Cell extends Judgement {
  readonly moment: number;
  readonly frame: number;
  /** Least cost of all earlier logs plus this one at this moment. */
  upTo: number;
  /** Least cost of all later logs. */
  onward: number;
}

interface Row {
  readonly log: number;
  readonly cells: readonly Cell[];
  /** False where candidates were left out to bound the work, or are only hints. */
  readonly whole: boolean;
}

/** The logs to align, and their candidates. */
export interface Alignment {
  readonly frames: readonly Frame[];
  readonly timeline: Timeline;
  readonly logs: readonly ReceiptLog[];
  readonly candidates: readonly Candidates[];
  /** The feasible windows of the logs; logs without one are left out. */
  readonly rows: readonly LogWindow[];
}

/**
 * Cheapest order-keeping assignment of logs to moments (a Viterbi pass over the rows). A second pass from
 * the end gives the cost of every alternative and so how sure each choice is.
 */
export function alignLogs(alignment: Alignment): Aligned[] {
  const { frames, candidates, rows: windows } = alignment;
  // One possible moment each: nothing to search.
  if (windows.every(({ first, last }) => first === last))
    return windows.map(({ log, first }) => {
      const { moments, own } = candidates[log]!;
      return { log, moment: moments[first]!, sure: own };
    });
  const limit = Math.max(LEAST, Math.floor(WORK / windows.length));
  const affinity = lazy(() => new LogAffinity(frames));
  const rows: Row[] = [];
  let base = 0;
  for (const { log, first, last } of windows) {
    const { moments, own } = candidates[log]!;
    const isLater = (moment: number): boolean => moment >= base;
    const from = Math.max(first, lowerBound(moments, isLater));
    const end = Math.min(last + 1, from + limit);
    const isOpen = own && (last - first >= limit || !isOneFrame(moments, first, last, alignment.timeline));
    const judge = isOpen ? judgeOf(log, rows.at(-1), alignment, affinity()) : null;
    const cells = moments.slice(from, end).map((moment) => cellAt(moment, own, judge, alignment.timeline));
    addEarlier(cells, rows.at(-1)?.cells);
    rows.push({ log, cells, whole: own && end - from === last + 1 - first });
    // Once a row had to be cut, later rows start where the best so far ends.
    if (end <= last) base = cheapest(cells).moment;
  }
  return readBack(rows);
}

const cheapest = (cells: readonly Cell[]): Cell =>
  cells.reduce((best, cell) => (cell.upTo < best.upTo ? cell : best));

type Judge = (frame: number, isLeaf: boolean) => Judgement;

/** Compares a log with calls. To share a moment with an alike log costs more in calls that make none. */
function judgeOf(log: number, before: Row | undefined, { logs }: Alignment, affinity: LogAffinity): Judge {
  const statement = statementOf(logs[log]!);
  const follows = before?.log === log - 1 && logs[log - 1]!.topics[0] === statement.topic;
  return (frame, isLeaf) => {
    const judgement = affinity.judge(statement, frame);
    return follows && isLeaf ? judgement : { ...judgement, repeat: 0 };
  };
}

const UNJUDGED: Judgement = { cost: 0, verdict: 'possible', repeat: 0 };

function cellAt(moment: number, own: boolean, judge: Judge | null, { running, entry, exit }: Timeline): Cell {
  const frame = running[moment]!;
  const isLast = moment + 1 === exit[frame];
  const { cost, verdict, repeat } = judge?.(frame, isLast && entry[frame] === moment) ?? UNJUDGED;
  return { moment, frame, cost: cost + (own && !isLast ? EARLY : 0), verdict, repeat, upTo: 0, onward: 0 };
}

/** Whether all candidate moments belong to one frame: the log's content cannot choose between them. */
function isOneFrame(moments: readonly number[], first: number, last: number, { running }: Timeline): boolean {
  for (let i = first + 1; i <= last; i++) if (running[moments[i]!] !== running[moments[first]!]) return false;
  return true;
}

/** Fills `upTo` of a row from the row before. */
function addEarlier(cells: readonly Cell[], before: readonly Cell[] = []): void {
  let next = 0;
  let earlier = before.length > 0 ? NEVER : 0;
  for (const cell of cells) {
    for (; next < before.length && before[next]!.moment < cell.moment; next++)
      earlier = Math.min(earlier, before[next]!.upTo);
    const same = before[next];
    const together = same?.moment === cell.moment ? same.upTo + cell.repeat : NEVER;
    cell.upTo = Math.min(NEVER, cell.cost + Math.min(earlier, together));
  }
}

/** Fills `onward` of a row from the row after. */
function addLater(cells: readonly Cell[], after: readonly Cell[]): void {
  let next = after.length - 1;
  let later = NEVER;
  for (const cell of cells.toReversed()) {
    for (; next >= 0 && after[next]!.moment > cell.moment; next--)
      later = Math.min(later, after[next]!.cost + after[next]!.onward);
    const same = after[next];
    const together = same?.moment === cell.moment ? same.cost + same.onward + same.repeat : NEVER;
    cell.onward = Math.min(NEVER, later, together);
  }
}

function readBack(rows: readonly Row[]): Aligned[] {
  const aligned: Aligned[] = [];
  let chosen: Cell | undefined;
  for (let r = rows.length - 1; r >= 0; r--) {
    const row = rows[r]!;
    if (r < rows.length - 1) addLater(row.cells, rows[r + 1]!.cells);
    chosen = bestBefore(row, chosen);
    aligned.push({ log: row.log, moment: chosen.moment, sure: isSure(row, chosen) });
  }
  return aligned.reverse();
}

/** The row's cheapest cell not after the next row's chosen one, the later one of equals. */
function bestBefore({ cells }: Row, next: Cell | undefined): Cell {
  let best = cells[0]!;
  let least = Infinity;
  for (const cell of cells) {
    if (next && cell.moment > next.moment) break;
    const total = cell.upTo + (cell.moment === next?.moment ? next.repeat : 0);
    if (total <= least) [best, least] = [cell, total];
  }
  return best;
}

/**
 * Names a frame only where it alone can emit the event, or where the event is its one purpose word for word,
 * and every other frame costs clearly more. Overlapping words alone place a log in time but never name its
 * frame.
 */
function isSure({ cells, whole }: Row, chosen: Cell): boolean {
  const limit = chosen.upTo + chosen.onward + MARGIN;
  const isOutdone = ({ verdict, upTo, onward }: Cell): boolean =>
    (chosen.verdict === 'exact' || (chosen.verdict === 'possible' && verdict === 'unfit')) &&
    upTo + onward >= limit;
  return whole && cells.every((cell) => cell.frame === chosen.frame || isOutdone(cell));
}
