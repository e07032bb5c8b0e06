import type { Frame } from '../../../model/canonicalTx.ts';
import { LogAffinity, statementOf, type Judgement } from './logAffinity.ts';
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

const VERDICTS = { unfit: 0, possible: 1, exact: 2 } as const;

/**
 * The candidate moments ("cells") of all logs, row after row in flat arrays: an object per row would cost
 * more than the search. Row `r` is at `start[r] … start[r+1]-1`.
 */
interface Table {
  readonly rows: readonly LogWindow[];
  readonly start: Int32Array;
  readonly moment: Int32Array;
  /** How badly the log fits the moment. */
  readonly cost: Int32Array;
  /** Extra cost of sharing the moment with the previous log. */
  readonly repeat: Uint8Array;
  readonly verdict: Uint8Array;
  /** Least cost of all earlier logs plus this one at this moment. */
  readonly upTo: Int32Array;
  /** 0 where candidates were left out to bound the work. */
  readonly whole: Uint8Array;
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
export function alignLogs({ frames, timeline, logs, candidates, rows }: Alignment): Aligned[] {
  // One possible moment each: nothing to search.
  if (rows.every(({ first, last }) => first === last))
    return rows.map(({ log, first }) => {
      const { moments, own } = candidates[log]!;
      return { log, moment: moments[first]!, sure: own };
    });
  const limit = Math.max(LEAST, Math.floor(WORK / rows.length));
  const table = emptyTable(rows, limit);
  let affinity: LogAffinity | null = null;
  let base = 0;
  for (const [r, { log, first, last }] of rows.entries()) {
    const { moments, own } = candidates[log]!;
    const from = Math.max(
      first,
      lowerBound(moments, (moment) => moment >= base),
    );
    const size = Math.min(last + 1 - from, limit);
    const start = table.start[r]!;
    table.start[r + 1] = start + size;
    table.whole[r] = own && from === first && size === last + 1 - first ? 1 : 0;
    for (let i = 0; i < size; i++) table.moment[start + i] = moments[from + i]!;
    const oneFrame = last - first < limit && isOneFrame(moments, first, last, timeline);
    if (own && !oneFrame)
      judgeRow(table, r, { logs, timeline, affinity: (affinity ??= new LogAffinity(frames)) });
    else for (let cell = start; cell < start + size; cell++) judgeMoment(table, cell, own, timeline);
    addEarlier(table, r);
    // Once a row had to be cut, later rows start where the best so far ends.
    if (size < last + 1 - from) base = table.moment[cheapest(table, r)]!;
  }
  return readBack(table, timeline);
}

/** Fills the cells of a row by comparing its log with the calls of the candidate frames. */
function judgeRow(
  table: Table,
  row: number,
  { logs, timeline, affinity }: { logs: readonly ReceiptLog[]; timeline: Timeline; affinity: LogAffinity },
): void {
  const { rows, start, repeat } = table;
  const log = rows[row]!.log;
  const statement = statementOf(logs[log]!);
  const follows =
    row > 0 && rows[row - 1]!.log === log - 1 && logs[log - 1]!.topics[0] === logs[log]!.topics[0];
  for (let cell = start[row]!; cell < start[row + 1]!; cell++) {
    const isLeaf = judgeCell(table, cell, timeline, (frame) => affinity.judge(statement, frame));
    if (!follows || !isLeaf) repeat[cell] = 0;
  }
}

function emptyTable(rows: readonly LogWindow[], limit: number): Table {
  const cells = rows.reduce((sum, { first, last }) => sum + Math.min(last - first + 1, limit), 0);
  return {
    rows,
    start: new Int32Array(rows.length + 1),
    moment: new Int32Array(cells),
    cost: new Int32Array(cells),
    repeat: new Uint8Array(cells),
    verdict: new Uint8Array(cells),
    upTo: new Int32Array(cells),
    whole: new Uint8Array(rows.length),
  };
}

/** Whether all candidate moments belong to one frame: the log's content cannot choose between them. */
function isOneFrame(moments: readonly number[], first: number, last: number, { running }: Timeline): boolean {
  for (let i = first + 1; i <= last; i++) if (running[moments[i]!] !== running[moments[first]!]) return false;
  return true;
}

function judgeMoment(table: Table, cell: number, own: boolean, { running, exit }: Timeline): void {
  const moment = table.moment[cell]!;
  table.cost[cell] = !own || moment + 1 === exit[running[moment]!] ? 0 : EARLY;
  table.verdict[cell] = VERDICTS.possible;
}

/** Fills a cell; returns whether its frame makes no calls. */
function judgeCell(
  table: Table,
  cell: number,
  timeline: Timeline,
  judge: (frame: number) => Judgement,
): boolean {
  const moment = table.moment[cell]!;
  const frame = timeline.running[moment]!;
  const judgement = judge(frame);
  const isLast = moment + 1 === timeline.exit[frame];
  table.cost[cell] = judgement.cost + (isLast ? 0 : EARLY);
  table.repeat[cell] = judgement.repeat;
  table.verdict[cell] = VERDICTS[judgement.verdict];
  return isLast && timeline.entry[frame] === moment;
}

/** Fills `upTo` of a row from the row before. */
function addEarlier({ start, moment, cost, repeat, upTo }: Table, row: number): void {
  const end = start[row]!;
  let earlier = row > 0 ? start[row - 1]! : end;
  let before = row > 0 ? NEVER : 0;
  for (let cell = end; cell < start[row + 1]!; cell++) {
    for (; earlier < end && moment[earlier]! < moment[cell]!; earlier++)
      before = Math.min(before, upTo[earlier]!);
    const together =
      earlier < end && moment[earlier] === moment[cell] ? upTo[earlier]! + repeat[cell]! : NEVER;
    upTo[cell] = Math.min(NEVER, cost[cell]! + Math.min(before, together));
  }
}

function cheapest({ start, upTo }: Table, row: number): number {
  let best = start[row]!;
  for (let cell = best + 1; cell < start[row + 1]!; cell++) if (upTo[cell]! < upTo[best]!) best = cell;
  return best;
}

function readBack(table: Table, timeline: Timeline): Aligned[] {
  const { rows, moment } = table;
  const aligned: Aligned[] = [];
  /** Least cost of all later logs, per cell. */
  const onward = new Int32Array(moment.length);
  let chosen = -1;
  for (let row = rows.length - 1; row >= 0; row--) {
    addLater(table, row, onward);
    chosen = bestBefore(table, row, chosen);
    aligned.push({
      log: rows[row]!.log,
      moment: moment[chosen]!,
      sure: isSure({ table, onward, timeline }, row, chosen),
    });
  }
  return aligned.reverse();
}

function addLater({ rows, start, moment, cost, repeat }: Table, row: number, onward: Int32Array): void {
  if (row === rows.length - 1) return;
  const end = start[row + 1]!;
  let later = start[row + 2]! - 1;
  let after = NEVER;
  for (let cell = end - 1; cell >= start[row]!; cell--) {
    for (; later >= end && moment[later]! > moment[cell]!; later--)
      after = Math.min(after, cost[later]! + onward[later]!);
    const together =
      later >= end && moment[later] === moment[cell] ? cost[later]! + onward[later]! + repeat[later]! : NEVER;
    onward[cell] = Math.min(NEVER, after, together);
  }
}

/** The row's cheapest cell not after the next row's chosen one (-1 = none), the later one of equals. */
function bestBefore({ start, moment, repeat, upTo }: Table, row: number, next: number): number {
  let best = start[row]!;
  let least = Infinity;
  for (let cell = best; cell < start[row + 1]! && (next < 0 || moment[cell]! <= moment[next]!); cell++) {
    const total = upTo[cell]! + (next >= 0 && moment[cell] === moment[next] ? repeat[next]! : 0);
    if (total <= least) [best, least] = [cell, total];
  }
  return best;
}

/**
 * Names a frame only where it alone can emit the event, or where the event is its one purpose word for word,
 * and every other frame costs clearly more. Overlapping words alone place a log in time but never name its
 * frame.
 */
function isSure(
  { table, onward, timeline }: { table: Table; onward: Int32Array; timeline: Timeline },
  row: number,
  chosen: number,
): boolean {
  const { start, moment, verdict, upTo, whole } = table;
  if (whole[row] === 0) return false;
  const frame = timeline.running[moment[chosen]!];
  const limit = upTo[chosen]! + onward[chosen]! + MARGIN;
  for (let cell = start[row]!; cell < start[row + 1]!; cell++) {
    if (timeline.running[moment[cell]!] === frame) continue;
    const outdone =
      verdict[chosen] === VERDICTS.exact ||
      (verdict[chosen] === VERDICTS.possible && verdict[cell] === VERDICTS.unfit);
    if (!outdone || upTo[cell]! + onward[cell]! < limit) return false;
  }
  return true;
}
