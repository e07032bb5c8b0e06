// Runs a container's command as its manifest says, without a container engine: its user and groups, a read-only root, no
// capabilities, no new privileges, its volumes. Needs root, `unshare` and `setpriv`. Not held: seccomp and memory limits.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { ROOT, readCopy, readDockerfile } from './dockerfile.ts';
import type { Manifest } from './manifests.ts';

/** What a manifest or compose file says of one container. */
export interface Contained {
  readonly user: number;
  readonly group: number;
  /** Supplementary: `fsGroup`. */
  readonly groups: readonly number[];
  readonly readOnly: boolean;
  readonly dropsAll: boolean;
  readonly noNewPrivileges: boolean;
  /** In place of the image's CMD. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Path in the container → folder outside; null: an empty one in memory. */
  readonly volumes: Readonly<Record<string, string | null>>;
}

const image = readDockerfile().at(-1)!;
const instruction = (name: string): string => image.instructions.findLast((one) => one.name === name)!.args;
const WORKDIR = instruction('WORKDIR');
const [USER, GROUP] = instruction('USER').split(':').map(Number) as [number, number];
const parsed = (name: string): string[] => JSON.parse(instruction(name)) as string[];

/** Whether this machine lets a test play containers. */
export const canContain = (): boolean =>
  spawnSync('unshare', ['--mount', 'setpriv', '--no-new-privs', 'true']).status === 0;

/** The first container of a pod, its volumes at the given folders. */
export function podContainer(
  spec: Manifest,
  env: Contained['env'],
  folders: Readonly<Record<string, string>>,
): Contained {
  const [one] = spec.containers;
  const own = one.securityContext;
  const volumeOf = (name: string): string | null => {
    const volume = spec.volumes.find((listed: Manifest) => listed.name === name);
    if (volume.emptyDir !== undefined) return null;
    return folders[name]!;
  };
  return {
    user: spec.securityContext.runAsUser ?? USER,
    group: spec.securityContext.runAsGroup ?? GROUP,
    groups: spec.securityContext.fsGroup === undefined ? [] : [spec.securityContext.fsGroup],
    readOnly: own.readOnlyRootFilesystem === true,
    dropsAll: own.capabilities.drop.includes('ALL'),
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    args: one.args,
    env,
    volumes: Object.fromEntries(
      (one.volumeMounts ?? []).map(({ name, mountPath }: Manifest) => [mountPath, volumeOf(name)]),
    ),
  };
}

/** A service of a compose file that is built from the Dockerfile. */
export function composeContainer(service: Manifest, env: Contained['env']): Contained {
  return {
    user: USER,
    group: GROUP,
    groups: [],
    readOnly: service.read_only === true,
    dropsAll: service.cap_drop?.includes('ALL') === true,
    noNewPrivileges: service.security_opt?.includes('no-new-privileges:true') === true,
    args: service.command ?? parsed('CMD'),
    env,
    volumes: Object.fromEntries((service.tmpfs ?? []).map((path: string) => [path, null])),
  };
}

/** The image's root in a mount namespace of its own: the machine's programs, this build at the image's places. */
function script({ readOnly, volumes }: Contained): string {
  const bound = ['/usr', '/bin', '/lib', '/lib64', '/etc', '/dev', '/proc'];
  const node = dirname(process.execPath);
  const lines = ['set -e', 'root=$(mktemp -d)', 'mount -t tmpfs -o mode=755 image "$root"'];
  const bind = (from: string, to: string, options = 'bind,ro'): number =>
    lines.push(
      `if [ -d '${from}' ]; then mkdir -p "$root${to}"; else mkdir -p "$root${dirname(to)}"; : >"$root${to}"; fi`,
      `mount --bind '${from}' "$root${to}"`,
      ...(options === 'bind,ro' ? [`mount -o remount,bind,ro "$root${to}" || true`] : []),
    );
  for (const path of bound) {
    lines.push(`if [ -e ${path} ]; then :`);
    bind(path, path, path === '/dev' || path === '/proc' ? 'bind' : 'bind,ro');
    lines.push('fi');
  }
  if (!node.startsWith('/usr/')) bind(node, node);
  for (const { name, args } of image.instructions) {
    if (name !== 'COPY') continue;
    const { sources, target } = readCopy(args);
    for (const source of sources) {
      const to = target.endsWith('/') && sources.length > 1 ? join(target, source) : target;
      bind(join(ROOT, source.replace(/^\/app\//, '')), join(WORKDIR, to));
    }
  }
  lines.push('mkdir -p "$root/tmp"', 'chmod 1777 "$root/tmp"');
  for (const [path, folder] of Object.entries(volumes)) {
    if (folder === null)
      lines.push(`mkdir -p "$root${path}"`, `mount -t tmpfs -o mode=1777 volume "$root${path}"`);
    else bind(folder, path, 'bind');
  }
  if (readOnly) lines.push('mount -o remount,ro "$root"');
  lines.push(`exec chroot "$root" env -C ${WORKDIR} "$@"`);
  return lines.join('\n');
}

/** Starts the image's command, or another inside the container. */
export function startContained(
  one: Contained,
  command = [...parsed('ENTRYPOINT'), ...one.args],
): ChildProcess {
  const rights = [
    `--reuid=${one.user}`,
    `--regid=${one.group}`,
    one.groups.length > 0 ? `--groups=${one.groups.join()}` : '--clear-groups',
    ...(one.dropsAll ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []),
    ...(one.noNewPrivileges ? ['--no-new-privs'] : []),
  ];
  return spawn(
    'unshare',
    [
      '--mount',
      '--propagation=private',
      'sh',
      '-c',
      script(one),
      'sh',
      'setpriv',
      ...rights,
      '--',
      ...command,
    ],
    {
      env: {
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`,
        NODE_ENV: 'production',
        ...one.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/** Its output and exit status. */
export async function ended(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
