// Memory and `/health` of the service during the attacks.
import { readFileSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';

function processTree(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
    return [pid, ...children.flatMap(processTree)];
  } catch {
    return [];
  }
}
function residentKb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Asks `/health` every 20 ms and watches the memory of the service and its analysis processes. */
export function watch(base: string, service: number) {
  const longest = { stall: 0, own: 0, all: 0 };
  let running = true;
  const probe = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = new URL(base);
  const ask = (): Promise<number> => {
    const start = performance.now();
    return new Promise((resolve) => {
      request({ host: '127.0.0.1', port, path: '/health', agent: probe }, (response) => {
        response.resume().on('end', () => resolve(performance.now() - start));
      })
        .on('error', () => resolve(Infinity))
        .end();
    });
  };
  const loop = async (): Promise<void> => {
    while (running) {
      const before = performance.eventLoopUtilization().active;
      const ms = await ask();
      // The time in which this process itself was at work is not the service's.
      const own = performance.eventLoopUtilization().active - before;
      longest.stall = Math.max(longest.stall, ms - own);
      const sizes = processTree(service).map(residentKb);
      longest.own = Math.max(longest.own, sizes[0] ?? 0);
      longest.all = Math.max(
        longest.all,
        sizes.reduce((sum, size) => sum + size, 0),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    probe.destroy();
  };
  const done = loop();
  return {
    longest,
    reset: () => Object.assign(longest, { stall: 0, own: 0, all: 0 }),
    stop: () => ((running = false), done),
  };
}
