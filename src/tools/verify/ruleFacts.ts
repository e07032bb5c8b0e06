import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type {
  RawEntityFile,
  RawIntent,
  RawPriceApi,
  RawProtocol,
  RawShape,
  RawVocabulary,
} from '../../model/generated/rules.ts';

/** Meanings of the words in reports by the rule files, read here and not by the analysis. */
export type RuleFacts = Readonly<ReturnType<typeof readRuleFacts>>;

/** Reads the rule files of directories, the later ones on top. Throws where one cannot be read or parsed. */
export function readRuleFacts(directories: readonly string[]) {
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
    /** Version of the ruleset. */
    version: ruleset?.version ?? '',
    rules: new Map(rules.map((rule) => [rule.slug, rule])),
    intents: new Map(vocabularies.flatMap(({ intents }) => Object.entries(intents ?? {}))),
    motifs: new Map(vocabularies.flatMap(({ motifs }) => Object.entries(motifs ?? {}))),
    roles: new Set(vocabularies.flatMap((all) => Object.keys({ ...all.leg_roles, ...all.account_roles }))),
    /** Versions of protocols and shapes, by slug. */
    versions: new Map([...shapes, ...protocols].map(({ slug, version }) => [slug, version])),
    /** Names of protocols by slug. */
    titles: new Map(protocols.map(({ slug, name = slug }) => [slug, name])),
    /** Listed addresses in lower case, with the slugs of the files that list them. */
    listed,
    names: namesOf(directories, protocols),
    /** All of the rule files. */
    text,
  };
}

const addressesIn = (value: unknown): string[] =>
  JSON.stringify(value)
    .toLowerCase()
    .match(/0x[0-9a-f]{40}/g) ?? [];

/** Names of addresses in lower case: the address book's, over them those of protocols and of entities. */
function namesOf(directories: readonly string[], protocols: readonly RawProtocol[]) {
  const inBook = filesOf(directories, 'address-book').flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/^(0x\w{40}) (\S+) (.+)$/gm),
  ]);
  const entities = documents<RawEntityFile>(directories, 'entities').flatMap(({ accounts = [] }) => accounts);
  return new Map([
    ...inBook.map(([, address, kind, name]) => [address!, { name: name!, kind: kind! }] as const),
    ...protocols.flatMap(({ slug, name = slug, addresses = [] }) =>
      addressesIn(addresses).map((address) => [address, { name, kind: 'protocol' }] as const),
    ),
    ...entities.map(
      ({ name, address, tags: [kind = 'contract'] = [] }) => [address.toLowerCase(), { name, kind }] as const,
    ),
  ]);
}

/** The YAML documents of a file or folder in each directory; a list counts as its entries. */
function documents<T>(directories: readonly string[], name: string): T[] {
  return filesOf(directories, name)
    .filter((path) => path.endsWith('.yaml'))
    .flatMap((path) => parse(readFileSync(path, 'utf8')) as T | T[]);
}

function filesOf(directories: readonly string[], name: string): string[] {
  const paths = directories.map((directory) => join(directory, name)).filter((path) => existsSync(path));
  const files = paths.flatMap((path) => {
    if (path.endsWith('.yaml')) return path;
    return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file));
  });
  return files.filter((path) => /\.(yaml|txt)$/.test(path));
}

export type FeedRule = NonNullable<RawEntityFile['feeds']>[number];

/** Rules of price sources, read from their files here and not by the analysis. */
export type PriceRules = Readonly<ReturnType<typeof readPriceRules>>;

/** Reads `entities/*.yaml` of rule directories. Throws where one cannot be read or parsed. */
export function readPriceRules(directories: readonly string[]) {
  const files = documents<RawEntityFile>(directories, 'entities');
  const wrapped = files.filter(({ kind }) => kind === 'wrapped_native');
  return {
    feeds: files.flatMap(({ feeds }) => feeds ?? []),
    registries: files.flatMap(({ registry }) => registry ?? []),
    rates: files.flatMap(({ rates }) => rates ?? []),
    positions: files.flatMap(({ positions }) => positions ?? []),
    /** Seconds of the averages that pools are asked for. */
    windows: files.flatMap(({ averages }) => averages ?? []).map(({ window }) => window),
    apis: files.flatMap(({ price_apis: apis }) => apis ?? []),
    wrappedNative: new Set(
      wrapped.flatMap(({ accounts = [] }) => accounts.map((one) => one.address.toLowerCase())),
    ),
  };
}

/** Where HTTP sources answer, by name; a URL alone in `PRICE_API_URL` has no name of its own. */
export function priceApiUrls(setting: string, apis: readonly RawPriceApi[]) {
  const found = new Map<string, PriceApiPlace>();
  for (const entry of setting.split(',').map((part) => part.trim())) {
    const [, name, url] = /^([a-z][a-z0-9-]*)(?:=(.+))?$/.exec(entry) ?? [];
    const rule = apis.find((api) => api.name === (name ?? 'defillama'));
    if (rule) found.set(name ?? 'price-api', { rule, url: name === undefined ? entry : (url ?? rule.base) });
  }
  return found;
}

interface PriceApiPlace {
  readonly rule: RawPriceApi;
  readonly url: string;
}

/** Price and Unix seconds an HTTP source states for an asset; null where it states none. */
export async function askPriceApi({ rule, url }: PriceApiPlace, asset: string, timestamp: number) {
  const coin = asset === 'native' ? rule.native : rule.token.replace('{address}', asset);
  const path = (asset === 'native' && rule.native_path ? rule.native_path : rule.path)
    .replace('{coins}', coin.split('/').map(encodeURIComponent).join('/'))
    .replace('{timestamp}', String(timestamp))
    .replace('{until}', String(timestamp + (rule.window ?? 0)));
  const signal = AbortSignal.timeout(30_000);
  const body: unknown = await fetch(url.replace(/\/+$/, '') + path, { signal })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null);
  const at = (place: string): unknown =>
    place.split('.').reduce<unknown>((value, step) => {
      const key = step === '{coin}' ? coin.toLowerCase() : step;
      const entries = value && typeof value === 'object' ? Object.entries(value) : [];
      return entries.find(([name]) => name.toLowerCase() === key)?.[1];
    }, body);
  const [price, time] = [at(rule.answer.price), at(rule.answer.time)];
  if (typeof price !== 'number' || typeof time !== 'number') return null;
  return { price, time: rule.answer.time_unit === 'ms' ? Math.floor(time / 1_000) : time };
}
