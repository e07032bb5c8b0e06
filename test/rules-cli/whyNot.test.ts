import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRules } from './runRules.ts';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { writeRuleset } from '../unit/rules/smallRuleset.ts';

const RECORDINGS = join(import.meta.dirname, '../recordings');
const EVENT = 'HarvestGathered(address indexed badger, uint256 truffles)';

interface ShapeText {
  readonly slug?: string;
  readonly event?: string;
  readonly legs?: string;
  readonly more?: string;
  readonly anyEmitter?: boolean;
}

function shape({ slug = 'burrow', event = EVENT, legs, more = '', anyEmitter = true }: ShapeText): string {
  const leg = legs ?? '{role: reward, from: $venue, to: $badger, amount: $truffles}';
  return `slug: ${slug}
version: 1
status: stable
summary: A burrow.
references: [https://example.org/burrow]
any_emitter: ${anyEmitter}
events:
  - event: "${event}"
    kind: stake
    roles: {owner: $badger}
    legs: [${leg}]
    ${more}
`;
}

/** What `explain` says of the harvest's event under an overlay with these shapes. */
async function explained(files: Record<string, string>): Promise<string> {
  const overlay = writeRuleset(files);
  const { out } = await runRules(
    'explain',
    'novel-harvest',
    '--dirs',
    SHIPPED_RULES,
    overlay,
    '--recordings',
    RECORDINGS,
    '--full',
  );
  return out.slice(0, out.indexOf('\nactor'));
}

describe('explain says why a shape made nothing of an event', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'another amount than moved',
      { 'shapes/burrow.yaml': shape({ legs: '{role: reward, from: $venue, to: $badger, amount: "7"}' }) },
      /shape burrow: leg 1 \(reward\) bound nothing: the nearest movement .* differs: amount is 9000000000000000000, wanted 7$/m,
    ],
    [
      'the direction turned round',
      {
        'shapes/burrow.yaml': shape({ legs: '{role: reward, from: $badger, to: $venue, amount: $truffles}' }),
      },
      /leg 1 \(reward\) bound nothing: .* differs: from is 0x10f9fb13664298Af67ee6178583B7ce95F091104, wanted 0xF2fb543527e99AE12D0c0f83340b840deA14D907; to is 0x/,
    ],
    [
      'another asset',
      {
        'shapes/burrow.yaml': shape({
          legs: '{role: reward, from: $venue, to: $badger, asset: $native, amount: $truffles}',
        }),
      },
      /differs: asset is 0x70542197E04FeAf4d7FF0995a6dF03A04e8508e4, wanted native$/im,
    ],
    [
      'a second leg that nothing carries',
      {
        'shapes/burrow.yaml': shape({
          legs: '{role: reward, from: $venue, to: $badger, amount: $truffles}, {role: in, from: $badger, to: $venue}',
        }),
      },
      /leg 2 \(in\) bound nothing: the nearest movement/,
    ],
    [
      'an amount that cannot be read',
      {
        'shapes/burrow.yaml': shape({
          legs: '{role: reward, from: $venue, to: $badger, amount: "negative(signed_low128($truffles))"}',
        }),
      },
      /leg 1 \(reward\) bound nothing: amount gave no value/,
    ],
    [
      'a condition that is false',
      { 'shapes/burrow.yaml': shape({ more: 'when: [{left: $truffles, is: is0}]' }) },
      /condition 1 of `when` is false: 9000000000000000000 should be 0$/m,
    ],
    [
      'another number of indexed parameters',
      { 'shapes/burrow.yaml': shape({ event: 'HarvestGathered(address badger, uint256 truffles)' }) },
      /shape burrow: known with 0 indexed parameters, and this log has 1/,
    ],
    [
      'a contract of no protocol',
      {
        'shapes/burrow.yaml': shape({ anyEmitter: false }),
        'protocols/burrow.yaml':
          'slug: a-burrow\nversion: 1\nstatus: stable\nname: A Burrow\nshapes: [burrow]\naddresses: ["0x70542197E04fEAf4d7Ff0995A6df03A04E8508E4"]\n',
      },
      /shape burrow: the contract belongs to no protocol with this shape, and only those are believed \(any_emitter: false, or legless\)/,
    ],
    [
      'another shape that comes first',
      {
        'shapes/burrow.yaml': shape({}),
        'shapes/a-burrow.yaml': shape({
          slug: 'a-burrow',
          legs: '{role: reward, from: $venue, to: $badger}',
        }),
      },
      /shape burrow: not tried: shape a-burrow took the event first/,
    ],
    [
      'a protocol that lists the contract for another shape',
      {
        'shapes/burrow.yaml': shape({}),
        'shapes/vault.yaml': shape({
          slug: 'own',
          anyEmitter: false,
          more: 'when: [{left: $truffles, is: is0}]',
        }),
        'protocols/burrow.yaml':
          'slug: a-burrow\nversion: 1\nstatus: stable\nname: A Burrow\nshapes: [own]\naddresses: ["0x10f9fb13664298Af67ee6178583B7ce95F091104"]\n',
      },
      /shape burrow: not tried: a protocol with shape own lists the contract/,
    ],
    ['no shape at all', {}, /event no shape knows: .* of 0x10f9fb13664298Af67ee6178583B7ce95F091104/],
  ])('%s', async (_, files, expected) => {
    const named = Object.keys(files).length === 0 ? {} : files;
    expect(await explained({ 'ruleset.yaml': 'name: mine\nversion: 1.0.0\nengine: 1\n', ...named })).toMatch(
      expected,
    );
  });
});
