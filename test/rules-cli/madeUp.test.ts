import { describe, expect, it } from 'vitest';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { buildExample } from '../../src/rules/example.ts';
import { runRules } from './runRules.ts';
import { writeRuleset } from '../unit/rules/smallRuleset.ts';

const EVENT = 'HarvestGathered(address indexed badger, uint256 truffles)';
const PAID = `
        - {move: 9e18, asset: TRUFFLE, from: burrow, to: actor}
        - {event: "${EVENT}", by: burrow, args: [actor, 9e18]}`;
const FORGED = `
        - {event: "${EVENT}", by: burrow, args: [actor, 9e18]}`;

const shape = (expected: string, steps = PAID, leg = 'from: $venue, to: $badger'): string => `slug: burrow
version: 1
status: stable
summary: A burrow that pays truffles to its badgers.
references: [https://example.org/burrow]
any_emitter: true
events:
  - event: "${EVENT}"
    kind: harvest
    roles: {owner: $badger}
    legs: [{role: reward, ${leg}, amount: $truffles}]
examples:
  - name: gathered
    transaction:
      to: burrow
      call: gather()
      steps:${steps}
    expect: ${expected}
`;
const intent = (match: string, nearMiss: string): string => `slug: burrow-harvest
version: 1
status: stable
intent: Harvest
label: "Gather {got}"
label_fallback: Gather a harvest
rests_on: [harvest]
requires_any: [harvest]
when:
  all:
    - {fact: motif.harvest.direct, is: gte, value: 1}
    - {fact: actor.sides, is: eq, value: received}
proof: structural
confidence: {known: High, family: Medium}
examples:
  match: [${match}]
  near_miss: [${nearMiss}]
`;
const transaction = (steps: string, more = ''): string =>
  `{transaction: {to: burrow, ${more} steps: [{move: 9e18, asset: TRUFFLE, from: burrow, to: actor}, ${steps}]}`;
const HARVEST = `{event: "${EVENT}", by: burrow, args: [actor, 9e18]}`;

async function tested(rule: string, files: Record<string, string>): Promise<string> {
  const overlay = writeRuleset({
    'ruleset.yaml': 'name: mine\nversion: 1.0.0\nengine: 1\n',
    'vocabulary.yaml':
      'motifs:\n  harvest: {title: Burrow harvested, fragment: Harvest, position: {category: stake, effect: collect}}\nintents:\n  Harvest: {category: staking}\n',
    'precedence.yaml': 'insert:\n  - {intent: Harvest, before: ClaimRewards}\n',
    ...files,
  });
  const { out, err } = await runRules('test', SHIPPED_RULES, overlay, '--rule', rule);
  return `${out}\n${err}`;
}

