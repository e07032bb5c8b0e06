import { describe, expect, it } from 'vitest';
import { readRuleset } from '../../../src/rules/compile/loadRulebook.ts';
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

/** keccak256 of nothing (EIP-1052). */
const NO_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
const NOW = 1_760_000_000;
const said = (dirs: readonly string[]): string[] =>
  readRuleset(dirs, { facts: FACTS, examples: true, now: NOW }).problems.map(
    ({ code, message }) => `${code}: ${message}`,
  );
const when = (condition: string): Files => ({
  'intents/direct.yaml': INTENT.replace('{fact: motif.swap.count, is: eq, value: 1}', condition),
});
const shape = (from: string | RegExp, to: string): Files => ({ 'shapes/pair.yaml': SHAPE.replace(from, to) });
const legs = (text: string): Files => shape(/ {4}legs:[\s\S]*$/, text === '' ? '' : `    legs: [${text}]\n`);
const intent = (from: string | RegExp, to: string): Files => ({
  'intents/direct.yaml': INTENT.replace(from, to),
});
const COUNT = 'fact: motif.swap.count';
const lexicon = (body: string, match: readonly string[], miss: readonly string[]): Files => ({
  'lexicon.yaml': `- {kind: swap, flow: sent, ${body}, examples: ${JSON.stringify({ match, near_miss: miss })}}\n`,
});
const TRADED = "match: ['Traded(uint256 pool, address who)'], near_miss: ['Cancelled(address trade)']";
const behind = (...entries: readonly string[]): Files => ({
  'lexicon.yaml': entries.map((entry) => `- {kind: swap, ${entry}, examples: {${TRADED}}}\n`).join(''),
});
const accounts = (address: string): Files => ({ 'address-book/mine.txt': `${address} fund Mine\n` });

