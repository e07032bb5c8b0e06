import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { ENGINE_VERSION } from '../../src/analyze.ts';
import { SETTINGS, readConfig } from '../../src/service/config.ts';
import { startServer } from '../../src/service/main.ts';
import { hashesOf } from '../cli/killing.ts';
import { RECORDINGS, startRecordedNode } from '../cli/recordedNode.ts';
import { runCli } from '../cli/runCli.ts';
import { readGuides } from '../docs/guides.ts';
import { readManifests, type Manifest } from './manifests.ts';

const MODELS: Record<string, new (manifest: Manifest) => { validate(): void }> = {
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  PersistentVolumeClaim,
  Secret,
  Service,
};

const all = readManifests();
const kustomization = all.find(({ manifest }) => manifest.kind === 'Kustomization')!.manifest;
const objects = all.filter(({ manifest }) => manifest.kind !== 'Kustomization');
const only = (kind: string): Manifest => {
  const found = objects.filter(({ manifest }) => manifest.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!.manifest;
};
const deployment = only('Deployment');
const job = only('Job');
const config = only('ConfigMap').data as Record<string, string>;
const container = deployment.spec.template.spec.containers[0];
const matches = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

describe('every manifest', () => {
  it.each(objects.map(({ file, manifest }) => [`${file} ${manifest.kind}`, manifest] as const))(
    '%s is valid by the schemas of Kubernetes',
    (_, manifest) => {
      const Model = MODELS[manifest.kind as string]!;
      expect(new Model(manifest)).toMatchObject({ apiVersion: manifest.apiVersion as string });
      expect(() => new Model(manifest).validate()).not.toThrow();
    },
  );

  it('a broken one would be found', () => {
    const broken = structuredClone(deployment);
    broken.spec.template.spec.containers[0].ports[0].containerPort = 'three thousand';
    expect(() => new Deployment(broken).validate()).toThrow();
    delete broken.spec.selector;
    expect(() => new Deployment(broken).validate()).toThrow();
  });

  it('kustomization applies all but the example secret and the batch', () => {
    expect([...kustomization.resources].sort()).toEqual(
      [...new Set(objects.map(({ file }) => file))]
        .filter((file) => !['secret.example.yaml', 'batch-job.yaml'].includes(file))
        .sort(),
    );
  });
});

describe('what belongs together', () => {
  const labels = deployment.spec.template.metadata.labels as Record<string, string>;

  it('selectors find the pods of the service, and no others', () => {
    const selectors = [
      deployment.spec.selector.matchLabels,
      only('Service').spec.selector,
      only('PodDisruptionBudget').spec.selector.matchLabels,
      deployment.spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ] as Record<string, string>[];
    for (const selector of selectors) {
      expect(matches(selector, labels)).toBe(true);
      expect(matches(selector, job.spec.template.metadata.labels as Record<string, string>)).toBe(false);
    }
    const policed = only('NetworkPolicy').spec.podSelector.matchLabels as Record<string, string>;
    for (const pods of [labels, job.spec.template.metadata.labels as Record<string, string>])
      expect(matches(policed, pods)).toBe(true);
    expect(only('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
      apiVersion: deployment.apiVersion as string,
      kind: 'Deployment',
      name: deployment.metadata.name as string,
    });
  });

  it('ports are those the service is told to listen on', () => {
    const ports = Object.fromEntries(
      (container.ports as { name: string; containerPort: number }[]).map(({ name, containerPort }) => [
        name,
        containerPort,
      ]),
    );
    expect(ports).toEqual({ http: Number(config['PORT']), admin: Number(config['ADMIN_PORT']) });
    for (const { targetPort } of only('Service').spec.ports) expect(Object.keys(ports)).toContain(targetPort);
    expect(
      only('NetworkPolicy').spec.ingress.flatMap((rule: Manifest) =>
        rule.ports.map(({ port }: Manifest) => port),
      ),
    ).toEqual(['http', 'admin']);
    expect(deployment.spec.template.metadata.annotations['prometheus.io/port']).toBe(config['ADMIN_PORT']);
    // Probes and Prometheus do not reach a loopback address.
    expect(config['ADMIN_HOST']).toBe('0.0.0.0');
  });

  it('settings exist and are accepted, secrets come from the Secret', () => {
    const known = Object.values(SETTINGS).map(({ env }) => env);
    for (const name of Object.keys(config)) expect(known).toContain(name);
    expect(() => readConfig({ ...config, RPC_URL: 'http://node' })).not.toThrow();
    const secret = only('Secret');
    for (const { env } of [container, job.spec.template.spec.containers[0]]) {
      const ref = env.find(({ name }: Manifest) => name === 'RPC_URL').valueFrom.secretKeyRef;
      expect(ref.name).toBe(secret.metadata.name);
      expect(secret.stringData).toHaveProperty(ref.key);
    }
    expect(readConfig({ RPC_URL: secret.stringData.RPC_URL }).rpcUrls).toHaveLength(2);
    expect(JSON.stringify(config)).not.toContain('URL');
    expect(container.envFrom).toEqual([
      { configMapRef: { name: only('ConfigMap').metadata.name as string } },
    ]);
  });

  it('stopping leaves running analyses the time they were promised', () => {
    const { terminationGracePeriodSeconds: grace } = deployment.spec.template.spec;
    expect(grace).toBeGreaterThan(
      container.lifecycle.preStop.sleep.seconds + Number(config['SHUTDOWN_GRACE_MS']) / 1000,
    );
    expect(Number(config['SHUTDOWN_GRACE_MS'])).toBeGreaterThanOrEqual(Number(config['DEADLINE_MS']));
    expect(job.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      readConfig({}).deadlineMs / 1000,
    );
  });

  it('pods have no rights they do not need', () => {
    for (const { spec } of [deployment.spec.template, job.spec.template]) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
      for (const one of spec.containers) {
        expect(one.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(one.resources).toMatchObject({
          requests: { cpu: expect.any(String) as string, memory: expect.any(String) as string },
          limits: { memory: expect.any(String) as string },
        });
      }
    }
  });

  it('heaps fit the memory limit, so that a large transaction is refused and does not kill the pod', () => {
    const jobEnv = Object.fromEntries(
      (job.spec.template.spec.containers[0].env as Manifest[]).flatMap(({ name, value }) =>
        value === undefined ? [] : [[name, value as string]],
      ),
    );
    for (const [one, env] of [
      [container, config],
      [job.spec.template.spec.containers[0], jobEnv],
    ] as const) {
      const heap = Number(
        /--max-old-space-size=(\d+)/.exec(
          (one.env as Manifest[]).find(({ name }) => name === 'NODE_OPTIONS')!.value as string,
        )![1],
      );
      const { analysisMemoryMb, largeThreads, maxResponseBytes } = readConfig({
        ...env,
        RPC_URL: 'http://node',
      });
      // Node.js gives the flag to threads too, over what they were told.
      expect(analysisMemoryMb).toBe(heap);
      const outside = (8 * maxResponseBytes) / 2 ** 20;
      expect(
        Number(/^(\d+)Gi$/.exec(one.resources.limits.memory as string)![1]) * 1024,
      ).toBeGreaterThanOrEqual(heap * (1 + largeThreads) + outside);
    }
  });

  it('the images are the one of this version', () => {
    for (const spec of [deployment.spec.template.spec, job.spec.template.spec])
      expect(spec.containers[0].image).toBe(`txreport:${ENGINE_VERSION}`);
  });
});

describe('against the real program', () => {
  it('the probes get the answers they wait for', async () => {
    const node = await startRecordedNode();
    const { rpcUrls: _, ...settings } = readConfig(config);
    const server = await startServer({
      ...settings,
      rpcUrl: node.url,
      host: '127.0.0.1',
      adminHost: '127.0.0.1',
      port: 0,
      adminPort: 0,
      logLevel: 'silent',
    });
    const base: Record<string, string> = { http: server.url, admin: `http://127.0.0.1:${server.adminPort}` };
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[name].httpGet as { path: string; port: string };
      expect((await fetch(`${base[port]}${path}`)).status, name).toBe(200);
    }
    expect(
      (
        await fetch(
          `${base['admin']}${deployment.spec.template.metadata.annotations['prometheus.io/path'] as string}`,
        )
      ).status,
    ).toBe(200);
    await node.close();
    const { path, port } = container.readinessProbe.httpGet as { path: string; port: string };
    expect((await fetch(`${base[port]}${path}`)).status).toBe(503);
    expect((await fetch(`${base['http']}${container.livenessProbe.httpGet.path as string}`)).status).toBe(
      200,
    );
    await server.close();
  });

  it('a shard with hopeless transactions ends well, one whose node fails does not', async () => {
    const [hopeless, large, ...others] = RECORDINGS.slice(0, 3);
    const node = await startRecordedNode();
    // One trace says the opposite of its receipt, one is larger than may be read; in the block and alone.
    const lie = ({ hash, rpc }: (typeof RECORDINGS)[number]): unknown => {
      const trace = rpc.callTracer as object;
      if (hash === hopeless!.hash) return { ...trace, error: 'out of gas' };
      return hash === large!.hash ? { ...trace, output: `0x${'00'.repeat(2_000_000)}` } : trace;
    };
    const of = (key: unknown) =>
      RECORDINGS.find(({ hash, rpc }) => [hash, rpc.block.number, rpc.block.hash].includes(String(key)));
    node.handlers['debug_traceTransaction'] = ([hash]) => of(hash) && lie(of(hash)!);
    node.handlers['debug_traceBlockByHash'] = ([hash]) => {
      const found = of(hash);
      return found && [{ txHash: found.hash, result: lie(found) }];
    };
    const folder = mkdtempSync(join(tmpdir(), 'txreport-job-'));
    writeFileSync(
      join(folder, 'blocks.txt'),
      RECORDINGS.slice(0, 3)
        .map(({ rpc }) => BigInt(rpc.block.number))
        .join('\n'),
    );
    const args = (job.spec.template.spec.containers[0].args as string[]).map((arg) =>
      arg
        .replaceAll('$(JOB_COMPLETION_INDEX)/8', '0/1')
        .replaceAll('$(JOB_COMPLETION_INDEX)', '0')
        .replace('/data/', `${folder}/`),
    );
    const run = await runCli(args, { env: { RPC_URL: node.url, MAX_RESPONSE_BYTES: '2000000' } });
    expect(run.code, run.err).toBe(0);
    expect(run.err).toContain('2 refused');
    expect(hashesOf(join(folder, 'reports-0.ndjson')).sort()).toEqual(others.map(({ hash }) => hash).sort());
    const listed = readFileSync(join(folder, 'reports-0.errors.ndjson'), 'utf8').trim().split('\n');
    expect(listed.map((line) => (JSON.parse(line) as { tx_hash: string }).tx_hash).sort()).toEqual(
      [hopeless!.hash, large!.hash].sort(),
    );
    await node.close();
    rmSync(join(folder, 'reports-0.ndjson'));
    rmSync(join(folder, 'reports-0.ndjson.state.json'));
    const gone = await runCli(args, { env: { RPC_URL: node.url, RPC_RETRIES: '0' } });
    expect(gone.code).toBe(1);
    const wrong = await runCli(args, { env: { RPC_URL: 'no address' } });
    expect(wrong.code).toBe(2);
    // Status 2 fails the Job, 1 only tries this shard again.
    const [, rule] = job.spec.podFailurePolicy.rules as Manifest[];
    expect([rule.action, rule.onExitCodes.operator, rule.onExitCodes.values]).toEqual(['FailJob', 'In', [2]]);
    expect(job.spec.backoffLimitPerIndex).toBeGreaterThan(0);
  });

  it.each(['complete', 'failed'])('the documented wait ends when the Job is %s', (condition) => {
    const [, command] = readGuides()
      .find(({ name }) => name === 'operator.md')!
      .fences.find(({ text }) => text.includes('kubectl wait'))!
      .text.trim()
      .split('\n');
    const folder = mkdtempSync(join(tmpdir(), 'txreport-wait-'));
    // As kubectl: the condition that comes ends its wait, the other one waits for a day.
    writeFileSync(
      join(folder, 'kubectl'),
      `#!/bin/sh\ncase "$*" in *condition=${condition}*) sleep 0.3;; *) exec sleep 60;; esac\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const { status, signal } = spawnSync('bash', ['-c', `${command}; kill $(jobs -p) 2>/dev/null; exit 0`], {
      env,
      timeout: 20_000,
      stdio: 'ignore',
    });
    expect([status, signal]).toEqual([0, null]);
  });

  it('names, nodes and traces may be reached, the collector on its default port', () => {
    const egress = only('NetworkPolicy').spec.egress as {
      to?: unknown;
      ports: { port: number; protocol: string }[];
    }[];
    const open = egress.flatMap(({ to, ports }) => {
      expect(to).toBeUndefined();
      return ports.map(({ port, protocol }) => `${port}/${protocol}`);
    });
    expect(open.sort()).toEqual(['4318/TCP', '443/TCP', '53/TCP', '53/UDP', '8545/TCP']);
  });

  it('the shards of the job make up the whole list', async () => {
    const node = await startRecordedNode();
    const folder = mkdtempSync(join(tmpdir(), 'txreport-job-'));
    const hashes = RECORDINGS.map(({ hash }) => hash);
    writeFileSync(
      join(folder, 'blocks.txt'),
      RECORDINGS.map(({ rpc }) => BigInt(rpc.block.number)).join('\n'),
    );
    const one = job.spec.template.spec.containers[0];
    expect(one.volumeMounts[0].mountPath).toBe('/data');
    expect(job.spec.template.spec.volumes[0].persistentVolumeClaim.claimName).toBe(
      only('PersistentVolumeClaim').metadata.name,
    );
    expect(one.env[0]).toEqual({
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: {
        fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" },
      },
    });
    const n = job.spec.completions as number;
    const done: string[] = [];
    for (let i = 0; i < n; i++) {
      const args = (one.args as string[]).map((arg) =>
        arg.replaceAll('$(JOB_COMPLETION_INDEX)', String(i)).replace('/data/', `${folder}/`),
      );
      expect(await runCli(args, { env: { RPC_URL: node.url } })).toMatchObject({ code: 0 });
      done.push(...hashesOf(join(folder, `reports-${i}.ndjson`)));
    }
    expect(done.sort()).toEqual([...hashes].sort());
    expect(existsSync(join(folder, `reports-${n}.ndjson`))).toBe(false);
    await node.close();
  });
});
