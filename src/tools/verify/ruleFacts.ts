import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type {
  RawIntent,
  RawMotifKind,
  RawProtocol,
  RawShape,
  RawVocabulary,
} from '../../model/generated/rules.ts';

/** Meanings of the words in reports by the rule files, read here and not by the analysis. */
export interface RuleFacts {
  /** Version of the ruleset. */
  readonly version: string;
  readonly rules: ReadonlyMap<string, RawIntent>;
  readonly intents: ReadonlyMap<string, NonNullable<RawVocabulary['intents']>[string]>;
  readonly motifs: ReadonlyMap<string, RawMotifKind>;
  readonly roles: ReadonlySet<string>;
  /** Versions of protocols and shapes, by slug. */
  readonly versions: ReadonlyMap<string, number>;
  /** Listed addresses in lower case, with the slugs of the files that list them. */
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
  /** All of the rule files. */
  readonly text: string;
}

/** Reads the rule files of directories, the later ones on top. Throws where one cannot be read or parsed. */
export function readRuleFacts(directories: readonly string[]): RuleFacts {
  const rules = documents<RawIntent>(directories, 'intents');
  const protocols = documents<RawProtocol>(directories, 'protocols');
  const shapes = documents<RawShape>(directories, 'shapes');
  const vocabularies = documents<RawVocabulary>(directories, 'vocabulary.yaml');
  const [ruleset] = documents<{ version: string }>(directories, 'ruleset.yaml');
  const listed = new Map<string, Set<string>>();
  for (const { slug, addresses = [] } of protocols)
    for (const text of JSON.stringify(addresses).match(/0x[0-9a-fA-F]{40}/g) ?? []) {
      const slugs = listed.get(text.toLowerCase()) ?? new Set();
      listed.set(text.toLowerCase(), slugs.add(slug));
    }
  return {
    version: ruleset?.version ?? '',
    rules: new Map(rules.map((rule) => [rule.slug, rule])),
    intents: new Map(vocabularies.flatMap(({ intents }) => Object.entries(intents ?? {}))),
    motifs: new Map(vocabularies.flatMap(({ motifs }) => Object.entries(motifs ?? {}))),
    roles: new Set(
      vocabularies.flatMap((words) => Object.keys({ ...words.leg_roles, ...words.account_roles })),
    ),
    versions: new Map([...shapes, ...protocols].map(({ slug, version }) => [slug, version])),
    listed,
    text: filesOf(directories, '')
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
      .replace(/\s+/g, ' '),
  };
}

/** The YAML documents of a file or folder in each directory; a list counts as its entries. */
export function documents<T>(directories: readonly string[], name: string): T[] {
  return filesOf(directories, name)
    .filter((path) => path.endsWith('.yaml'))
    .flatMap((path) => parse(readFileSync(path, 'utf8')) as T | T[]);
}

function filesOf(directories: readonly string[], name: string): string[] {
  const paths = directories.map((directory) => join(directory, name)).filter((path) => existsSync(path));
  return paths
    .flatMap((path) =>
      path.endsWith('.yaml')
        ? path
        : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file)),
    )
    .filter((path) => /\.(yaml|txt)$/.test(path));
}
