import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRuleset, type Ruleset } from '../../../src/rules/compile/loadRulebook.ts';
import { FACTS, INTENT, SHAPE, SMALL, writeRuleset, type Files } from './smallRuleset.ts';

const read = (files: Files): { readonly ruleset: Ruleset; readonly problems: string[] } => {
  const dir = writeRuleset(SMALL, files);
  const ruleset = readRuleset([dir], { facts: FACTS });
  const problems = ruleset.problems.map(
    (p) => `${relative(dir, p.file)}:${p.line}:${p.column} ${p.code}: ${p.message}`,
  );
  return { ruleset, problems };
};

const HEAD =
  'version: 1\nstatus: stable\nsummary: X.\nreferences: [https://example.org]\nsource: a package\n';

describe('several signatures in one entry', () => {
  const shape = (second: string): Files => ({
    'shapes/swaps.yaml': `slug: swaps\n${HEAD}any_emitter: true\nevents:\n  - event:\n      - "SwapA(address who)"\n      - "${second}"\n    kind: swap\n    roles: {owner: $who}\n`,
  });

  it('become one mapping each', () => {
    const { ruleset, problems } = read(shape('SwapB(uint256 id, address who)'));
    expect(problems).toEqual([]);
    const events = [...ruleset.rulebook!.events.values()].filter(({ mappings }) =>
      mappings.some((m) => m.shape === 'swaps'),
    );
    expect(events.map(({ signature }) => signature)).toEqual(['SwapA(address)', 'SwapB(uint256,address)']);
  });

  it('problems point at the signature that has them', () => {
    expect(read(shape('SwapB(uint257 id, address who)')).problems).toEqual([
      expect.stringMatching(/^shapes\/swaps\.yaml:11:9 bad_signature/),
    ]);
    expect(read(shape('SwapB(uint256 id)')).problems).toEqual([
      expect.stringMatching(/^shapes\/swaps\.yaml:13:20 unknown_param: \$who/),
    ]);
  });
});

describe('a protocol that an overlay extends', () => {
  const NEW = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
  const overlay = (body: string): Ruleset =>
    readRuleset(
      [
        writeRuleset(SMALL),
        writeRuleset({
          'shapes/other.yaml': SHAPE.replace('slug: pair', 'slug: other')
            .replace('any_emitter: true', 'any_emitter: false')
            .replace('event: "Swap(', 'event: "Traded('),
          'protocols/pairs.yaml': body,
        }),
      ],
      { facts: FACTS },
    );

  it('gains its addresses and shapes, and keeps its own', () => {
    const { problems, rulebook } = overlay(
      `slug: pairs\nversion: 2\nextend: true\nshapes: [other]\naddresses: ["${NEW}"]\n`,
    );
    expect(problems).toEqual([]);
    const spec = rulebook!.protocols.get('pairs')!;
    expect(spec).toMatchObject({ name: 'Pairs', version: 2 });
    expect([...spec.addresses]).toEqual(['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', NEW.toLowerCase()]);
    const speakers = [...rulebook!.events.values()].flatMap(({ mappings }) =>
      mappings.map((m) => [m.shape, m.protocols.map(({ slug }) => slug)]),
    );
    expect(speakers).toEqual([
      ['other', ['pairs']],
      ['pair', ['pairs']],
    ]);
  });

  it('is one that there is, and keeps its name', () => {
    const said = (body: string): string[] =>
      overlay(body).problems.map(({ code, message }) => `${code}: ${message}`);
    expect(said(`slug: pears\nversion: 1\nextend: true\naddresses: ["${NEW}"]\n`)).toContain(
      'override_of_nothing: pears',
    );
    expect(said('slug: pairs\nversion: 1\nextend: true\nname: Pears\n')).toEqual([
      expect.stringContaining('bad_format: "name" cannot be a name here'),
      expect.stringContaining('unused_shape'),
    ]);
  });
});

describe('variants of an entry', () => {
  const shape = (second: string, kind = 'kind: swap\n    '): Files => ({
    'shapes/swaps.yaml': `slug: swaps\n${HEAD}any_emitter: true\nevents:\n  - event: "Took(address who, uint256 a)"\n    ${kind}roles: {owner: $who}\n    variants:\n      - {kind: swap, legs: [{role: in, from: $who, amount: $a}]}\n      - {legs: [{role: in, ${second}}]}\n`,
  });

  it('become one mapping each, with all that the entry has', () => {
    const { ruleset, problems } = read(shape('to: $venue, amount: $a'));
    expect(problems).toEqual([]);
    const [spec] = [...ruleset.rulebook!.events.values()].filter(({ signature }) => /Took/.test(signature));
    expect(spec!.mappings).toMatchObject([
      { kind: 'swap', roles: [{ role: 'owner' }], legs: [{ from: { op: 'arg', name: 'who' }, to: null }] },
      { kind: 'swap', roles: [{ role: 'owner' }], legs: [{ from: null, to: { op: 'emitter' } }] },
    ]);
  });

  it('problems point at the variant that has them', () => {
    expect(read(shape('from: $whom, amount: $a')).problems).toEqual([
      expect.stringMatching(/^shapes\/swaps\.yaml:14:34 unknown_param: \$whom/),
    ]);
    expect(read(shape('to: $venue, amount: $a', '')).problems).toEqual([
      expect.stringMatching(/^shapes\/swaps\.yaml:\d+:\d+ missing_key/),
    ]);
  });
});

describe('named lists', () => {
  const vocabulary = (lists: string): Files => ({
    'vocabulary.yaml': `${SMALL['vocabulary.yaml'] as string}lists: ${lists}\n`,
  });
  const when = (test: string): Files => ({
    'intents/direct.yaml': INTENT.replace('{fact: motif.swap.count, is: eq, value: 1}', test).replace(
      'rests_on: [swap]',
      'rests_on: [$trades]',
    ),
  });
  const rule = when(
    '{all: [{fact: motif.swap.count, is: gte, value: 1}, {fact: actor.sides, is: in, value: $sides}]}',
  );

  it('stand for their words', () => {
    const { ruleset, problems } = read({
      ...vocabulary('{trades: [swap], one: [sent], sides: [$one, both]}'),
      ...rule,
    });
    expect(problems).toEqual([]);
    const { when: condition, restsOn } = ruleset.rulebook!.intents[0]!;
    expect(restsOn).toEqual(['swap']);
    expect(condition).toMatchObject({ all: [{}, { value: ['sent', 'both'] }] });
  });

  it('must exist and hold words that fit', () => {
    expect(read({ ...vocabulary('{trades: [swap], side: [both]}'), ...rule }).problems).toEqual([
      expect.stringMatching(/unknown_list: \$sides \(did you mean \$side\?\)/),
    ]);
    expect(read({ ...vocabulary('{trades: [swap], sides: [both, upward]}'), ...rule }).problems).toEqual([
      expect.stringMatching(/^intents\/direct\.yaml:7:94 fact_value: actor\.sides: "upward"/),
    ]);
  });
});