describe('made-up transactions', () => {
  it('test a shape through the whole pipeline: motif, venue, roles, legs, position', async () => {
    const expected =
      '{motifs: [{kind: harvest, venue: burrow, status: Suspected, roles: {owner: actor}, legs: [reward 9e18 TRUFFLE]}], positions: [stake collect], actor: actor}';
    expect(await tested('burrow', { 'shapes/burrow.yaml': shape(expected) })).toContain('1 of 1 examples');
  });

  it('show that an event nothing bears out is refused', async () => {
    expect(await tested('burrow', { 'shapes/burrow.yaml': shape('{motifs: []}', FORGED) })).toContain(
      '2 of 2 examples of 1 rules passed',
    );
    expect(await tested('burrow', { 'shapes/burrow.yaml': shape('{motifs: []}') })).toContain(
      'recognised harvest, expected nothing',
    );
  });

  it.each([
    [
      '{motifs: [{kind: harvest, legs: [reward 8e18 TRUFFLE]}]}',
      'motif harvest: no leg reward 8e18 TRUFFLE; there are: reward 9000000000000000000 TRUFFLE',
    ],
    ['{motifs: [{kind: harvest, roles: {owner: burrow}}]}', 'motif harvest: owner is actor, expected burrow'],
    ['{motifs: [{kind: harvest, status: Proven}]}', 'motif harvest: status is Suspected, expected Proven'],
    ['{motifs: [{kind: swap}]}', 'no motif swap; there are: harvest'],
    ['{actor: burrow}', 'actor is actor, expected burrow'],
    ['{positions: [stake increase]}', 'positions is stake collect, expected stake increase'],
  ])('say what came out otherwise than %s', async (expected, line) => {
    expect(await tested('burrow', { 'shapes/burrow.yaml': shape(expected) })).toContain(line);
  });

  it('say why an act is no more than Suspected', async () => {
    const expected = '{motifs: [{kind: harvest, status: Proven}]}';
    expect(await tested('burrow', { 'shapes/burrow.yaml': shape(expected) })).toMatch(
      /caveats: .*\n.*harvest at burrow is Suspected: \w+/,
    );
  });

  it('say why the shape made nothing of its own event, in the words of the example', async () => {
    const out = await tested('burrow', {
      'shapes/burrow.yaml': shape('{motifs: [{kind: harvest}]}', PAID, 'from: $badger, to: $venue'),
    });
    expect(out).toContain(
      'leg 1 (reward) bound nothing: the nearest movement (9000000000000000000 TRUFFLE from burrow to actor) differs: from is burrow, wanted actor; to is actor, wanted burrow',
    );
  });

  it('test an intent: a match must win, a near miss must not match', async () => {
    const files = {
      'shapes/burrow.yaml': shape('{motifs: [{kind: harvest}]}'),
      'intents/burrow-harvest.yaml': intent(
        `${transaction(HARVEST)}, expect: {intent: Harvest, label: Gather 9 TRUFFLE, status: Suspected, actor: actor}}`,
        `${transaction(HARVEST, 'value: 1e17,')}}`,
      ),
    };
    expect(await tested('burrow-harvest', files)).toContain('2 of 2 examples');
    const other = {
      ...files,
      'intents/burrow-harvest.yaml': intent(
        `${transaction(HARVEST, 'value: 1,')}}`,
        `${transaction(HARVEST)}}`,
      ),
    };
    const out = await tested('burrow-harvest', other);
    expect(out).toContain('actor.sides eq received, but it is both');
    expect(out).toContain('matches, though it should not (headline: Harvest by burrow-harvest)');
  });

  it('add up an array, in a drawn example too', async () => {
    const event = 'HarvestGathered(address indexed badger, uint256[] truffles)';
    const summed = (args: string): string =>
      shape('{motifs: [{kind: harvest, legs: [reward 9e18 TRUFFLE]}]}', PAID.replace('9e18]}', args))
        .replaceAll(EVENT, event)
        .replace('$truffles}', '$truffles.sum}');
    const of = (text: string) => tested('burrow', { 'shapes/burrow.yaml': text });
    expect(await of(summed('[2e18, 3e18, 4e18]]}'))).toContain('1 of 1 examples of 1 rules passed');
    expect(await of(summed('[2e18, 3e18, 5e18]]}'))).toContain('no motif harvest');
    expect(await of(summed('[]]}').replace(/examples:[^]*/, ''))).toContain('1 of 1 examples of 1 rules');
  });

  it('leave the call of a token out for a movement that nobody asked for', () => {
    const move = { move: 9, asset: 'TRUFFLE', from: 'burrow', to: 'actor' };
    const inputs = [{}, { unasked: true as const }].map((more) => {
      const { raw } = buildExample({ to: 'burrow', steps: [{ ...move, ...more }] });
      const root = raw.trace.result as { readonly calls: readonly { readonly input: string }[] };
      return root.calls.map(({ input }) => input.slice(0, 10));
    });
    // The first is `transferFrom`, the second the selector of no function.
    expect(inputs).toEqual([['0x23b872dd'], ['0x00000001']]);
  });

  it('carry blobs, delegations and creations, and say who asks a token', () => {
    const { raw, context, addressOf } = buildExample({
      to: 'factory',
      blobs: 2,
      delegates: { actor: 'wallet' },
      steps: [
        { create: 'child' },
        { create: 'grandchild', by: 'child' },
        { move: 9, asset: 'TRUFFLE', from: 'child', to: 'actor', by: 'child' },
      ],
    });
    expect(raw.receipt).toMatchObject({ blobGasUsed: '0x40000' });
    // The transaction took the nonce 7 of its sender, so its authorisation is for the next one (EIP-7702).
    const authorization = { address: addressOf('wallet'), nonce: '0x8' };
    expect(raw.tx).toMatchObject({ nonce: '0x7', authorizationList: [authorization] });
    expect(context.authorities).toEqual([addressOf('actor')]);
    const child = { from: addressOf('factory'), to: addressOf('child') };
    expect(raw.trace.result).toMatchObject({
      calls: [
        { type: 'CREATE', ...child },
        { ...child, calls: [{ type: 'CREATE', from: child.to, to: addressOf('grandchild') }] },
        { ...child, calls: [{ from: child.to, to: addressOf('TRUFFLE') }] },
      ],
    });
  });

  it('name the event of one shape, where several have one of that name', async () => {
    const of = (event: string) =>
      tested('burrow', {
        'shapes/burrow.yaml': shape(
          '{motifs: []}',
          `\n        - {event: ${event}, by: burrow, args: [actor, 1, 0, 0, 1, actor]}`,
        ),
      });
    expect(await of('Swap')).toContain('write aggregator-summary/Swap');
    expect(await of('amm-v2-pool/Swap')).toContain('2 of 2 examples of 1 rules passed');
    expect(await of('amm-v2-pool/Swop')).toContain('no shape has the event Swop (did you mean Swap?)');
  });

  it('are drawn for every entry that no example shows, and printed where one fails', async () => {
    const bare = (leg: string): string => shape('{}', PAID, leg).replace(/examples:[^]*/, '');
    expect(await tested('burrow', { 'shapes/burrow.yaml': bare('from: $venue, to: $badger') })).toContain(
      '1 of 1 examples of 1 rules passed',
    );
    const out = await tested('burrow', {
      'shapes/burrow.yaml': bare('from: $venue, asset_kind: erc721'),
    });
    expect(out).toMatch(/FAIL \S+burrow\.yaml:8:5 burrow drawn HarvestGathered/);
    expect(out).toContain('drawn: {"to":"venue","steps":[');
  });

  it.each([
    ['args: [actor]', 'bad_example: 1 arguments, and the signature has 2'],
    ['args: [actor, nine]', 'bad_example: nine is not a whole number'],
    ['args: [actor, 1.5]', 'bad_example: 1.5 is not a whole number'],
    ['args: [actor, [1]]', 'bad_example: uint256 takes no list'],
  ])('%s is a problem of lint, at its place', async (args, problem) => {
    const steps = `
        - {event: "${EVENT}", by: burrow, ${args}}`;
    const out = await tested('burrow', { 'shapes/burrow.yaml': shape('{motifs: []}', steps) });
    expect(out).toMatch(/burrow\.yaml:18:\d+ bad_example/);
    expect(out).toContain(problem);
  });
});
