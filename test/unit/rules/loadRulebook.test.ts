import { describe, expect, it } from 'vitest';
import { loadRulebook, readRuleset } from '../../../src/rules/compile/loadRulebook.ts';
import {
  FACTS,
  INTENT,
  OTHER,
  PROTOCOL,
  SHAPE,
  SMALL,
  TOKEN,
  writeRuleset,
  type Files,
} from './smallRuleset.ts';

const load = (...layers: Files[]) => loadRulebook([writeRuleset(SMALL, ...layers)], { facts: FACTS });
const codes = (dirs: string[]) => readRuleset(dirs, { facts: FACTS }).problems.map((p) => p.code);

describe('loadRulebook', () => {
  it('compiles events: topic, topic count, parameters, legs, roles, protocols', () => {
    const book = load();
    const [key, event] = [...book.events][0]!;
    expect(key).toBe(`${event.topic0}:3`);
    expect(event.signature).toBe('Swap(address,uint256,uint256,address)');
    const meaning = event.mappings[0]!;
    expect(meaning.params).toEqual([
      { name: 'sender', type: 'address', indexed: true, offset: 1 },
      { name: 'amountIn', type: 'uint256', indexed: false, offset: 0 },
      { name: 'amountOut', type: 'uint256', indexed: false, offset: 32 },
      { name: 'to', type: 'address', indexed: true, offset: 2 },
    ]);
    expect(meaning).toMatchObject({
      shape: 'pair',
      kind: 'swap',
      venue: { op: 'emitter' },
      poolId: null,
      anyEmitter: true,
      familyConfidence: 'Medium',
    });
    expect(meaning.roles).toEqual([{ role: 'caller', account: { op: 'arg', name: 'sender', path: [] } }]);
    expect(meaning.legs[0]).toEqual({
      role: 'in',
      match: 'movement',
      from: null,
      to: { op: 'emitter' },
      asset: null,
      id: null,
      assetKind: null,
      movementKind: null,
      amount: [{ op: 'arg', name: 'amountIn', path: [] }],
      fees: [],
      total: null,
      otherwise: 'none',
      pick: 'one',
      required: true,
    });
    expect(meaning.protocols.map((p) => [p.slug, [...p.addresses]])).toEqual([
      ['pairs', [TOKEN.toLowerCase()]],
    ]);
  });

  it('knows the topic of a well-known event and the selector of a well-known function', () => {
    const book = load({
      'shapes/known.yaml': `slug: known
version: 1
status: stable
summary: Known.
references: [https://eips.ethereum.org/EIPS/eip-20]
source: EIP-20
any_emitter: true
events:
  - {event: "Transfer(address indexed from, address indexed to, uint value)", kind: swap}
calls:
  - {call: "transfer(address to, uint amount)", kind: swap, depth: root}
`,
    });
    expect(book.events.has('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef:3')).toBe(
      true,
    );
    expect(book.calls.get('0xa9059cbb')).toMatchObject({
      signature: 'transfer(address,uint256)',
      depth: 'root',
    });
  });

  it('lays out heads as the ABI does: static tuples and arrays inline, dynamic ones behind one word', () => {
    const signature =
      'E(uint8 a, (address x, uint256[2] y) b, bytes c, (uint256 p, string q) d, uint256[2][3] e, int24 f, address indexed g)';
    const book = load({
      'shapes/pair.yaml': SHAPE.replace(/event: .*/, `event: "${signature}"`).replace(
        / {4}roles:[\s\S]*/,
        'source: a package\n',
      ),
    });
    const { params } = [...book.events.values()][0]!.mappings[0]!;
    expect(params.map((p) => [p.name, p.type, p.offset])).toEqual([
      ['a', 'uint8', 0],
      ['b', '(address,uint256[2])', 32],
      ['c', 'bytes', 128],
      ['d', '(uint256,string)', 160],
      ['e', 'uint256[2][3]', 192],
      ['f', 'int24', 384],
      ['g', 'address', 1],
    ]);
  });

  it('has one digest for one content', () => {
    const digest = (...layers: Files[]): string => load(...layers).digest;
    const plain = digest();
    expect(plain).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(
      digest({
        'protocols/pairs.yaml': `# a comment\nname: "Pairs"\n${PROTOCOL.replace('name: Pairs\n', '')}`,
      }),
    ).toBe(plain);
    expect(digest({ 'protocols/pairs.yaml': PROTOCOL.replace('Pairs', 'Pears') })).not.toBe(plain);
    expect(digest({ 'protocols/pairs.yaml': null, 'protocols/others.yaml': PROTOCOL })).not.toBe(plain);
  });

  it('puts rules in the order in which they win', () => {
    const rule = (slug: string, intent: string, extra: string, when: string): string =>
      INTENT.replace('slug: direct', `slug: ${slug}`)
        .replace('intent: DirectSwap', `intent: ${intent}`)
        .replace('rests_on: [swap]\n', '')
        .replace(/when: .*/, `when: ${when}\n${extra}`);
    const book = load({
      'intents/direct.yaml': [
        rule('z', 'DirectSwap', 'priority: 2', '{fact: actor.received.assets, is: eq, value: 1}'),
        rule('plain', 'DirectSwap', '', '{fact: actor.received.assets, is: eq, value: 2}'),
        rule(
          'specific',
          'DirectSwap',
          '',
          '{all: [{fact: actor.received.assets, is: eq, value: 3}, {fact: actor.is_signer, is: true}]}',
        ),
        rule('a', 'Unknown', 'priority: 9', '{fact: actor.received.assets, is: eq, value: 4}'),
      ]
        .map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`)
        .join('')
        .replaceAll(/motif.swap.count: (\d)/g, 'actor.received.assets: $1'),
    });
    expect(book.intents.map((r) => r.slug)).toEqual(['z', 'specific', 'plain', 'a']);
  });

  it('reads entities of every kind', () => {
    const book = load({
      'entities/more.yaml': `- {slug: tokens, version: 1, status: stable, summary: S, references: [https://example.org], kind: token_events,
   events: [{event: "Moved(address from, address to, uint256 id)", emitters: ["${OTHER}"], asset_kind: erc721, from: $from, to: $to, token_id: $id}],
   ignored_events: [{event: "Moved(address indexed from, address to)", emitters: ["${OTHER}"]}]}
- {slug: prices, version: 1, status: stable, summary: S, references: [https://example.org], kind: feeds,
   feeds: [{asset: native, feed: "${OTHER}", decimals: 8, heartbeat: 60}]}
- {slug: errors, version: 1, status: stable, summary: S, references: [https://example.org], kind: errors, errors: ["Error(string)", "Panic(uint256 code)"]}
`,
    });
    expect([...book.wrappedNative]).toEqual([TOKEN.toLowerCase()]);
    expect(book.multicall).toEqual({ address: OTHER.toLowerCase(), sinceBlock: 5n });
    expect(book.entities.get(OTHER.toLowerCase() as `0x${string}`)).toEqual({
      slug: 'multicall',
      name: 'Multicall',
      tags: ['multicall'],
    });
    expect([...book.tokenEvents.values()].flat()).toMatchObject([
      {
        topicCount: 1,
        assetKind: 'erc721',
        ignored: false,
        tokenId: { op: 'arg', name: 'id' },
        amount: null,
      },
      { topicCount: 2, ignored: true },
    ]);
    expect(book.feeds).toEqual([
      { asset: 'native', feed: OTHER.toLowerCase(), decimals: 8, heartbeat: 60, assetDecimals: 18 },
    ]);
    expect(book.errors.get('0x08c379a0')).toEqual({ name: 'Error', signature: 'Error(string)' });
    expect(book.errors.get('0x4e487b71')).toEqual({ name: 'Panic', signature: 'Panic(uint256)' });
  });
});

describe('overlays', () => {
  const overlay = (files: Files) => [writeRuleset(SMALL), writeRuleset(files)];

  it('add items, words and ranks without touching the base', () => {
    const dirs = overlay({
      'ruleset.yaml': 'name: acme\nversion: 0.1.0\nengine: 1\n',
      'vocabulary.yaml':
        'motifs: {wave: {title: Wave, fragment: Waving}}\nintents: {Waving: {category: account}}\n',
      'precedence.yaml': 'insert: [{intent: Waving, before: Unknown}]\n',
      'intents/waving.yaml': INTENT.replace('slug: direct', 'slug: waving')
        .replace('DirectSwap', 'Waving')
        .replaceAll('swap', 'wave'),
    });
    const book = loadRulebook(dirs, { facts: FACTS });
    expect(book.version).toBe('1.2.3+acme.0.1.0');
    expect([...book.intentKinds.values()].sort((a, b) => a.rank - b.rank).map((k) => k.kind)).toEqual([
      'DirectSwap',
      'Waving',
      'Unknown',
      'Part',
    ]);
    expect(book.intents.map((r) => r.slug)).toEqual(['direct', 'waving']);
    expect(book.digest).not.toBe(loadRulebook(dirs.slice(0, 1), { facts: FACTS }).digest);
  });

  it('replace a slug only when they say so', () => {
    const again = INTENT.replace('label: Swap', 'label: Trade');
    expect(codes(overlay({ 'intents/again.yaml': again }))).toEqual(['duplicate_slug']);
    const dirs = overlay({ 'intents/again.yaml': again.replace('version: 1', 'version: 2\noverride: true') });
    expect(loadRulebook(dirs, { facts: FACTS }).intents).toMatchObject([
      { slug: 'direct', version: 2, label: 'Trade' },
    ]);
  });

  it('cannot override each other inside one directory', () => {
    const again = INTENT.replace('version: 1', 'version: 2\noverride: true');
    expect(codes([writeRuleset(SMALL, { 'intents/again.yaml': again })])).toContain('override_of_nothing');
  });

  it('must rank what they add, at a place that exists', () => {
    const words = { 'vocabulary.yaml': 'intents: {Waving: {category: account}}\n' };
    expect(codes(overlay(words))).toEqual(['unranked_intent']);
    expect(
      codes(overlay({ ...words, 'precedence.yaml': 'insert: [{intent: Waving, before: Nothing}]\n' })),
    ).toContain('unknown_intent_kind');
  });
});