/** Mistakes that once passed without a word, with what is said of each. */
const MISTAKES: readonly (readonly [name: string, files: Files, says: string])[] = [
  ['at least none', when(`{${COUNT}, is: gte, value: 0}`), 'always_true: motif.swap.count'],
  [
    'a count at least none, in all',
    when(`{all: [{${COUNT}, is: eq, value: 1}, {fact: actor.sent.assets, is: gte, value: 0}]}`),
    'always_true: actor.sent.assets',
  ],
  [
    'a test or its opposite',
    when(`{any: [{${COUNT}, is: eq, value: 1}, {${COUNT}, is: ne, value: 1}]}`),
    'always_true',
  ],
  [
    'a switch on or off',
    when('{any: [{fact: actor.is_signer, is: true}, {fact: actor.is_signer, is: false}]}'),
    'always_true',
  ],
  [
    'below or at least',
    when(`{any: [{${COUNT}, is: lt, value: 3}, {${COUNT}, is: gte, value: 3}]}`),
    'always_true',
  ],
  [
    'one of all sides',
    when('{fact: actor.sides, is: in, value: [none, sent, received, both]}'),
    'always_true: actor.sides',
  ],
  ['not what cannot be', when(`{not: {${COUNT}, is: lt, value: 0}}`), 'always_true'],
  ['below none', when(`{${COUNT}, is: lt, value: 0}`), 'unsatisfiable: motif.swap.count lt 0'],
  [
    'a test and its opposite',
    when(`{all: [{${COUNT}, is: eq, value: 1}, {not: {${COUNT}, is: eq, value: 1}}]}`),
    'unsatisfiable',
  ],
  [
    'a part of any that cannot be',
    when(
      `{any: [{${COUNT}, is: eq, value: 1}, {all: [{fact: actor.sides, is: eq, value: sent}, {fact: actor.sides, is: eq, value: both}]}]}`,
    ),
    'unsatisfiable: this part',
  ],
  [
    'no side at all',
    when('{all: [{fact: actor.sides, is: not_in, value: [none, sent, received, both]}]}'),
    'unsatisfiable',
  ],
  [
    'rests on what must be absent',
    when(`{${COUNT}, is: eq, value: 0}`),
    'absent_kind: the conditions ask for no swap',
  ],
  [
    'rests on a kind the list lacks',
    when(
      '{all: [{fact: motifs.kinds, is: includes_none, value: [swap]}, {fact: actor.is_signer, is: true}]}',
    ),
    'absent_kind',
  ],
  [
    'requires what must be absent',
    {
      'intents/direct.yaml': INTENT.replace('rests_on: [swap]', 'requires_any: [swap]')
        .replace('value: 1}', 'value: 0}')
        .replace('proof: structural', 'proof: heuristic'),
    },
    'absent_kind',
  ],
  [
    'a family surer than the known',
    intent('known: High, family: Medium', 'known: Medium, family: High'),
    'family_above_known: High above Medium',
  ],
  [
    'a family sure, the known not',
    intent('known: High, family: Medium', 'known: Low, family: Medium'),
    'family_above_known: Medium above Low',
  ],
  [
    'a condition twice',
    when(`{all: [{${COUNT}, is: eq, value: 1}, {${COUNT}, is: eq, value: 1}]}`),
    'duplicate_item: the same test is above',
  ],
  [
    'a leg role of another kind of act',
    {
      'vocabulary.yaml': `motifs:
  swap: {title: Swap, fragment: DirectSwap, legs: [paid]}
intents:
  DirectSwap: {category: trade}
leg_roles: {in: sent, out: received, paid: sent}
account_roles: {caller: Caller.}
`,
    },
    'other_role: in; legs of a swap are paid',
  ],
  ['no leg', legs(''), 'no_leg: a swap has no leg'],
  ['only a leg that binds anything', legs('{role: in}'), 'no_leg: a swap has only legs'],
  [
    'only optional legs',
    legs('{role: in, to: $venue, amount: $amountIn, required: false}'),
    'no_leg: a swap has only legs',
  ],
  [
    'all legs optional',
    legs('{role: in, to: $venue, required: false}, {role: out, from: $venue, required: false}'),
    'no_leg',
  ],
  [
    'a reason that is not needed',
    shape('    kind: swap', '    kind: swap\n    legless: It moves nothing.'),
    'needless_legless',
  ],
  [
    'a reason of one word',
    { 'shapes/pair.yaml': SHAPE.replace(/ {4}legs:[\s\S]*$/, '    legless: Books\n') },
    'bad_format: "Books"',
  ],
  [
    'the sign of an account',
    shape('    roles:', '    when: [{left: $sender, is: gt0}]\n    roles:'),
    'bind_type: $sender is an account, which has no sign',
  ],
  [
    'the sign of another account',
    shape('    roles:', '    when: [{left: $to, is: lt0}]\n    roles:'),
    'bind_type: $to is an account',
  ],
  [
    'an account above another',
    shape('    roles:', '    when: [{left: $to, is: above, right: $sender}]\n    roles:'),
    'bind_type',
  ],
  [
    'an account equal to itself',
    shape('    roles:', '    when: [{left: $to, is: equals, right: $to}]\n    roles:'),
    'bad_when: both sides are the same',
  ],
  [
    'an account other than itself',
    shape('    roles:', '    when: [{left: $to, is: differs, right: $to}]\n    roles:'),
    'bad_when: both sides are the same',
  ],
  [
    'an account equal to a number',
    shape('    roles:', '    when: [{left: $to, is: equals, right: "5"}]\n    roles:'),
    'bind_type: an account and a number are never the same',
  ],
  [
    'a fallback as a call',
    {
      'shapes/pair.yaml': `${SHAPE}calls:\n  - {call: "fallback()", kind: swap, legs: [{role: in, from: $caller}]}\n`,
    },
    'bad_signature: fallback has no selector',
  ],
  ['a fee on no amount', legs('{role: in, to: $venue, fees: $amountIn}'), 'missing_key: fees needs amount'],
  [
    'another movement than none stated',
    legs('{role: in, to: $venue, otherwise: direction}'),
    'missing_key: otherwise needs amount',
  ],
  [
    'payments to no address',
    {
      'protocols/pairs.yaml': `${PROTOCOL.replace(/addresses.*\n/, '')}payments: {kind: swap, assets: ["${TOKEN}"]}\n`,
    },
    'missing_key: payments needs addresses',
  ],
  [
    'two examples of one name',
    intent(
      '[{facts: {motif.swap.count: 1}}]',
      '[{name: one, facts: {motif.swap.count: 1}}, {name: one, facts: {motif.swap.count: 1, actor.is_signer: true}}]',
    ),
    'duplicate_item: example one',
  ],
  ['an account as amount', legs('{role: in, to: $venue, amount: $to}'), 'bind_type'],
  [
    'the zero address',
    { 'protocols/pairs.yaml': PROTOCOL.replace(TOKEN, `0x${'0'.repeat(40)}`) },
    'no_protocol_address',
  ],
  [
    'a precompile',
    { 'protocols/pairs.yaml': PROTOCOL.replace(TOKEN, `0x${'0'.repeat(39)}1`) },
    'no_protocol_address',
  ],
  [
    'a time in place of a block',
    {
      'protocols/pairs.yaml': `${PROTOCOL}registries: [{address: "${TOKEN}", call: pools(address), since_block: 1700000000}]\n`,
    },
    'future_block: 1700000000',
  ],
  [
    'a block not made yet',
    {
      'protocols/pairs.yaml': `${PROTOCOL}registries: [{address: "${TOKEN}", call: pools(address), since_block: 24000000}]\n`,
    },
    'future_block',
  ],
  [
    'a block of the multicall to come',
    {
      'entities/base.yaml': (SMALL['entities/base.yaml'] as string).replace(
        'since_block: 5',
        'since_block: 99999999',
      ),
    },
    'future_block: 99999999',
  ],
  [
    'an address book with a wrong checksum',
    accounts('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756cC2'),
    'bad_line',
  ],
  ['an address book with a short address', accounts('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756c'), 'bad_line'],
  [
    'a lexicon entry behind the same words',
    behind('flow: any, names: [trade]', 'flow: sent, names: [trade]'),
    'hidden_entry: Traded(uint256 pool, address who): taken first at',
  ],
  [
    'a lexicon entry behind fewer words',
    behind('flow: sent, names: [trade]', 'flow: sent, names: [trade, trade now]'),
    'hidden_entry',
  ],
  [
    'a lexicon entry behind another form',
    behind('flow: any, names: [trades]', 'flow: received, names: [traded]'),
    'hidden_entry',
  ],
  [
    'a lexicon entry with an argument, behind one without',
    behind('flow: sent, names: [trade]', 'flow: sent, names: [trade], args: [pool]'),
    'hidden_entry',
  ],
  [
    'a lexicon entry of one asset behind all',
    behind('flow: sent, names: [trade]', 'flow: sent, names: [trade], assets: nft'),
    'hidden_entry',
  ],
  [
    'a lexicon entry without its own words',
    lexicon('names: [trade], without: [trade]', ['Traded(address who)'], ['Stake(address trade)']),
    'bad_example: Traded(address who) has none of the words',
  ],
  [
    'a lexicon near miss that matches',
    lexicon('names: [trade]', ['Traded(address who)'], ['TradeCancelled(address who)']),
    'bad_example: TradeCancelled(address who) matches, though it should not',
  ],
  [
    'a lexicon near miss from far away',
    lexicon('names: [trade]', ['Traded(address who)'], ['Paused(address who)']),
    'trivial_near_miss: Paused(address who) shares no word with the entry',
  ],
  [
    'a lexicon leg against the flow',
    lexicon('names: [trade], leg: out', ['Traded(address who)'], ['Cancel(address trade)']),
    'bad_value: a leg out is received, the flow is sent',
  ],
  [
    'two names of one address',
    { 'address-book/mine.txt': `${OTHER} fund Mine\n${OTHER} fund Yours\n` },
    'bad_line',
  ],
  [
    'pools of no code',
    {
      'protocols/pairs.yaml': `${PROTOCOL}create2: {deployer: "${TOKEN}", init_code_hash: "${NO_CODE}", salt: packed}\n`,
    },
    'bad_create2: the hash of no code',
  ],
  ['a recording cut short', { 'recordings/one.json': '{"rpc": {' }, 'broken_recording: no JSON'],
  ['a recording that is a page', { 'recordings/one.json': '<html></html>' }, 'broken_recording'],
  ['a recording of nothing', { 'recordings/one.json': '' }, 'broken_recording'],
  [
    'a tag misspelt',
    shape('    roles:', '    tags: [defered]\n    roles:'),
    'unknown_tag: defered (did you mean deferred?)',
  ],
  [
    'a tag with a letter lost',
    shape('    roles:', '    tags: [per_aset]\n    roles:'),
    'unknown_tag: per_aset (did you mean per_asset?)',
  ],
  [
    'a tag in the plural',
    shape('    roles:', '    tags: [details]\n    roles:'),
    'unknown_tag: details (did you mean detail?)',
  ],
  [
    'a tag of the actor misspelt',
    shape('    roles:', '    tags: [relayd]\n    roles:'),
    'unknown_tag: relayd (did you mean relayed?)',
  ],
  [
    'an account tag misspelt',
    {
      'entities/base.yaml': (SMALL['entities/base.yaml'] as string).replace(
        'tags: [multicall]',
        'tags: [multicall, never_elct]',
      ),
    },
    'unknown_tag: never_elct (did you mean never_elect?)',
  ],
  [
    'a protocol tag misspelt',
    { 'protocols/pairs.yaml': `${PROTOCOL}tags: [agregator]\n` },
    'unknown_tag: agregator (did you mean aggregator?)',
  ],
  ['the ending of other tools', { 'shapes/other.yml': SHAPE }, 'unknown_file: the ending is .yaml, not .yml'],
  [
    'the ending of other tools at the top',
    { 'vocabulary.yml': 'motifs: {}' },
    'unknown_file: vocabulary.yml (did you mean vocabulary.yaml?)',
  ],
  [
    'two documents in a file',
    intent('slug: direct', '---\nslug: direct\n---'),
    'broken_yaml: a file is one document',
  ],
  ['a label over two lines', intent('label: Swap', 'label: "Swap\\nnow"'), 'bad_format: a label is one line'],
  [
    'a label that turns its text around',
    intent('label: Swap', 'label: "Swap\\u202e now"'),
    'bad_format: a label is one line',
  ],
  [
    'a segment that is always there',
    intent('label: Swap', 'label: "Swap[ now]"'),
    'bad_format: a segment in brackets has a placeholder',
  ],
  [
    'a label that ends with a blank',
    intent('label: Swap', 'label: "Swap "'),
    'bad_format: a label is one line',
  ],
  [
    'a label that begins with a blank',
    intent('label: Swap', 'label: " Swap"'),
    'bad_format: a label is one line',
  ],
];

