import { Ajv2020 } from 'ajv/dist/2020.js';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Rulebook } from '../../src/model/rulebook.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { CliError } from '../../src/tools/cli/cliIo.ts';
import { descriptorOf } from '../../src/tools/cli/rules/erc7730/exportDescriptor.ts';
import { draftOf, readDescriptor } from '../../src/tools/cli/rules/erc7730/importDescriptor.ts';
import { openSoundRuleset, type SoundRuleset } from '../../src/tools/cli/rules/rulesets.ts';
import { runRules } from './runRules.ts';

/** Of the registry, public domain (CC0); outside the repository. */
const REGISTRY = join(import.meta.dirname, '../../../shared/knowledge/erc7730.ndjson.gz');
const hasRegistry = existsSync(REGISTRY);
if (!hasRegistry) console.warn(`skipped: no ERC-7730 registry at ${REGISTRY}`);

const BURROW = '0x10f9fb13664298Af67ee6178583B7ce95F091104';
const COMMON = {
  display: {
    definitions: { larder: { label: 'Larder', format: 'addressName' } },
    formats: {
      'deposit(address larder, uint256 value, address badger)': {
        intent: 'Deposit acorns',
        fields: [
          { path: 'larder', $ref: '$.display.definitions.larder' },
          { path: 'value', label: 'Acorns', format: 'raw' },
        ],
      },
      'claim((address larder, uint256 acorns) lot, address receiver)': {
        intent: 'Claim rewards',
        fields: [
          {
            path: 'lot',
            fields: [
              { path: 'acorns', label: 'Acorns', format: 'tokenAmount', params: { tokenPath: 'lot.larder' } },
            ],
          },
        ],
      },
      'stake(address badger)': {
        intent: 'Stake ether',
        fields: [{ path: '@.value', label: 'Ether', format: 'amount' }],
      },
      'sing(string song)': { intent: 'Sing', fields: [{ path: 'song', label: 'Song', format: 'raw' }] },
      'transfer(address to, uint256 amount)': { intent: 'Send', fields: [] },
    },
  },
};
const OWN = {
  includes: 'common.json',
  context: {
    contract: {
      deployments: [
        { chainId: 1, address: BURROW.toLowerCase() },
        { chainId: 10, address: BURROW },
      ],
    },
  },
  metadata: { owner: 'Frank', contractName: 'Burrow', info: { url: 'https://example.org/burrow' } },
  display: {
    formats: {
      'deposit(address larder, uint256 value, address badger)': {
        fields: [
          { path: '#.value', format: 'raw' },
          { path: 'value', format: 'tokenAmount', params: { tokenPath: 'larder' } },
        ],
      },
    },
  },
};

const deployed = (chainId: number, address: unknown): object => ({
  context: { contract: { deployments: [{ chainId, address }] } },
  display: COMMON.display,
});

/** Writes descriptors to a folder of their own and returns the path of the first. */
function written(files: Readonly<Record<string, unknown>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'txreport-erc7730-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return join(dir, Object.keys(files)[0]!);
}

let ruleset: SoundRuleset;
let rulebook: Rulebook;
beforeAll(() => {
  ruleset = openSoundRuleset([SHIPPED_RULES]);
  ({ rulebook } = ruleset);
});

/** Names of functions and their arguments that an import gives. */
function namesIn(path: string): string[] {
  const read = readDescriptor(path);
  const { files } = draftOf({ ...read, name: read.name || 'nameless' }, rulebook);
  const [, text = ''] = [...files].find(([file]) => file.startsWith('signatures/')) ?? [];
  return text.split('\n').flatMap((line) => (/^[\w,-]+ (\w.*)$/.exec(line) ?? []).slice(1));
}

