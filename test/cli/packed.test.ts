// The packed package, installed in an empty folder: its commands run there.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HASH_OF, startRecordedNode } from './recordedNode.ts';

const folder = mkdtempSync(join(tmpdir(), 'txreport-packed-'));

beforeAll(() => {
  const run = (command: string, args: string[], cwd: string): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    return stdout.trim();
  };
  const pack = ['run', '--silent', 'pack', '--', '--silent', '--pack-destination', folder];
  // A build that was stale prints before it.
  const [packed] = /\S+\.tgz$/.exec(run('npm', pack, join(import.meta.dirname, '../..')))!;
  run('npm', ['init', '--yes'], folder);
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${packed}`], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('analyses a transaction', async () => {
  const node = await startRecordedNode();
  try {
    const child = spawn('npx', ['txreport', 'analyze', HASH_OF['swap-v2-eth-usdc']!, '--rpc', node.url], {
      cwd: folder,
    });
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(out).toContain('Swap 1 ETH for 3,388.11 USDC on Uniswap V2');
  } finally {
    await node.close();
  }
});

it('serves the demo, which opens on one report', async () => {
  const child = spawn(join(folder, 'node_modules/.bin/txreport'), ['demo', '--no-open'], { cwd: folder });
  try {
    let out = '';
    for await (const chunk of child.stdout) if (/\/\?tx=0x[0-9a-f]{64}\n/.test((out += String(chunk)))) break;
    const [url] = /http:\S+/.exec(out)!;
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('name="txreport-playground" content="on"');
  } finally {
    child.kill('SIGKILL');
  }
});
