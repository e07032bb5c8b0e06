import { readFileSync, readdirSync } from 'node:fs';
import { median } from '../stats.ts';
import { readRecordings } from '../recordings.ts';
import { cannonade } from './load.ts';
import { startNode, startService, type Program } from './processes.ts';

/** Milliseconds of processor time per request: of the main thread, and of all others (collector, compiler, sockets). */
export interface PerRequest {
  readonly main: number;
  readonly others: number;
}

export interface ServiceResult {
  readonly connections: number;
  readonly service: PerRequest;
  /** Of the other build, and of each pair of turns this build's time over the other's: median, least and greatest. */
  readonly against?: PerRequest;
  readonly ratio?: { readonly median: number; readonly least: number; readonly greatest: number };
}

/** Ticks of a thread, user and system, of 10 ms: proc(5), fields 14 and 15 of `stat`. */
function ticks(pid: number, thread: string): number {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function threads(pid: number): { main: number; all: number } {
  const every = readdirSync(`/proc/${pid}/task`).map((thread) => ticks(pid, thread));
  return { main: ticks(pid, String(pid)), all: every.reduce((sum, one) => sum + one, 0) };
}

/**
 * Processor time per request of the built service over HTTP, at one and eight connections; with `against`, of another
 * built checkout too, both warmed and then loaded in turns. Linux only: it reads `/proc`.
 */
export async function measureService(
  place: string,
  options: { rounds: number; requests: number; warmUp: number; against?: string },
): Promise<ServiceResult[]> {
  const hashes = readRecordings(place).map(({ hash }) => hash);
  const node = await startNode([place]);
  const env = { MAX_CONCURRENCY: '64' };
  const builds: Program[] = [await startService(node.url, env)];
  try {
    if (options.against !== undefined) builds.push(await startService(node.url, env, options.against));
    for (const build of builds)
      await cannonade(build, hashes, { requests: options.warmUp, connections: 8, lenient: true });
    const results: ServiceResult[] = [];
    for (const connections of [1, 8]) {
      const rounds: PerRequest[][] = [];
      for (let round = 0; round < options.rounds; round++) {
        const figures: PerRequest[] = [];
        // The order alternates, so that what the machine does beside them falls on both.
        const order = round % 2 === 0 ? builds : builds.toReversed();
        for (const build of order) {
          const before = threads(build.pid);
          await cannonade(build, hashes, { requests: options.requests, connections, lenient: true });
          const after = threads(build.pid);
          const main = ((after.main - before.main) * 10) / options.requests;
          const all = ((after.all - before.all) * 10) / options.requests;
          figures[builds.indexOf(build)] = { main, others: all - main };
        }
        rounds.push(figures);
      }
      const of = (build: number): PerRequest => ({
        main: median(rounds.map((figures) => figures[build]!.main)),
        others: median(rounds.map((figures) => figures[build]!.others)),
      });
      const total = ({ main, others }: PerRequest): number => main + others;
      const ratios = builds.length < 2 ? [] : rounds.map(([mine, other]) => total(mine!) / total(other!));
      results.push({
        connections,
        service: of(0),
        ...(ratios.length > 0 && {
          against: of(1),
          ratio: { median: median(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) },
        }),
      });
    }
    return results;
  } finally {
    await Promise.all([node, ...builds].map((program) => program.stop()));
  }
}

/** Settings of a service that many connections load, the defaults first. */
const PLACES = [{}, { MAX_CONCURRENCY: '32', MAX_QUEUE: '16' }] as const;

/** Share of the answers that are refusals at 32 connections of one client, by the settings of the service. */
export async function measureRefusals(
  place: string,
): Promise<{ settings: Record<string, string>; refused: number }[]> {
  const hashes = readRecordings(place).map(({ hash }) => hash);
  const node = await startNode([place]);
  try {
    const found: { settings: Record<string, string>; refused: number }[] = [];
    for (const settings of PLACES) {
      const service = await startService(node.url, settings);
      try {
        const load = { requests: 1_000, connections: 32, lenient: true };
        found.push({ settings, refused: (await cannonade(service, hashes, load)).refused! });
      } finally {
        await service.stop();
      }
    }
    return found;
  } finally {
    await node.stop();
  }
}
