import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, dirname, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : /\.ts$/.test(name) ? [path] : [];
  });
}

const read = (path: string) => ({ path: relative(SRC, path), text: readFileSync(path, 'utf8') });
const files = filesBelow(SRC).map(read);

/** What a second renderer would look like; `data`: places that write values for programs, or compare them. */
const SECOND_RENDERERS: Record<string, { code: RegExp; data: string[] }> = {
  money: {
    code: /\b(?:usdText|displayUsd|displayMoney)\(|\b\w*(?:usd|price|profit|net|cost)\w*[!?]*\.text\b/i,
    data: [
      'tools/verify/',
      'tools/client/seenBy.ts',
      'tools/ledger/ledgerEvent.ts',
      'tools/cli/blocks/reportBook.ts',
      '../viewer/src/graph/draw.ts',
    ],
  },
  amounts: {
    code: /\b(?:shownAmount|grouped)\(|toLocaleString|Intl\.|`\$\{[^}`]*\bformatAmount\(/,
    data: [],
  },
  addresses: {
    code: /\b(?:shortAddress|shortTokenId)\(|…\$\{|\.slice\(0, ?1?\d\)\}…|shortHex\([^()]*, [\d]+\)/,
    data: [],
  },
  protocols: {
    code: /\$\{[^}]*\bprotocol(?:[!?]?\.slug| \?\?)[^}]*\}/,
    // Authors of rules are shown slugs; the playground tells motifs apart by them.
    data: ['tools/verify/', 'tools/cli/rules/', '../viewer/src/playground/outcome.ts'],
  },
  words: { code: /replace(?:All)?\(['/]_['/]g?, ' '\)/, data: [] },
  times: {
    code: /toISOString\(/,
    data: ['tools/verify/', 'tools/ledger/writeLedger.ts', 'tools/cli/blocks/blockSinks.ts'],
  },
};

/** What each place may import: folders of `src` and packages. Everything may import `model` and itself. */
const MAY_IMPORT: Record<string, { folders: string[]; packages: string[] }> = {
  model: { folders: [], packages: ['graphology'] },
  lib: {
    folders: [],
    packages: ['pino', 'ajv', 'node:crypto', 'node:fs', 'node:module', 'node:url'],
  },
  evm: { folders: ['lib'], packages: ['ox', 'hash-wasm', 'tiny-secp256k1'] },
  value: { folders: ['lib', 'evm'], packages: ['unhomoglyph', 'graphology'] },
  rules: {
    folders: ['lib', 'evm', 'value'],
    packages: [
      'viem',
      'ox',
      'yaml',
      'ajv',
      'json-rules-engine',
      'node:fs',
      'node:path',
      'node:crypto',
      'node:zlib',
      'node:v8',
    ],
  },
  'service/http': {
    folders: ['lib'],
    packages: [
      'proxy-addr',
      'express',
      'cors',
      'ajv',
      'node:fs',
      'node:path',
      'node:crypto',
      'node:http',
      'node:cluster',
      'pino',
      'prom-client',
    ],
  },
  findings: { folders: ['lib', 'value'], packages: [] },
  traces: { folders: ['lib', 'evm'], packages: [] },
  // The viewer bundles it.
  'tools/wording': { folders: ['lib', 'evm', 'value'], packages: [] },
  'stages/1-fetch': {
    folders: ['lib', 'evm', 'value', 'traces'],
    packages: [
      'viem',
      'ox',
      'undici',
      'node:crypto',
      'node:events',
      'node:timers',
      'node:timers/promises',
      'node:zlib',
    ],
  },
  'stages/2-canonical': { folders: ['lib', 'evm', 'value', 'traces'], packages: [] },
  'stages/3-flow': { folders: ['lib', 'evm', 'value'], packages: ['graphology'] },
  'stages/4-primitives': { folders: ['lib', 'evm', 'value'], packages: ['graphology'] },
  'stages/5-motifs': { folders: ['lib', 'evm', 'value'], packages: ['graphology'] },
  'stages/7-intent': { folders: ['lib', 'evm', 'value'], packages: ['graphology', 'graphology-traversal'] },
  'stages/6-actor': { folders: ['lib', 'evm', 'value'], packages: [] },
  'stages/8-economics': { folders: ['lib', 'evm', 'value'], packages: ['node:crypto'] },
  'stages/9-report': { folders: ['lib', 'evm', 'value'], packages: ['ajv', 'node:fs', 'node:path'] },
};

function place(path: string): string {
  const parts = path.split('/');
  return parts[0] === 'stages' ||
    path.startsWith('tools/wording/') ||
    (parts[0] === 'service' && parts.length > 2)
    ? `${parts[0]}/${parts[1]}`
    : parts.length === 1
      ? ''
      : parts[0]!;
}

function imports(text: string): { specifier: string; typeOnly: boolean }[] {
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\s+(type\s+)?[^;'"]*?from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm,
    ),
  ].map((m) => ({ specifier: (m[2] ?? m[3] ?? m[4])!, typeOnly: m[1] !== undefined }));
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

describe('architecture', () => {
  it('every import is one its folder may make', () => {
    const wrong: string[] = [];
    for (const { path, text } of files) {
      const here = place(path);
      const rule = MAY_IMPORT[here];
      if (!rule) continue;
      for (const { specifier } of imports(text)) {
        if (specifier.startsWith('.')) {
          const target = place(normalize(join(dirname(path), specifier)));
          if (target !== here && target !== 'model' && !rule.folders.includes(target))
            wrong.push(`${path} imports ${specifier}`);
        } else if (!rule.packages.includes(packageOf(specifier))) wrong.push(`${path} imports ${specifier}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('stages after the fetch take no clock, randomness, environment or I/O', () => {
    const wrong = files
      .filter(({ path }) => /^stages\/[2-9]/.test(path))
      .flatMap(({ path, text }) =>
        [
          /\bDate\.now\b/,
          /\bnew Date\(\)/,
          /\bMath\.random\b/,
          /\bprocess\.(env|hrtime|argv)\b/,
          /\bfetch\(/,
          /\bsetTimeout\b/,
          /\bperformance\.now\b/,
        ]
          .filter((word) => word.test(text) && !path.endsWith('validator.ts'))
          .map((word) => `${path}: ${word.source}`),
      );
    expect(wrong).toEqual([]);
  });

  it('only tools/wording writes money, amounts, addresses, protocols and times for people', () => {
    const surfaces = [...files, ...filesBelow(join(ROOT, 'viewer/src')).map(read)].filter(
      ({ path }) => /^(?:\.\.\/viewer|tools)\//.test(path) && !path.startsWith('tools/wording/'),
    );
    expect(surfaces.length).toBeGreaterThan(150);
    const wrong = Object.entries(SECOND_RENDERERS).flatMap(([what, { code, data }]) =>
      surfaces
        .filter(({ path, text }) => code.test(text) && !data.some((start) => path.startsWith(start)))
        .map(({ path, text }) => `${path} writes ${what}: ${code.exec(text)![0]}`),
    );
    expect(wrong).toEqual([]);
  });

  it('no address and no protocol name stands in src', () => {
    // Whole slugs, and brands: a slug's first word alone may be an ordinary word of the code.
    const slugs = readdirSync(join(ROOT, 'rules/protocols'))
      .map((f) => f.replace(/\.yaml$/, ''))
      .filter((slug) => slug.includes('-'));
    const protocol = new RegExp(`\\b(${[...slugs, ...BRANDS].join('|')})`, 'i');
    const wrong: string[] = [];
    for (const { path, text } of files) {
      if (path.startsWith('model/generated/')) continue;
      if (/0x[0-9a-fA-F]{40}\b/.test(text)) wrong.push(`${path}: an address literal`);
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const hit = protocol.exec(code);
      if (hit) wrong.push(`${path}: protocol name ${hit[0]}`);
    }
    expect(wrong).toEqual([]);
  });

  it('stages 5 to 9 name a motif kind only where they create it', () => {
    const vocabulary = readFileSync(join(ROOT, 'rules/vocabulary.yaml'), 'utf8').split(/^intents:$/m)[0]!;
    const kinds = [...vocabulary.matchAll(/^ {2}([a-z_]+): \{title/gm)].map((match) => match[1]!);
    expect(kinds.length).toBeGreaterThan(40);
    const literal = new RegExp(`'(${kinds.join('|')})'`, 'g');
    const named = files
      .filter(({ path }) => /^stages\/[5-9]/.test(path))
      .flatMap(({ path, text }) => [...text.matchAll(literal)].map((match) => `${path}: ${match[1]}`));
    expect([...new Set(named)].sort()).toEqual([...CREATED_KINDS, ...SAME_WORDS].sort());
  });

  it('who plays which part is decided in one place', () => {
    const parts = [
      'venuesOf',
      'carriersOf',
      'originsThrough',
      'issuersOf',
      'feeRecipientsOf',
      'tradersOf',
      'walletsOf',
      'actingAsOne',
      'executionPayments',
      'builderPayments',
      'placesOf',
      'sideKeys',
      'sidesOf',
      'gaveAndGot',
      'decide',
      'findPrimitives',
      'assignOwners',
    ];
    const definition = new RegExp(`\\b(?:function|const) (${parts.join('|')})\\b`, 'g');
    const defined = files
      .filter(({ path }) => !path.startsWith('tools/verify/'))
      .flatMap(({ text }) => [...text.matchAll(definition)].map((match) => match[1]!));
    expect(defined.sort()).toEqual(parts.sort());
  });

  it('amounts are split into principal, fees and interest in one place', () => {
    const readers = files.filter(
      ({ path, text }) =>
        (/^(stages\/[6-9]|value\/)/.test(path) &&
          /\bportions\b(?!: (?:NOTHING|readonly never))/.test(text)) ||
        (/^stages\/[6-9]/.test(path) && /\bSHARE_ROLES\b/.test(text)),
    );
    expect(readers.map(({ path }) => path)).toEqual(['value/sides.ts']);
  });

  it('amounts of acts are read from the table of sides', () => {
    const readers = files.filter(
      ({ path, text }) => /^(stages\/[6-9]|value\/)/.test(path) && /\bassets(?:In|Out)\b/.test(text),
    );
    expect(readers.map(({ path }) => path).sort()).toEqual([
      // These write acts into the report.
      'stages/9-report/frontEnds.ts',
      'stages/9-report/writeMotifs.ts',
      // Whether an act states amounts at all.
      'value/parties.ts',
      'value/sides.ts',
    ]);
  });

  it('one table of links makes an act a part of another', () => {
    const writers = files.filter(({ path, text }) => /^stages\//.test(path) && /\.whole \??\??= /.test(text));
    expect(writers.map(({ path }) => path)).toEqual(['stages/5-motifs/links.ts']);
  });

  it('the head of the pipeline is assembled in one place for each source of answers', () => {
    const readers = files.filter(
      ({ path, text }) => !path.startsWith('stages/') && /\bcanonicalize\(/.test(text),
    );
    const judges = files.filter(
      ({ path, text }) => !path.startsWith('stages/') && /\belectActor\(/.test(text),
    );
    expect(readers.map(({ path }) => path).sort()).toEqual([
      // Recordings; a node; a simulation, and its second run.
      'analyze.ts',
      'service/analyzer.ts',
      'tools/preview/environment.ts',
      'tools/preview/preview.ts',
    ]);
    expect(judges.map(({ path }) => path)).toEqual(['analyze.ts']);
  });

  it('claims are decided in one place', () => {
    const writers = files.filter(
      ({ path, text }) =>
        /^(stages\/[3-8]|value\/)/.test(path) && /\bholds: (?!boolean|\()|\bholds, operands/.test(text),
    );
    expect(writers.map(({ path }) => path)).toEqual(['value/claims.ts']);
  });

  it('amounts never pass through floats outside lib', () => {
    const wrong = files
      .filter(({ path, text }) => !path.startsWith('value/') && /\bparseFloat\(/.test(text))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('no barrels, and files stay small', () => {
    const wrong: string[] = [];
    for (const { path, text } of files) {
      if (path.startsWith('model/generated/')) continue;
      if (/^export \* from/m.test(text)) wrong.push(`${path}: barrel`);
      const lines = text.split('\n').length;
      if (lines > (path === 'analyze.ts' || path === 'service/app.ts' ? 120 : 320))
        wrong.push(`${path}: ${lines} lines`);
    }
    expect(wrong).toEqual([]);
  });
});

/** Where a stage creates motifs of a kind. */
const CREATED_KINDS = [
  'stages/9-report/frontEnds.ts: front_end',
  'stages/5-motifs/composites.ts: batch_transfer',
  'stages/5-motifs/buildMotifs.ts: builder_payment',
  'stages/5-motifs/composites.ts: route',
  'stages/5-motifs/cycles.ts: cycle',
  'stages/5-motifs/cycles.ts: losing_cycle',
];

/** Words that are no motif kinds here: traits, kinds of movements and logs, categories, tags, effects, plain words. */
const SAME_WORDS = [
  'stages/7-intent/matchIntents.ts: transfer',
  'stages/7-intent/facts/subjectView.ts: transfer',
  'stages/7-intent/facts/txFacts.ts: approval',
  'stages/9-report/inventoryDeltas.ts: wrap',
  'stages/9-report/inventoryDeltas.ts: unwrap',
  'stages/8-economics/positions/owners.ts: stake',
  'stages/8-economics/positions/positionChanges.ts: transfer',
];

const BRANDS = [
  'uniswap',
  'sushiswap',
  'pancakeswap',
  'balancer',
  '1inch',
  'paraswap',
  'cowswap',
  'kyberswap',
  'openocean',
  'metamask',
  'aave',
  'compoundv',
  'morpho',
  'liquity',
  'lido',
  'eigenlayer',
  'convex',
  'pendle',
  'yearn',
  'seaport',
  'opensea',
  'looksrare',
  'stargate',
  'layerzero',
  'arbitrum',
  'zksync',
  'gnosis',
  'chainlink\\.eth',
  'defillama\\.com',
];
