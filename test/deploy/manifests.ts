import { readFileSync, readdirSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const FOLDER = new URL('../../deploy/kubernetes/', import.meta.url);

// Manifests are open data; what the tests rely on of their shape they check themselves.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Manifest = any;

export interface Placed {
  readonly file: string;
  readonly manifest: Manifest;
}

/** Every object of every manifest file, with the file it stands in. */
export function readManifests(): Placed[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(new URL(file, FOLDER), 'utf8'), { strict: true, uniqueKeys: true }).map(
        (document) => {
          if (document.errors.length > 0) throw document.errors[0]!;
          return { file, manifest: document.toJS() as Manifest };
        },
      ),
    );
}