describe('txreport rules import --erc7730', () => {
  it('drafts names, protocol and shape so that they lint and the drawn examples pass', async () => {
    const rules = join(mkdtempSync(join(tmpdir(), 'txreport-import-')), 'rules');
    const path = written({ 'calldata-burrow.json': OWN, 'common.json': COMMON });
    const run = await runRules('import', '--erc7730', path, '--dir', rules);
    expect(run.code).toBe(0);
    expect(run.err.split('\n')).toEqual([
      'left out: sing(string song): its words hint at no act by which value goes one way',
      'left out: transfer(address to, uint256 amount): every token has it',
    ]);
    const file = (name: string): string => readFileSync(join(rules, name), 'utf8');
    expect(file('signatures/own-frank-burrow.txt')).toBe(
      [
        '# ERC-7730 descriptor of https://example.org/burrow',
        'frank-burrow claim((address larder, uint256 acorns) lot, address receiver)',
        'frank-burrow deposit(address larder, uint256 value, address badger)',
        'frank-burrow sing(string song)',
        'frank-burrow stake(address badger)',
        'frank-burrow transfer(address to, uint256 amount)\n',
      ].join('\n'),
    );
    expect(file('protocols/frank-burrow.yaml')).toContain(`addresses: ["${BURROW}"]`);
    const shape = file('shapes/frank-burrow.yaml');
    // `$value` is the ether of a call: the argument gets another name.
    expect(shape).toContain('deposit(address larder, uint256 value_, address badger)');
    expect(shape).toContain('asset: $larder, amount: $value_}');
    expect(shape).toContain(
      '{role: reward, from: $venue, to: $receiver, asset: $lot.larder, amount: $lot.acorns}',
    );
    expect((await runRules('lint', SHIPPED_RULES, rules)).out).toMatch(/^ok/);
    const tested = await runRules('test', SHIPPED_RULES, rules, '--rule', 'frank-burrow');
    expect(tested.out).toMatch(/^3 of 3 examples/m);

    const { out } = await runRules('export', '--erc7730', 'frank-burrow', '--dirs', SHIPPED_RULES, rules);
    const { context, metadata, display } = JSON.parse(out);
    expect(context.contract.deployments).toEqual([{ chainId: 1, address: BURROW }]);
    expect(metadata).toEqual({ owner: 'Frank Burrow', info: { url: 'https://example.org/burrow' } });
    const fields = (text: string): unknown => display.formats[text].fields;
    expect(fields('deposit(address larder, uint256 value, address badger)')).toEqual([
      { path: 'larder', label: 'Larder', format: 'addressName' },
      { path: 'value', label: 'Value', format: 'tokenAmount', params: { tokenPath: 'larder' } },
      { path: 'badger', label: 'Badger', format: 'addressName' },
    ]);
    expect(fields('claim((address larder, uint256 acorns) lot, address receiver)')).toEqual([
      { path: 'lot.larder', label: 'Larder', format: 'addressName' },
      { path: 'lot.acorns', label: 'Acorns', format: 'tokenAmount', params: { tokenPath: 'lot.larder' } },
      { path: 'receiver', label: 'Receiver', format: 'addressName' },
    ]);
    expect(fields('stake(address badger)')).toEqual([
      { path: '@.value', label: 'Ether', format: 'amount' },
      { path: 'badger', label: 'Badger', format: 'addressName' },
    ]);
  });

  it('adds to the protocol that lists the address already', () => {
    const deployments = [{ chainId: 1, address: '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2' }];
    const path = written({
      'pool.json': { ...OWN, context: { contract: { deployments } } },
      'common.json': COMMON,
    });
    const { files } = draftOf({ ...readDescriptor(path), name: 'Pool' }, rulebook);
    const { version } = rulebook.protocols.get('aave-v3')!;
    expect([...files.keys()].sort()).toEqual([
      'protocols/aave-v3.yaml',
      'shapes/pool.yaml',
      'signatures/own-pool.txt',
    ]);
    expect(files.get('protocols/aave-v3.yaml')).toBe(
      `slug: aave-v3\nversion: ${version + 1}\nshapes: [pool]\nextend: true\n`,
    );
    expect(files.get('signatures/own-pool.txt')).toContain('\naave-v3 sing(string song)\n');
  });

  it('names an argument in reports as the overlay does, and the functions beside it as before', () => {
    const dir = mkdtempSync(join(tmpdir(), 'txreport-own-'));
    mkdirSync(join(dir, 'signatures'));
    writeFileSync(
      join(dir, 'signatures/own.txt'),
      'aave-v3 withdraw(address larder, uint256 acorns, address badger)\n',
    );
    const own = (book: Rulebook): string[] =>
      book.signatures.own.text.split('\n').filter((line) => line.startsWith('aave-v3 '));
    const changed = own(openSoundRuleset([SHIPPED_RULES, dir]).rulebook);
    const before = own(rulebook);
    expect(before.filter((line) => !changed.includes(line))).toEqual([
      'aave-v3 withdraw(address asset, uint256 amount, address to)',
    ]);
    expect(changed.filter((line) => !before.includes(line))).toEqual([
      'aave-v3 withdraw(address larder, uint256 acorns, address badger)',
    ]);
  });

  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ['no JSON', { 'a.json': '{' }, 'not JSON'],
    ['no object', { 'a.json': [] }, 'no ERC-7730 descriptor'],
    ['typed data', { 'a.json': { context: { eip712: {} } } }, 'typed data'],
    ['another chain', { 'a.json': deployed(10, BURROW) }, 'chain 1'],
    ['no address', { 'a.json': deployed(1, 7) }, '7 is no address'],
    ['a wrong digit', { 'a.json': deployed(1, BURROW.replace('f9', 'F9')) }, 'right checksum'],
    ['no function', { 'a.json': { context: OWN.context } }, 'describes no function'],
    ['an include that is not there', { 'a.json': OWN }, 'common.json: cannot be read'],
    ['an include of itself', { 'a.json': { includes: 'a.json' } }, 'at most 4 deep'],
    ['an include from the web', { 'a.json': { includes: 'https://example.org/a.json' } }, 'save it beside'],
  ])('refuses %s by name', async (_, files, says) => {
    const { code, err } = await runRules('import', '--erc7730', written(files));
    expect(err).toContain(says);
    expect(err).toContain('.json: ');
    expect(code).toBe(1);
  });

  it('takes no text of a descriptor for more lines or keys of a file', () => {
    const info = { url: 'https://example.org/"]\naave-v3 evil(uint256 a)' };
    const metadata = { ...OWN.metadata, owner: 'Frank"\nstatus: stable', info };
    const path = written({ 'a.json': { ...OWN, metadata }, 'common.json': COMMON });
    const { files } = draftOf(readDescriptor(path), rulebook);
    const texts = [...files.values()];
    expect(texts.filter((text) => /^(aave-v3 |status: stable)/m.test(text))).toEqual([]);
  });

  it.skipIf(!hasRegistry)('reads every descriptor of the registry, or refuses it by name', () => {
    const lines = gunzipSync(readFileSync(REGISTRY)).toString().trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as { path: string; descriptor: unknown });
    const first = written(Object.fromEntries(rows.map(({ path, descriptor }) => [path, descriptor])));
    const root = first.slice(0, -rows[0]!.path.length);
    const refused: string[] = [];
    let names = 0;
    for (const { path } of rows)
      try {
        names += namesIn(join(root, path)).length;
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        refused.push(error.message.slice(error.message.indexOf('.json: ') + 7));
      }
    expect(rows.length).toBe(353);
    expect(names).toBeGreaterThan(600);
    expect([...new Set(refused)].sort()).toEqual([
      'describes typed data that is signed (EIP-712), and no calls',
      'names no deployment on Ethereum mainnet (chain 1)',
    ]);
  });
});

describe('txreport rules export --erc7730', () => {
  it('writes descriptors that hold to the schema of the ERC and import to the same names', () => {
    const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'erc7730-v2.schema.json'), 'utf8'));
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    let exported = 0;
    for (const slug of rulebook.protocols.keys()) {
      let descriptor;
      try {
        descriptor = descriptorOf(slug, ruleset);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        continue;
      }
      exported += 1;
      expect(validate(descriptor), `${slug}: ${JSON.stringify(validate.errors)}`).toBe(true);
      const names = namesIn(written({ [`${slug}.json`]: descriptor }));
      expect(names, slug).toEqual(Object.keys(descriptor.display.formats).sort());
    }
    expect(exported).toBeGreaterThanOrEqual(71);
    expect(validate({ ...descriptorOf('aave-v3', ruleset), display: { formats: [] } })).toBe(false);
  });

  it.each([['nothing-like-it', 'there is no protocol nothing-like-it']])(
    'says why %s has none',
    async (slug, says) => {
      const { code, err } = await runRules('export', '--erc7730', slug);
      expect(err).toContain(says);
      expect(code).toBe(1);
    },
  );
});
