import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readRuleset } from '../../src/rules/compile/loadRulebook.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { FACT_VOCABULARY } from '../../src/stages/7-intent/facts/registry.ts';
import { writeRuleset, type Files } from '../unit/rules/smallRuleset.ts';
import { runRules } from './runRules.ts';

const GATHERED = 'HarvestGathered(address indexed badger, uint256 truffles)';
const STEPS = `
        to: burrow
        steps:
          - {move: 9e18, asset: TRUFFLE, from: burrow, to: actor}
          - {event: "${GATHERED}", by: burrow, args: [actor, 9e18]}`;

const OVERLAY: Files = {
  'ruleset.yaml': 'name: badgers\nversion: 1.0.0\nengine: 1\n',
  'vocabulary.yaml':
    'motifs: {harvest: {title: Harvested, fragment: Harvest}}\nintents: {Harvest: {category: staking}}\n',
  'precedence.yaml': 'insert: [{intent: Harvest, before: ClaimRewards}]\n',
  'shapes/burrow.yaml': `slug: burrow
version: 1
status: stable
summary: A burrow.
references: [https://example.org]
any_emitter: true
events:
  - event: "${GATHERED}"
    kind: harvest
    roles: {owner: $badger}
    legs: [{role: reward, from: $venue, to: $badger, amount: $truffles}]
`,
  'intents/harvest.yaml': `slug: harvest
version: 1
status: stable
intent: Harvest
label: Harvest
rests_on: [harvest]
requires_any: [harvest]
when: {fact: motif.harvest.direct, is: gte, value: 1}
proof: structural
confidence: {known: High, family: Medium}
examples:
  match:
    - recording: my-harvest
    - transaction:${STEPS}
      expect: {intent: Harvest}
  near_miss: [{facts: {motif.harvest.count: 1, motif.harvest.direct: 0}}]
`,
};

function overlay(files: Files = {}): string {
  const dir = writeRuleset(OVERLAY, {
    ...files,
    'recordings/my-harvest.json': readFileSync('test/recordings/novel-harvest.json', 'utf8').replace(
      '"name":"novel-harvest"',
      '"name":"my-harvest"',
    ),
  });
  return dir;
}

const problemsOf = (dir: string): string[] =>
  readRuleset([SHIPPED_RULES, dir], { facts: FACT_VOCABULARY }).problems.map((p) => `${p.code} ${p.message}`);

describe('an overlay', () => {
  const before = process.env['RULES_DIR'];
  afterEach(() => {
    if (before === undefined) delete process.env['RULES_DIR'];
    else process.env['RULES_DIR'] = before;
  });

  it('has recordings, a lock and an archive of its own, and leaves the shipped set alone', async () => {
    const dir = overlay();
    const shipped = readFileSync(join(SHIPPED_RULES, 'ruleset.lock'), 'utf8');
    process.env['RULES_DIR'] = dir;
    expect((await runRules('test', '--rule', 'harvest')).out).toBe('3 of 3 examples of 1 rules passed');
    expect((await runRules('lock')).code).toBe(0);
    expect(readFileSync(join(SHIPPED_RULES, 'ruleset.lock'), 'utf8')).toBe(shipped);
    expect(readFileSync(join(dir, 'ruleset.lock'), 'utf8')).toMatch(/^ruleset badgers 1\.0\.0 sha256:/m);

    const packed = join(mkdtempSync(join(tmpdir(), 'txreport-pack-')), 'badgers-1.0.0.txrules');
    const pack = await runRules('pack', dir, '--out', packed);
    expect(pack.err).toBe('');
    expect(pack.out).toMatch(/wrote .*: 7 files, sha256:[0-9a-f]{64}/);
    // The same rules, wherever they are read from.
    expect(loadRules([packed]).intents).toEqual(loadRules([dir]).intents);
    process.env['RULES_DIR'] = packed;
    expect((await runRules('test', '--rule', 'harvest')).out).toBe('3 of 3 examples of 1 rules passed');
    expect((await runRules('explain', 'my-harvest')).out).toContain('\nHarvest: Harvest');
  });

  it('cannot change its words under the same version, nor lock them without one', async () => {
    const dir = overlay();
    expect((await runRules('lock', SHIPPED_RULES, dir)).code).toBe(0);
    writeFileSync(join(dir, 'precedence.yaml'), 'insert: [{intent: Harvest, after: ClaimRewards}]\n');
    expect((await runRules('lock', SHIPPED_RULES, dir)).err).toContain(
      'ruleset badgers means something else, but is still version 1.0.0',
    );
    expect((await runRules('pack', dir)).code).toBe(1);
    const nameless = overlay({ 'ruleset.yaml': null });
    expect((await runRules('lock', SHIPPED_RULES, nameless)).err).toContain(
      'precedence.yaml has no version: add ruleset.yaml',
    );
    expect(existsSync(join(nameless, 'ruleset.lock'))).toBe(false);
  });

  it('in an archive that was changed is refused', async () => {
    const dir = overlay();
    await runRules('lock', SHIPPED_RULES, dir);
    const packed = join(mkdtempSync(join(tmpdir(), 'txreport-pack-')), 'badgers.txrules');
    await runRules('pack', dir, '--out', packed);
    const changed = packed.replace('badgers', 'changed');
    const json = gunzipSync(readFileSync(packed)).toString().replace('label: Harvest', 'label: Harmless');
    writeFileSync(changed, gzipSync(json));
    expect(problemsOf(changed)).toContainEqual('bad_archive its content does not agree with its digest');
    const cut = packed.replace('badgers', 'cut');
    cpSync(packed, cut);
    writeFileSync(cut, readFileSync(cut).subarray(0, 200));
    expect(problemsOf(cut)[0]).toMatch(/^bad_archive not an archive/);
    expect(problemsOf('/nowhere/at.txrules')[0]).toMatch(/^bad_archive/);
  });

  it('takes an event that a shipped shape knows as well', async () => {
    const event = 'RewardPaid(address indexed user, uint256 reward)';
    const dir = overlay({
      'shapes/burrow.yaml': (OVERLAY['shapes/burrow.yaml'] as string)
        .replace('slug: burrow', 'slug: zz-burrow')
        .replaceAll(GATHERED, event)
        .replaceAll('$badger', '$user')
        .replaceAll('$truffles', '$reward'),
      'intents/harvest.yaml': (OVERLAY['intents/harvest.yaml'] as string)
        .replaceAll(GATHERED, event)
        .replace('    - recording: my-harvest\n', ''),
    });
    const { out } = await runRules('test', SHIPPED_RULES, dir, '--rule', 'harvest');
    expect(out).toBe('2 of 2 examples of 1 rules passed');
  });

  it('is told where a contract it lists is that of another protocol', () => {
    const dir = overlay({
      'protocols/mine.yaml':
        'slug: mine\nversion: 1\nstatus: stable\nname: Mine\nshapes: [burrow]\naddresses: ["0x27182842E098f60e3D576794A5bFFb0777E025d3"]\n',
    });
    expect(problemsOf(dir)).toEqual(['foreign_address it is an address of Euler v1']);
  });
});
