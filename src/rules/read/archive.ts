import { readFileSync, statSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { canonicalJson, sha256 } from '../compile/digest.ts';

/** Ending of a packed rule set; `RULES_DIR` takes one wherever it takes a directory. */
export const ARCHIVE_ENDING = '.txrules';
const FORMAT = 'txreport-rules/1';
const MAX_PACKED_BYTES = 16 << 20;
const MAX_BYTES = 64 << 20;

/** A rule set in one file: name, version, digest, and its texts by path. */
export interface RuleArchive {
  readonly name: string;
  readonly version: string;
  /** `sha256:…` over paths and texts. */
  readonly digest: string;
  readonly files: Readonly<Record<string, string>>;
}

export function isArchive(path: string): boolean {
  return path.endsWith(ARCHIVE_ENDING);
}

/** The bytes of an archive: gzip over JSON with sorted keys, so that equal rules give equal bytes. */
export function packArchive(name: string, version: string, files: Readonly<Record<string, string>>): Buffer {
  const digest = sha256(canonicalJson(files));
  return gzipSync(canonicalJson({ format: FORMAT, name, version, digest, files }), { level: 9 });
}

/**
 * Reads an archive. Nothing is written to disk; texts are only looked up by their paths.
 * @throws Error with the file's fault
 */
export function readArchive(path: string): RuleArchive {
  if (statSync(path).size > MAX_PACKED_BYTES) throw new Error(`larger than ${MAX_PACKED_BYTES} bytes`);
  let content: (Partial<RuleArchive> & { readonly format?: string }) | null;
  try {
    const text = gunzipSync(readFileSync(path), { maxOutputLength: MAX_BYTES }).toString('utf8');
    content = JSON.parse(text) as typeof content;
  } catch {
    throw new Error('not an archive that `txreport rules pack` made, or cut off');
  }
  const { format, name, version, digest, files } = content ?? {};
  if (format !== FORMAT)
    throw new Error(`its format is ${String(format).slice(0, 40)}, this reads ${FORMAT}`);
  const texts = typeof files === 'object' && files !== null ? Object.values(files) : [];
  if (![name, version, digest, ...texts].every((text) => typeof text === 'string'))
    throw new Error('it holds something that is no text');
  if (sha256(canonicalJson(files)) !== digest) throw new Error('its content does not agree with its digest');
  return { name, version, digest, files } as RuleArchive;
}
