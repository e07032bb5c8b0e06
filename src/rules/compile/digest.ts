import { createHash } from 'node:crypto';
import { APART, type RuleFile, type TableFile } from '../read/readRuleFiles.ts';

/** JSON with sorted keys: the same content gives the same text, however the file is laid out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

/**
 * Digest of the rule files, examples and ledger formats left out; paths and layers count, layout does not.
 */
export function digestFiles(files: readonly RuleFile[], tables: readonly TableFile[]): string {
  const lines = [
    ...files
      .filter((f) => !APART.has(f.kind))
      .map((f): [string, string] => [`${f.layer}/${f.path}`, canonicalJson(f.tree)]),
    ...tables.map((t): [string, string] => [`${t.layer}/${t.path}`, t.text]),
  ];
  lines.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return sha256(lines.map(([path, content]) => `${path}\n${content}\n`).join(''));
}
