import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { builtPackage } from '../cli/builtCli.ts';

const LINES = 20_000;

/** A built program whose output is a pipe that is not read until asked for. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pause();
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, ended };
}

const READERS: readonly (readonly [string, (child: ReturnType<typeof start>['child']) => unknown])[] = [
  ['stands still', () => {}],
  ['is gone', ({ stdout }) => stdout.destroy()],
  ['is gone, that of errors too', ({ stdout, stderr }) => [stdout.destroy(), stderr.destroy()]],
  ['of errors stands still too', ({ stderr }) => stderr.pause()],
  ['reads a little now and then', ({ stdout }) => setInterval(() => stdout.read(100), 50).unref()],
];

it.each(READERS)('a reader of the log that %s does not stop the service', async (_, misread) => {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const env = { RPC_URL: 'http://127.0.0.1:1', RPC_RETRIES: '0', PORT: String(port), LOG_LEVEL: 'debug' };
  const { child, ended } = start([join(builtPackage(), 'dist/service/main.js')], env);
  const url = `http://127.0.0.1:${port}`;
  misread(child);
  try {
    for (let tries = 0; tries < 600; tries++) {
      if (await fetch(`${url}/health`).catch(() => null)) break;
      await sleep(100);
    }
    const body = JSON.stringify({ tx_hash: `0x${'ab'.repeat(32)}` });
    const headers = { 'content-type': 'application/json' };
    // Each writes two lines; a pipe holds 64 KiB.
    for (let i = 0; i < 400; i++) {
      const signal = AbortSignal.timeout(5_000);
      const response = await fetch(`${url}/analyze`, { method: 'POST', headers, body, signal });
      expect(response.status).toBe(502);
    }
    const health = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    expect(await health.text()).toBe('ok');
    child.kill('SIGTERM');
    expect(await Promise.race([ended, sleep(10_000).then(() => 'still running')])).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});

it('lines that nobody read are dropped, counted, and the loss is told', async () => {
  const dist = join(builtPackage(), 'dist');
  const program = `
    const { dropped } = await import(${JSON.stringify(join(dist, 'lib/log.js'))});
    const { openLog } = await import(${JSON.stringify(join(dist, 'service/logOutput.js'))});
    const { readConfig } = await import(${JSON.stringify(join(dist, 'service/config.js'))});
    const log = openLog(readConfig({}));
    for (let i = 0; i < ${LINES}; i++) log.info({ i, pad: 'x'.repeat(100) }, 'line');
    process.stderr.write(String(dropped.lines));
    setTimeout(() => log.info('afterwards'), 1_500);
    setTimeout(() => {}, 2_000);`;
  const { child, ended } = start(['--input-type=module', '-e', program]);
  let dropped = '';
  child.stderr.on('data', (data: Buffer) => (dropped += String(data)));
  await sleep(1_000);
  let out = '';
  child.stdout.on('data', (data: Buffer) => (out += String(data)));
  child.stdout.resume();
  expect(await ended).toBe(0);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; lines?: number });
  const written = lines.filter(({ msg }) => msg === 'line').length;
  expect(Number(dropped)).toBeGreaterThan(0);
  expect(written + Number(dropped)).toBe(LINES);
  expect(lines.find(({ msg }) => msg === 'log lines dropped')?.lines).toBe(Number(dropped));
  expect(lines.at(-1)!.msg).toBe('afterwards');
});