/** As before, in an overlay of the small ruleset. */
const OVERLAID: readonly (readonly [name: string, files: Files, says: string])[] = [
  [
    'a motif kind that nothing uses',
    { 'vocabulary.yaml': 'motifs: {harvest: {title: Harvest}}\n' },
    'unused_word: harvest',
  ],
  [
    'a role that nothing uses',
    { 'vocabulary.yaml': 'account_roles: {farmer: Who farms.}\n' },
    'unused_word: farmer',
  ],
  [
    'a leg role that nothing uses',
    { 'vocabulary.yaml': 'leg_roles: {fruit: received}\n' },
    'unused_word: fruit',
  ],
  ['a list that nothing uses', { 'vocabulary.yaml': 'lists: {ways: [sent, both]}\n' }, 'unused_word: ways'],
  [
    'a selector of another function',
    { 'signatures/functions.txt': 'deadbeef transfer(address,uint256)\n' },
    'bad_line: deadbeef',
  ],
  [
    'a topic of another event',
    { 'signatures/events.txt': 'deadbeef Transfer(address,address,uint256)\n' },
    'bad_line: deadbeef',
  ],
  [
    'a listed token as a protocol',
    {
      'protocols/mine.yaml': PROTOCOL.replace('slug: pairs', 'slug: mine')
        .replace('name: Pairs', 'name: Mine')
        .replace(TOKEN, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    },
    'no_protocol_address: it is the listed token USDC',
  ],
];
const USDC: Files = {
  'entities/tokens.yaml':
    'slug: tokens\nversion: 1\nstatus: stable\nkind: tokens\nsummary: Tokens.\nreferences: [https://example.org]\ntokens: [{symbol: USDC, addresses: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]}]\n',
};

const DRAWN = '[{name: sold, transaction: {to: venue, value: 1}, expect: {intent: DirectSwap, label: Swap}}]';
/** A sound shape, protocol and intent of an overlay; what `from` is becomes `to` in each. */
const mine = (from: string | RegExp, to: string): Files => {
  const files = {
    'shapes/mine.yaml': SHAPE.replace('slug: pair', 'slug: mine')
      .replace('Swap(address indexed sender', 'Sold(address indexed sender')
      .replace('{caller: $sender}', '{owner: $sender}'),
    'protocols/mine.yaml': PROTOCOL.replace('slug: pairs', 'slug: mine')
      .replace('name: Pairs', 'name: Mine')
      .replace('[pair]', '[mine]')
      .replace(TOKEN, '0x10f9fb13664298Af67ee6178583B7ce95F091104'),
    'intents/mine.yaml': INTENT.replace('slug: direct', 'slug: mine\npriority: 9')
      .replace('is: eq, value: 1', 'is: gte, value: 7')
      .replace('[{facts: {motif.swap.count: 1}}]', DRAWN)
      .replace('count: 2', 'count: 6'),
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(from, to)]));
};
const OUT = '{role: out, from: $venue, amount: $amountOut}';
const FACTORY = '0x10f9fb13664298Af67ee6178583B7ce95F091104';
const MADE = `created_by: [{deployer: "${FACTORY}", count: 3}]\n`;

