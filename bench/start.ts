import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { median } from './stats.ts';

export interface StartResult {
  /** Milliseconds from starting the process to the line that says it listens. */
  readonly listening: number;
  /** CPU time of the process until then. */
  readonly cpu: number;
  /** CPU time of getting hold of the rules: as compiled at build, and compiled anew. */
  readonly rulesCached: number;
  readonly rulesCompiled: number;
}

const ROOT = join(import.meta.dirname, '..');
const CPU = `const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };`;
const RULES = new URL('../rules', import.meta.url).pathname;

/** Starts of the built service and of its parts, each in a fresh process, medians over `times`. */
export async function measureStart(times: number): Promise<StartResult> {
  const [listening, cpu, rulesCached, rulesCompiled]: number[][] = [[], [], [], []];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    // The service writes one line once it listens; the process is asked for its CPU time as it ends.
    const service = await run(
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(`${CPU} process.on('exit', () => console.log('CPU ' + cpu()));`)}`,
        'dist/service/main.js',
      ],
      '"listening"',
    );
    listening!.push(service.at - start);
    cpu!.push(Number(/CPU ([\d.]+)/.exec(service.output)![1]));
    const timed = (load: string) =>
      `${CPU} const from = cpu(); ${load} console.log('CPU ' + (cpu() - from));`;
    for (const [list, load] of [
      [
        rulesCached!,
        `const { cachedRulebook } = await import('./dist/service/cache/rulebookCache.js'); if (!cachedRulebook(${JSON.stringify(RULES)})) throw new Error('the rules are not compiled: npm run build');`,
      ],
      [rulesCompiled!, `const { loadRules } = await import('./dist/service/loadRules.js'); loadRules();`],
    ] as const)
      list.push(
        Number(/CPU ([\d.]+)/.exec((await run(['--input-type=module', '-e', timed(load)], null)).output)![1]),
      );
  }
  return {
    listening: median(listening!),
    cpu: median(cpu!),
    rulesCached: median(rulesCached!),
    rulesCompiled: median(rulesCompiled!),
  };
}

/** Runs Node.js to its end, or until it has said something and was then told to stop. */
function run(args: readonly string[], until: string | null): Promise<{ output: string; at: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], RPC_URL: 'http://127.0.0.1:9', HOST: '127.0.0.1', PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    let at = 0;
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (at > 0 || until === null || !output.includes(until)) return;
      at = performance.now();
      // The line is written just before the process listens for signals.
      setTimeout(() => child.kill('SIGTERM'), 100);
    });
    child.once('close', (code) =>
      code === 0 ? resolve({ output, at }) : reject(new Error(`ended with ${code}: ${output}`)),
    );
  });
}
