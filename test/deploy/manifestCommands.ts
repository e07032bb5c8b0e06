// Every shipped manifest's and compose file's command of this program, run under its own security context against recorded
// transactions: the Deployment and compose service serve, answer their probes and stop; every shard of the Job ends well.
// usage: node --import tsx test/deploy/manifestCommands.ts   needs root, unshare and setpriv; exits with 75, not checked, without
import { chmodSync, chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { hashesOf } from '../cli/killing.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import {
  canContain,
  composeContainer,
  ended,
  podContainer,
  startContained,
  type Contained,
} from './contained.ts';
import { ROOT } from './dockerfile.ts';
import { readManifests, type Manifest } from './manifests.ts';

if (!canContain()) {
  console.log('SKIPPED: playing containers needs root, unshare and setpriv, which are not here');
  process.exit(75);
}
const objects = readManifests().map(({ manifest }) => manifest);
const only = (kind: string): Manifest => objects.find((one) => one.kind === kind);
const node = await startRecordedNode();
let failed = 0;
const say = (what: string, problem: string | null): void => {
  console.log(`${problem === null ? 'ok   ' : 'FAIL '} ${what}${problem === null ? '' : `: ${problem}`}`);
  if (problem !== null) failed++;
};

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** The variables of a container, the node in place of every secret. */
function environment(container: Manifest, index = '0'): Record<string, string> {
  const value = ({ value: given, valueFrom }: Manifest): string | null =>
    given ?? (valueFrom.fieldRef ? index : valueFrom.secretKeyRef.optional ? null : node.url);
  const listed = (container.env ?? []).map((one: Manifest) => [one.name, value(one)]);
  const config = (container.envFrom ?? []).flatMap(() => Object.entries(only('ConfigMap').data as object));
  return Object.fromEntries([...config, ...listed].filter(([, given]) => given !== null));
}

/** Serves, answers probes and analyses, in this process and in one of its own, and stops on SIGTERM. */
async function serves(
  what: string,
  contained: Contained,
  probes: readonly string[],
  check: string[] | null,
): Promise<void> {
  const { PORT, ADMIN_PORT } = contained.env as { PORT: string; ADMIN_PORT: string };
  const child = startContained(contained);
  const end = ended(child);
  const get = (url: string, body?: object): Promise<number> =>
    fetch(`http://127.0.0.1:${url}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    }).then(
      ({ status }) => status,
      () => 0,
    );
  for (let i = 0; i < 300 && child.exitCode === null && (await get(`${PORT}/health`)) !== 200; i++)
    await sleep(100);
  const problems: string[] = [];
  for (const probe of probes) {
    const status = await get(probe.replace('http', PORT).replace('admin', ADMIN_PORT));
    if (status !== 200) problems.push(`${probe} answered ${status}`);
  }
  if (check !== null) {
    const { code, output } = await ended(startContained(contained, check));
    if (code !== 0) problems.push(`${check.join(' ')} ended with ${code}: ${output}`);
  }
  for (const { name, hash } of RECORDINGS) {
    const status = await get(`${PORT}/analyze`, { tx_hash: hash });
    if (status !== 200) problems.push(`${name} answered ${status}`);
  }
  child.kill('SIGTERM');
  const { code, output } = await end;
  if (code !== 0) problems.push(`ended with ${code}: ${output.slice(-500)}`);
  say(what, problems.length === 0 ? null : problems.slice(-3).join('; '));
}

/** The ports alone differ from the manifest; some answers count as large, so that a process is started for them. */
const moved = async (env: Record<string, string>): Promise<Record<string, string>> => ({
  ...env,
  PORT: await freePort(),
  ADMIN_PORT: await freePort(),
  LARGE_BYTES: '20000',
});

const pod = only('Deployment').spec.template.spec;
const [container] = pod.containers;
const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
  (name) => `${container[name].httpGet.port}${container[name].httpGet.path}`,
);
await serves('Deployment', podContainer(pod, await moved(environment(container)), {}), probes, null);

for (const [name, service] of Object.entries<Manifest>(
  parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')).services,
)) {
  if (service.build === undefined) {
    console.log(`--    compose ${name}: ${service.image}, an image of others, is not run here`);
    continue;
  }
  const env = { ...service.environment, RPC_URL: node.url };
  await serves(
    `compose ${name}`,
    composeContainer(service, await moved(env)),
    ['http/health', 'admin/ready'],
    ['node', 'deploy/healthcheck.mjs'],
  );
}

const job = only('Job').spec;
const folder = mkdtempSync(join(tmpdir(), 'txreport-volume-'));
const { fsGroup } = job.template.spec.securityContext;
// As the kubelet does for `fsGroup`.
chownSync(folder, 0, fsGroup);
chmodSync(folder, 0o2775);
writeFileSync(join(folder, 'blocks.txt'), RECORDINGS.map(({ rpc }) => BigInt(rpc.block.number)).join('\n'));
const found: string[] = [];
for (let i = 0; i < job.completions; i++) {
  const env = environment(job.template.spec.containers[0], String(i));
  const { args, ...rest } = podContainer(job.template.spec, env, { data: folder });
  const own = args.map((arg) => arg.replaceAll('$(JOB_COMPLETION_INDEX)', String(i)));
  const { code, output } = await ended(startContained({ ...rest, args: own }));
  if (code !== 0) say(`Job, shard ${i}`, `ended with ${code}: ${output.slice(-500)}`);
  else found.push(...hashesOf(join(folder, `reports-${i}.ndjson`)));
}
const wanted = RECORDINGS.map(({ hash }) => hash).sort();
say(
  `Job, ${job.completions} shards`,
  found.sort().join() === wanted.join() ? null : `${found.length} of ${wanted.length} reports`,
);

await node.close();
process.exit(failed === 0 ? 0 : 1);
