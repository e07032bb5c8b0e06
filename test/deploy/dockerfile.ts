import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export interface Instruction {
  readonly name: string;
  readonly args: string;
}

export interface Stage {
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, arguments of the build filled in. */
export function readDockerfile(path = join(ROOT, 'Dockerfile')): Stage[] {
  const lines = readFileSync(path, 'utf8')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const args = new Map<string, string>();
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line)!;
    if (stages.length === 0 && name === 'ARG') args.set(...(rest!.split('=') as [string, string]));
    else if (name === 'FROM') {
      const [, image, alias] = /^(\S+) AS (\S+)$/.exec(rest!)!;
      stages.push({
        name: alias!,
        image: image!.replace(/\$\{(\w+)\}/g, (_, key: string) => args.get(key)!),
        instructions: [],
      });
    } else stages.at(-1)!.instructions.push({ name: name!, args: rest! });
  }
  return stages;
}

/** `COPY [--from=stage] source… target` */
export function readCopy(args: string): { from: string | null; sources: string[]; target: string } {
  const words = args.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice(7) ?? null;
  const paths = words.filter((word) => !word.startsWith('--'));
  return { from, sources: paths.slice(0, -1), target: paths.at(-1)! };
}