/** What is sound in an overlay and proves less than it seems. */
const WEAK: readonly (readonly [name: string, files: Files, says: string])[] = [
  [
    'another amount',
    mine('amount: $amountOut', 'amount: $amountOut, otherwise: direction'),
    'weak_proof: another',
  ],
  [
    "the event's word",
    mine('amount: $amountOut', 'amount: $amountOut, match: stated'),
    'weak_proof: nothing has',
  ],
  ['all without amount', mine('amount: $amountOut', 'pick: all'), 'weak_proof: every movement fits'],
  ['no amount', mine(', amount: $amountOut', ''), 'weak_proof: any amount fits'],
  ['no account', mine(OUT, '{role: out, amount: $amountOut}'), "weak_proof: anybody's movement fits"],
  ['the signer as owner', mine('{owner: $sender}', '{owner: $signer}'), 'weak_proof: $signer need not be'],
  ['the contract as owner', mine('{owner: $sender}', '{owner: $venue}'), 'weak_proof: the contract itself'],
  ['an id as amount', mine(/amountOut/g, 'lotId'), 'weak_proof: $lotId is no amount by its name'],
  ['a time as amount', mine(/amountOut/g, 'deadline'), 'weak_proof: $deadline is no amount by its name'],
  [
    'a leg against its role',
    mine(OUT, '{role: out, to: $venue, amount: $amountOut}'),
    'leg_direction: what is out',
  ],
  [
    'the other leg too',
    mine('role: in, to: $venue', 'role: in, from: $venue'),
    'leg_direction: what is in is sent',
  ],
  ['an event of another family', mine('Sold(', 'Swap('), 'shared_event: pair has it too'],
  [
    'an event of every token',
    mine(
      /Sold\(.*?\)/,
      'Transfer(address indexed sender, address indexed to, uint256 amountOut, uint256 amountIn)',
    ),
    'shared_event: every token has it too',
  ],
  [
    'a branch without the motif',
    mine(
      /when:.*/,
      'when: {any: [{fact: motif.swap.count, is: gte, value: 7}, {fact: actor.sides, is: eq, value: both}]}',
    ),
    'weak_proof: it may hold without swap',
  ],
  ['only what is not there', mine(/when: (.*)/, 'when: {not: $1}'), 'weak_proof: it may hold without swap'],
  ['facts alone', mine(DRAWN, '[{facts: {motif.swap.count: 7}}]'), 'weak_example: facts alone'],
  ['no expectation', mine(/, expect: \{intent: [^}]*\}/, ''), 'weak_example: it states no label'],
  ['text to do', mine('summary: A pair.', 'summary: TODO say what it is'), 'draft_text: TODO'],
  [
    'a rule of other acts superseded',
    {
      ...mine('priority: 9', 'supersedes: [direct]'),
      'vocabulary.yaml': 'motifs: {loan: {title: Loan}}\n',
      'intents/loan.yaml': INTENT.replace('slug: direct', 'slug: loan\nsupersedes: [direct]\npriority: 5')
        .replace('[swap]', '[loan]')
        .replace(/motif\.swap/g, 'motif.loan'),
    },
    'odd_supersedes: direct is of swap',
  ],
  ['the deployer of another', mine(/addresses: .*\n/, MADE), 'shared_maker: what it made is of makers'],
];

