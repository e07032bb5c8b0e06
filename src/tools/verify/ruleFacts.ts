import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type {
  RawEntityFile,
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
  /** Names of protocols by slug. */
  readonly titles: ReadonlyMap<string, string>;
  /** Listed addresses in lower case, with the slugs of the files that list them. */
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of listed addresses in reports, by address in lower case. */
  readonly names: ReadonlyMap<string, { readonly name: string; readonly kind: string }>;
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
  const text = filesOf(directories, '')
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
    .replace(/\s+/g, ' ');
  const listed = new Map<string, Set<string>>();
  for (const { slug, addresses = [] } of protocols)
    for (const address of addressesIn(addresses))
      listed.set(address, (listed.get(address) ?? new Set()).add(slug));
  return {
    version: ruleset?.version ?? '',
    rules: new Map(rules.map((rule) => [rule.slug, rule])),
    intents: new Map(vocabularies.flatMap(({ intents }) => Object.entries(intents ?? {}))),
    motifs: new Map(vocabularies.flatMap(({ motifs }) => Object.entries(motifs ?? {}))),
    roles: new Set(
      vocabularies.flatMap((words) => Object.keys({ ...words.leg_roles, ...words.account_roles })),
    ),
    versions: new Map([...shapes, ...protocols].map(({ slug, version }) => [slug, version])),
    titles: new Map(protocols.map(({ slug, name = slug }) => [slug, name])),
    listed,
    names: namesOf(directories, protocols),
    text,
  };
}

const addressesIn = (value: unknown): string[] =>
  JSON.stringify(value)
    .toLowerCase()
    .match(/0x[0-9a-f]{40}/g) ?? [];

/** Names of addresses: the address book's, over them those of protocols and of entities. */
function namesOf(directories: readonly string[], protocols: readonly RawProtocol[]): RuleFacts['names'] {
  const names = new Map<string, { name: string; kind: string }>();
  for (const path of filesOf(directories, 'address-book'))
    for (const [, address, kind, name] of readFileSync(path, 'utf8').matchAll(/^(0x\w{40}) (\S+) (.+)$/gm))
      names.set(address!, { name: name!, kind: kind! });
  for (const { slug, name = slug, addresses = [] } of protocols)
    for (const address of addressesIn(addresses)) names.set(address, { name, kind: 'protocol' });
  for (const { accounts = [] } of documents<RawEntityFile>(directories, 'entities'))
    for (const { name, address, tags: [kind = 'contract'] = [] } of accounts)
      names.set(address.toLowerCase(), { name, kind });
  return names;
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
