import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/lib/log.ts';
import { createMask } from '../../src/lib/mask.ts';
import { readConfig } from '../../src/service/config.ts';
import { createHttpPost } from '../../src/stages/1-fetch/rpc/httpPost.ts';
import { serve } from '../../src/service/server.ts';
import { runCli } from '../cli/runCli.ts';
import { fetchAnalyze } from '../support/fetchAnalyze.ts';

const folder = mkdtempSync(join(tmpdir(), 'txreport-causes-'));
const open: Server[] = [];
/** Certificates are made by it; where it is missing their cases are skipped. */
const OPENSSL = spawnSync('openssl', ['version']).status === 0;
afterAll(() => {
  for (const server of open) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listening(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** An HTTPS server whose certificate, signed by itself, is for this name, so many days. */
async function httpsServer(name: string, days: string): Promise<{ url: string; cert: Buffer }> {
  const [key, request, certFile] = ['key', 'csr', 'crt'].map((end) => join(folder, `${name}${days}.${end}`));
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${name}`];
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', key!, '-out', request!, ...subject);
  // `x509` takes negative days, `req` does not.
  const signed = ['-signkey', key!, '-copy_extensions', 'copyall', '-days', days];
  openssl('x509', '-req', '-in', request!, '-out', certFile!, ...signed);
  const cert = readFileSync(certFile!);
  const server = createHttpsServer({ key: readFileSync(key!), cert });
  return { url: `https://127.0.0.1:${await listening(server)}`, cert };
}

/** What the service's log and metrics and `doctor` call the failure of a node at this address. */
async function causesOf(url: string): Promise<{ log: unknown; metric: string | undefined; doctor: unknown }> {
  const rpc = url.replace('//', '//someUser:somePass@').concat('/somePathKey');
  const config = { ...readConfig({ RPC_URL: rpc, RPC_RETRIES: '0', ADMIN_PORT: '0' }), port: 0 };
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'info', mask: createMask(config.rpcUrls), stream });
  const server = await serve(
    { ...config, host: '127.0.0.1' },
    ({ upstream }) => Object.assign(fetchAnalyze(upstream)),
    { log },
  );
  await fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_hash: `0x${'ab'.repeat(32)}` }),
  });
  const metrics = await (await fetch(`http://127.0.0.1:${server.adminPort}/metrics`)).text();
  await server.close();
  const { out, err } = await runCli(['doctor', '--json'], { env: { RPC_URL: rpc } });
  const [diagnosis] = JSON.parse(out) as { findings: { cause?: string }[] }[];
  for (const said of [...lines, metrics, out, err])
    expect(said).not.toMatch(/someUser|somePass|somePathKey|some\.invalid/i);
  const failed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    log: failed.find(({ msg }) => msg === 'analysis failed')?.['cause'],
    metric: /txreport_upstream_unreachable_total\{upstream="upstream-1",cause="(\w+)"\} 1/.exec(metrics)?.[1],
    doctor: diagnosis!.findings[0]!.cause,
  };
}

describe('a node that cannot be reached', () => {
  it.each<[string, () => Promise<string>]>([
    ['dns', () => Promise.resolve('http://some.invalid')],
    ['refused', () => Promise.resolve('http://127.0.0.1:1')],
    [
      'reset',
      async () => `http://127.0.0.1:${await listening(createTcpServer((socket) => socket.destroy()))}`,
    ],
    [
      'redirect',
      async () =>
        `http://127.0.0.1:${await listening(
          createHttpServer((_, response) =>
            response.writeHead(301, { location: 'http://some.invalid' }).end(),
          ),
        )}`,
    ],
    ['tls', async () => `https://127.0.0.1:${await listening(createHttpServer())}`],
  ])('is named: %s', async (cause, start) => {
    expect(await causesOf(await start())).toEqual({ log: cause, metric: cause, doctor: cause });
  });

  it.skipIf(!OPENSSL)('is named: tls_unknown_authority', async () => {
    const cause = 'tls_unknown_authority';
    const { url } = await httpsServer('IP:127.0.0.1', '2');
    expect(await causesOf(url)).toEqual({ log: cause, metric: cause, doctor: cause });
  });

  // With the certificate trusted, what else is wrong with it comes to light.
  it.skipIf(!OPENSSL).each([
    ['tls_expired', 'IP:127.0.0.1', '-1'],
    ['tls_wrong_name', 'DNS:another.example', '2'],
  ])('is named: %s', async (cause, name, days) => {
    const { url, cert } = await httpsServer(name, days);
    const agent = new Agent({ connect: { ca: cert } });
    try {
      const limits = { signal: new AbortController().signal, ms: 5_000, maxBytes: 1_000 };
      await expect(createHttpPost(url, agent)('{}', limits)).rejects.toMatchObject({ connection: cause });
    } finally {
      await agent.destroy();
    }
  });
});