describe('mistakes that would pass in silence', () => {
  const base = SMALL['vocabulary.yaml'] as string;
  const trade = {
    'vocabulary.yaml': base.replace('fragment: DirectSwap}', 'fragment: DirectSwap, trade: swap}'),
  };

  it('are 60', () => expect(MISTAKES.length + OVERLAID.length).toBeGreaterThanOrEqual(60));

  it('are none in the ruleset they are made in', () =>
    expect(said([writeRuleset(SMALL, trade)])).toEqual([]));

  it.each(MISTAKES)('%s', (_, files, says) => {
    const found = said([writeRuleset(SMALL, trade, files)]);
    expect(
      found.filter((line) => line.includes(says)),
      found.join('\n'),
    ).not.toEqual([]);
  });

  it.each(OVERLAID)('%s', (_, files, says) => {
    const found = said([writeRuleset(SMALL, trade, USDC), writeRuleset(files)]);
    expect(
      found.filter((line) => line.includes(says)),
      found.join('\n'),
    ).not.toEqual([]);
  });

  const makers: Files = {
    'protocols/makers.yaml': `${PROTOCOL.replace('slug: pairs', 'slug: makers')
      .replace('name: Pairs', 'name: Makers')
      .replace(/addresses.*\n/, '')}${MADE}`,
  };
  const warned = (files: Files): string[] => {
    // What acts of anybody fulfil is a slip of its own.
    const owned = Object.entries(files).map(([path, text]) => [
      path,
      String(text).replaceAll('motif.swap.count', 'motif.swap.own'),
    ]);
    const dirs = [writeRuleset(SMALL, trade, makers), writeRuleset(Object.fromEntries(owned) as Files)];
    const motifFacts: typeof FACTS.motifFacts = (kind) => [
      ...FACTS.motifFacts(kind),
      { name: `motif.${kind}.own`, type: 'count', doc: '' },
    ];
    const facts = { ...FACTS, motifFacts };
    const { problems, warnings } = readRuleset(dirs, { facts, examples: true, now: NOW });
    return [...problems, ...warnings].map(({ code, message }) => `${code}: ${message}`);
  };

  it('says nothing of an overlay that proves what it says', () =>
    expect(warned(mine('none', ''))).toEqual([]));

  it.each(WEAK)('%s', (_, files, says) => {
    const found = warned(files);
    expect(
      found.filter((line) => line.includes(says)),
      found.join('\n'),
    ).not.toEqual([]);
  });

  it('an overlay without its base, once', () => {
    const found = said([writeRuleset({ 'shapes/pair.yaml': SHAPE, 'protocols/pairs.yaml': PROTOCOL })]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('is an overlay, and its base is missing: set RULES_DIR=');
  });
});
