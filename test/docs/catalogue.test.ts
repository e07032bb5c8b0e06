import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as words from '../../scripts/catalogueWords.ts';
import { generateCatalogue, withTables } from '../../scripts/generateCatalogue.ts';
import { ENGINE_VERSION, analyzeRaw } from '../../src/analyze.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { SETTINGS } from '../../src/service/config.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { WORDS } from '../../src/tools/verify/checkOpenWords.ts';
import { DOCS } from './guides.ts';

const page = (name: string) => readFileSync(join(DOCS, name), 'utf8');

describe('what is generated', () => {
  it('the catalogue is what the rules, the schemas and the code say (npm run generate)', () => {
    const pages = generateCatalogue();
    for (const [path, text] of pages) expect(page(path), path).toBe(text);
    const kept = readdirSync(join(DOCS, 'catalogue')).map((name) => `catalogue/${name}`);
    expect(kept.filter((path) => !pages.has(path))).toEqual([]);
  });

  it('the lists of settings and tools are what there is (npm run generate)', () => {
    const operators = page('operator.md');
    expect(operators).toBe(withTables(operators));
    for (const { env } of Object.values(SETTINGS)) expect(operators).toContain(`| \`${env}\` |`);
  });
});

describe('the catalogue', () => {
  it('knows every open word that reports of the recorded transactions hold', async () => {
    const rulebook = loadRules();
    const reports = await Promise.all(
      allRecordings([join(DOCS, '../test/recordings')]).map(({ raw, context }) =>
        analyzeRaw(raw, context, rulebook),
      ),
    );
    const used = (pick: (report: (typeof reports)[number]) => string[]) =>
      [...new Set(reports.flatMap(pick))].sort();
    const known = (list: Readonly<Record<string, string>>) => (word: string) =>
      word in list ||
      Object.keys(list).some(
        (entry) =>
          entry.includes('<') && new RegExp(`^${entry.replace(/<[^>]+>/g, '[a-z0-9_]+')}$`).test(word),
      );
    const open: [string, Readonly<Record<string, string>>, string[]][] = [
      ['warnings', words.WARNINGS, used((r) => r.economics.warnings)],
      ['flags', words.FLAGS, used((r) => r.inventory_deltas.flatMap((d) => d.flags))],
      ['invariants', words.INVARIANTS, used((r) => r.motifs.flatMap((m) => m.invariants.map((i) => i.name)))],
      ['reasons', words.CANDIDATE_REASONS, used((r) => r.attribution.candidates.flatMap((c) => c.reasons))],
      [
        'rejections',
        words.REJECTIONS,
        used((r) => r.attribution.candidates.flatMap((c) => c.rejected_because ?? [])),
      ],
      ['pnl', words.PNL_REASONS, used((r) => [r.economics.realized_pnl.reason ?? []].flat())],
    ];
    for (const [name, list, found] of open) {
      expect(found.length, name).toBeGreaterThan(0);
      expect(
        found.filter((word) => !known(list)(word)),
        name,
      ).toEqual([]);
    }
    const text = page('catalogue/intents.md') + page('catalogue/motifs.md');
    for (const kind of used((r) => [
      r.classification.intent_kind,
      ...r.classification.fragments.map((f) => f.kind),
      ...r.motifs.map((m) => m.kind),
    ]))
      expect(text).toContain(`| \`${kind}\` |`);
  });
});

it('verify knows every open word that the catalogue explains', () => {
  const tables = [words.WARNINGS, words.FLAGS, words.CANDIDATE_REASONS, words.REJECTIONS, words.PNL_REASONS];
  const listed = tables.flatMap((table) => Object.keys(table)).filter((word) => !word.includes('<'));
  expect(listed.filter((word) => !WORDS.has(word))).toEqual([]);
});

describe('versions', () => {
  it('agree wherever one is told', () => {
    const root = join(DOCS, '..');
    const read = (name: string) => readFileSync(join(root, name), 'utf8');
    expect((JSON.parse(read('package.json')) as { version: string }).version, 'package.json').toBe(
      ENGINE_VERSION,
    );
    expect(/^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md'))![1], 'CHANGELOG.md').toBe(ENGINE_VERSION);
    expect(/^ {2}version: (\S+)$/m.exec(read('schemas/openapi.yaml'))![1], 'schemas/openapi.yaml').toBe(
      ENGINE_VERSION,
    );
    for (const name of [
      'deploy/kubernetes/deployment.yaml',
      'deploy/kubernetes/batch-job.yaml',
      'docs/operator.md',
    ])
      expect(read(name), name).toContain(`txreport:${ENGINE_VERSION}`);
  });
});
