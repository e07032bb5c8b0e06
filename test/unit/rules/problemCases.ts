import { INTENT, OTHER, PROTOCOL, SHAPE, SMALL, TOKEN, type Files } from './smallRuleset.ts';
import type { ProblemCode } from '../../../src/rules/read/problems.ts';

export interface ProblemCase {
  readonly code: ProblemCode;
  readonly files: Files;
  /** `file:line:column` where the problem is shown. */
  readonly at: string;
}

const shape = (from: string | RegExp, to: string): Files => ({ 'shapes/pair.yaml': SHAPE.replace(from, to) });
const protocol = (from: string | RegExp, to: string): Files => ({
  'protocols/pairs.yaml': PROTOCOL.replace(from, to),
});
const intent = (from: string | RegExp, to: string): Files => ({
  'intents/direct.yaml': INTENT.replace(from, to),
});
const when = (condition: string): Files => intent('{fact: motif.swap.count, is: eq, value: 1}', condition);
const base = (file: string, from: string | RegExp, to: string): Files => ({
  [file]: (SMALL[file] as string).replace(from, to),
});
const entity = (body: string): Files => ({
  'entities/more.yaml': `slug: more\nversion: 1\nstatus: stable\nsummary: More.\nreferences: [https://example.org]\n${body}`,
});
const rate = (amount: string, per: string): string =>
  `kind: rates\nrates:\n  - {name: Wrapper, method: wrapper, tokens: issued, terms: [{asset: native, ${amount}}], ${per}}`;
const second = (from: string | RegExp, to: string): Files => ({
  'intents/second.yaml': INTENT.replace('slug: direct', 'slug: second').replace(from, to),
});
const I = 'intents/direct.yaml';
const S = 'shapes/pair.yaml';
const P = 'protocols/pairs.yaml';
const M = 'entities/more.yaml';

/** At least one bad ruleset per code. */
export const PROBLEM_CASES: readonly ProblemCase[] = [
  { code: 'missing_file', files: { 'precedence.yaml': null }, at: 'precedence.yaml:1:1' },
  { code: 'unknown_file', files: { 'intents/direct.yaml.bak': 'x' }, at: 'intents/direct.yaml.bak:1:1' },
  { code: 'unknown_file', files: { 'rules/direct.yaml': 'x: 1' }, at: 'rules/direct.yaml:1:1' },
  {
    code: 'file_too_large',
    files: { 'intents/big.yaml': `# ${'x'.repeat(300_000)}` },
    at: 'intents/big.yaml:1:1',
  },
  {
    code: 'not_utf8',
    files: { 'intents/latin.yaml': new Uint8Array([0x73, 0x6c, 0xe9, 0x0a]) },
    at: 'intents/latin.yaml:1:1',
  },
  { code: 'control_character', files: intent('label: Swap', 'label: Sw\u202eap'), at: `${I}:5:10` },

  { code: 'broken_yaml', files: intent('label: Swap', 'label: [Swap'), at: `${I}:6:1` },
  { code: 'tab_indent', files: intent('  match:', '\tmatch:'), at: `${I}:11:1` },
  { code: 'duplicate_key', files: intent('label: Swap', 'label: Swap\nlabel: Swop'), at: `${I}:6:1` },
  { code: 'yaml_alias', files: intent('label: Swap', 'label: &a Swap\nlabel_fallback: *a'), at: `${I}:5:11` },
  { code: 'yaml_alias', files: when('{<<: {fact: motif.swap.count}, is: eq, value: 1}'), at: `${I}:7:8` },
  { code: 'yaml_tag', files: intent('version: 1', 'version: !!int 1'), at: `${I}:2:16` },
  {
    code: 'too_deep',
    files: when(`${'{not: '.repeat(60)}{fact: actor.is_signer, is: true}${'}'.repeat(60)}`),
    at: `${I}:7:247`,
  },
  { code: 'too_deep', files: { 'intents/deep.yaml': '['.repeat(100_000) }, at: 'intents/deep.yaml:1:42' },
  {
    code: 'reserved_key',
    files: intent('label: Swap', 'label: Swap\n__proto__: {polluted: true}'),
    at: `${I}:6:1`,
  },
  { code: 'unquoted_hex', files: protocol(`"${TOKEN}"`, TOKEN), at: `${P}:6:13` },
  {
    code: 'unsafe_number',
    files: when('{fact: actor.received.assets, is: eq, value: 9007199254740993}'),
    at: `${I}:7:52`,
  },
  { code: 'empty_file', files: { 'intents/empty.yaml': '# nothing\n' }, at: 'intents/empty.yaml:1:1' },

  {
    code: 'bad_line',
    files: { 'signatures/events.txt': '# by hand\nTransfer(address from\n' },
    at: 'signatures/events.txt:2:1',
  },
  {
    code: 'bad_line',
    files: { 'address-book/mine.txt': `${TOKEN} token Wrapped Ether\n${TOKEN}\n` },
    at: 'address-book/mine.txt:2:1',
  },

  { code: 'unknown_key', files: intent('label: Swap', 'label: Swap\nlable: Swap'), at: `${I}:6:1` },
  { code: 'missing_key', files: intent('label: Swap\n', ''), at: `${I}:1:1` },
  { code: 'missing_key', files: { [I]: '{}' }, at: `${I}:1:1` },
  { code: 'missing_key', files: when('{fact: actor.received.assets, is: eq}'), at: `${I}:7:7` },
  { code: 'wrong_type', files: intent('rests_on: [swap]', 'rests_on: swap'), at: `${I}:6:11` },
  { code: 'bad_version', files: intent('version: 1', 'version: 1.5'), at: `${I}:2:10` },
  { code: 'bad_version', files: intent('version: 1', 'version: 0'), at: `${I}:2:10` },
  { code: 'bad_value', files: intent('proof: structural', 'proof: certain'), at: `${I}:8:8` },
  { code: 'bad_format', files: intent('slug: direct', 'slug: Direct Swap'), at: `${I}:1:7` },
  { code: 'too_long', files: intent('label: Swap', `label: ${'Swap '.repeat(40)}`), at: `${I}:5:8` },
  { code: 'empty_list', files: protocol(/addresses.*\n/, 'addresses: []\n'), at: `${P}:6:12` },
  { code: 'empty_list', files: when('{fact: actor.sides, is: in, value: []}'), at: `${I}:7:42` },
  { code: 'duplicate_item', files: intent('[swap]', '[swap, swap]'), at: `${I}:6:11` },
  { code: 'empty_legs', files: shape(/legs:\n.*\n.*\n/, 'legs: []\n'), at: `${S}:11:11` },
  { code: 'empty_condition', files: when('{all: []}'), at: `${I}:7:13` },
  { code: 'empty_condition', files: when('{any: [{all: []}]}'), at: `${I}:7:20` },
  {
    code: 'mixed_condition',
    files: when('{all: [{fact: actor.is_signer, is: true}], any: [{fact: actor.is_signer, is: true}]}'),
    at: `${I}:7:7`,
  },
  {
    code: 'mixed_condition',
    files: when('{all: [{fact: actor.is_signer, is: true}], fact: actor.is_signer, is: true}'),
    at: `${I}:7:7`,
  },
  {
    code: 'unknown_operator',
    files: when('{fact: actor.received.assets, is: equals, value: 1}'),
    at: `${I}:7:41`,
  },
  {
    code: 'unsupported_engine',
    files: base('ruleset.yaml', 'engine: 1', 'engine: 2'),
    at: 'ruleset.yaml:3:9',
  },

  { code: 'bad_address', files: protocol(TOKEN, TOKEN.slice(0, 30)), at: `${P}:6:13` },
  { code: 'bad_checksum', files: protocol(TOKEN, TOKEN.toLowerCase()), at: `${P}:6:13` },
  {
    code: 'bad_checksum',
    files: shape('to: $venue', `to: "${TOKEN.replace('C02a', 'c02a')}"`),
    at: `${S}:12:24`,
  },
  {
    code: 'duplicate_address',
    files: { 'protocols/other.yaml': PROTOCOL.replace('slug: pairs', 'slug: other') },
    at: `${P}:6:13`,
  },
  {
    code: 'duplicate_address',
    files: entity(`kind: accounts\naccounts: [{slug: twin, name: Twin, address: "${OTHER}"}]`),
    at: `${M}:7:46`,
  },
  {
    code: 'unknown_signature',
    files: shape('any_emitter', 'unconfirmed: ["Sync()"]\nany_emitter'),
    at: `${S}:6:15`,
  },
  {
    code: 'unknown_asset',
    files: when('{fact: flow.classes, is: includes, value: stabelcoin}'),
    at: `${I}:7:49`,
  },
  {
    code: 'unknown_category',
    files: base('vocabulary.yaml', 'Unknown: {category: unknown}', 'Unknown: {category: option}'),
    at: 'vocabulary.yaml:5:23',
  },
  {
    code: 'shadowed_meaning',
    files: { 'shapes/zwin.yaml': SHAPE.replace('slug: pair', 'slug: zwin').replace('$sender}', '$to}') },
    at: 'shapes/zwin.yaml:9:11',
  },
  {
    // One of the two is also spoken elsewhere, but a contract of both would have its acts told as the other kind.
    code: 'shadowed_meaning',
    files: {
      'vocabulary.yaml': SMALL['vocabulary.yaml']!.toString().replace(
        /^(  swap: .*)$/m,
        '$1\n  deposit: {title: Deposit}',
      ),
      'shapes/zwin.yaml': SHAPE.replace('slug: pair', 'slug: zwin').replace('kind: swap', 'kind: deposit'),
      'protocols/pairs.yaml': PROTOCOL.replace('[pair]', '[pair, zwin]'),
      'protocols/second.yaml': PROTOCOL.replace('slug: pairs', 'slug: second')
        .replace('name: Pairs', 'name: Others')
        .replace('[pair]', '[zwin]')
        .replace(TOKEN, OTHER),
    },
    at: 'shapes/zwin.yaml:9:11',
  },
  {
    code: 'unfillable_placeholder',
    files: intent('label: Swap', 'label: "Swap[ of {role.owner}][ by {arg.nobody}]"\nlabel_fallback: Swap'),
    at: `${I}:5:8`,
  },
  {
    code: 'amount_of_all',
    files: intent('label: Swap', 'label: "Swap[ {gave}][ for {received}]"\nlabel_fallback: Swap'),
    at: `${I}:5:8`,
  },
  {
    code: 'impossible_facts',
    files: intent('{facts: {motif.swap.count: 1}}', '{facts: {actor.sides: none, actor.sent.assets: 1}}'),
    at: `${I}:11:19`,
  },
  {
    code: 'skipped_example',
    files: {
      'intents/direct.yaml': INTENT.replace('rests_on: [swap]', 'rests_on: [swap]\nrequires_any: [swap]')
        .replace(
          '{fact: motif.swap.count, is: eq, value: 1}',
          '{any: [{fact: motif.swap.count, is: eq, value: 1}, {fact: actor.is_signer, is: true}]}',
        )
        .replace('{facts: {motif.swap.count: 1}}', '{facts: {actor.is_signer: true}}')
        .replace('{facts: {motif.swap.count: 2}}', '{facts: {motif.swap.count: 2, actor.is_signer: false}}'),
    },
    at: `${I}:12:19`,
  },
  {
    code: 'trivial_near_miss',
    files: {
      'intents/direct.yaml': INTENT.replace(
        '{fact: motif.swap.count, is: eq, value: 1}',
        '{all: [{fact: motif.swap.count, is: eq, value: 1}, {fact: actor.is_signer, is: true}, {fact: actor.sides, is: eq, value: both}, {fact: tx.tags, is: includes, value: a}]}',
      ),
    },
    at: `${I}:12:23`,
  },
  {
    code: 'foreign_address',
    files: {
      'shapes/second.yaml': SHAPE.replace('slug: pair', 'slug: second').replace('Swap(', 'Swop('),
      'protocols/second.yaml': PROTOCOL.replace('slug: pairs', 'slug: second')
        .replace('name: Pairs', 'name: Others')
        .replace('[pair]', '[second]'),
    },
    at: 'protocols/second.yaml:6:13',
  },
  { code: 'unknown_list', files: intent('rests_on: [swap]', 'rests_on: [$trades]'), at: `${I}:6:12` },
  { code: 'duplicate_slug', files: second('slug: second', 'slug: direct'), at: 'intents/second.yaml:1:7' },
  {
    code: 'override_of_nothing',
    files: intent('label: Swap', 'label: Swap\noverride: true'),
    at: `${I}:6:11`,
  },
  {
    code: 'unknown_replacement',
    files: intent('status: stable', 'status: deprecated\nreplaced_by: nobody'),
    at: `${I}:4:14`,
  },
  {
    code: 'unknown_replacement',
    files: intent('label: Swap', 'label: Swap\nsupersedes: [nobody]'),
    at: `${I}:6:14`,
  },
  {
    code: 'deprecated_without_replacement',
    files: intent('status: stable', 'status: deprecated'),
    at: `${I}:3:9`,
  },
  {
    code: 'replacement_without_deprecation',
    files: {
      ...intent('label: Swap', 'label: Swap\nreplaced_by: second'),
      ...second('{fact: motif.swap.count, is: eq, value: 1}', '{fact: actor.is_signer, is: true}'),
    },
    at: `${I}:6:14`,
  },
  {
    code: 'supersedes_cycle',
    files: {
      ...intent('label: Swap', 'label: Swap\nsupersedes: [second]'),
      ...second('label: Swap', 'label: Swap\nsupersedes: [direct]'),
    },
    at: `${I}:6:14`,
  },

  { code: 'bad_signature', files: shape('uint256 amountIn', 'uint7 amountIn'), at: `${S}:8:12` },
  { code: 'bad_signature', files: shape('address indexed to)', 'address indexed to'), at: `${S}:8:12` },
  { code: 'too_many_indexed', files: shape(/uint256 amount/g, 'uint256 indexed amount'), at: `${S}:8:12` },
  { code: 'duplicate_param', files: shape('uint256 amountOut', 'uint256 amountIn'), at: `${S}:8:12` },
  { code: 'unknown_param', files: shape('amount: $amountIn', 'amount: $amountInn'), at: `${S}:12:40` },
  { code: 'unknown_param', files: shape('caller: $sender', 'caller: $sender.owner'), at: `${S}:10:21` },
  { code: 'unknown_bind', files: shape('amount: $amountIn', 'amount: half($amountIn)'), at: `${S}:12:40` },
  { code: 'bind_out_of_scope', files: shape('caller: $sender', 'caller: $caller'), at: `${S}:10:21` },
  { code: 'param_shadows_word', files: { [S]: SHAPE.replaceAll('sender', 'signer') }, at: `${S}:10:21` },
  { code: 'bind_type', files: shape('caller: $sender', 'caller: abs($amountIn)'), at: `${S}:10:21` },
  { code: 'unknown_leg', files: shape('to: $venue', 'to: $leg.out.from'), at: `${S}:12:24` },
  {
    code: 'duplicate_leg',
    files: shape(
      '{role: out, from: $venue, amount: $amountOut}',
      '{role: in, to: $venue, amount: $amountIn}',
    ),
    at: `${S}:13:9`,
  },
  { code: 'unknown_role', files: shape('caller: $sender', 'callr: $sender'), at: `${S}:10:13` },
  { code: 'unknown_role', files: shape('role: in', 'role: inn'), at: `${S}:12:16` },
  {
    code: 'bad_when',
    files: shape('    legs:', '    when: [{left: $sender, is: equals}]\n    legs:'),
    at: `${S}:11:12`,
  },
  {
    code: 'stated_without_amount',
    files: shape('to: $venue, amount: $amountIn', 'to: $venue, match: stated'),
    at: `${S}:12:9`,
  },
  {
    code: 'misplaced_leg_key',
    files: shape('amount: $amountIn', 'amount: $amountIn, match: stated, pick: all'),
    at: `${S}:12:66`,
  },
  {
    code: 'duplicate_meaning',
    files: { 'shapes/twin.yaml': SHAPE.replace('slug: pair', 'slug: twin') },
    at: 'shapes/twin.yaml:8:12',
  },
  {
    code: 'mixed_depth',
    files: shape(
      /events:[\s\S]*/,
      'calls:\n  - {call: "claim(address a)", kind: swap, depth: root}\n  - {call: "claim(address b)", kind: swap}\n',
    ),
    at: `${S}:9:5`,
  },
  {
    code: 'unused_shape',
    files: { ...shape('any_emitter: true', 'any_emitter: false'), 'protocols/pairs.yaml': null },
    at: `${S}:1:7`,
  },
  { code: 'unknown_shape', files: protocol('[pair]', '[pear]'), at: `${P}:5:10` },
  {
    code: 'protocol_without_emitter',
    files: { ...shape('any_emitter: true', 'any_emitter: false'), ...protocol(/addresses.*\n/, '') },
    at: `${P}:1:7`,
  },
  {
    code: 'bad_create2',
    files: protocol(
      /addresses.*\n/,
      `create2: {deployer: "${TOKEN}", init_code_hash: "0x${'ab'.repeat(32)}", salt: abi_fee}\n`,
    ),
    at: `${P}:6:159`,
  },
  {
    code: 'bad_creation',
    files: protocol(
      /addresses.*\n/,
      `created_by: [{deployer: "${TOKEN}", count: 3, salt: "0x${'ab'.repeat(32)}"}]\n`,
    ),
    at: `${P}:6:14`,
  },
  {
    code: 'bad_registry',
    files: protocol(
      /addresses.*\n/,
      `registries: [{address: "${TOKEN}", call: "getPair(address a, address b)", since_block: 1}]\n`,
    ),
    at: `${P}:6:76`,
  },

  { code: 'duplicate_kind', files: {}, at: 'overlay/vocabulary.yaml:1:10' },
  {
    code: 'leg_side',
    files: base('vocabulary.yaml', 'in: sent', 'in: received'),
    at: 'vocabulary.yaml:7:17',
  },
  { code: 'unknown_motif_kind', files: shape('kind: swap', 'kind: swop'), at: `${S}:9:11` },
  {
    code: 'unknown_intent_kind',
    files: intent('intent: DirectSwap', 'intent: IndirectSwap'),
    at: `${I}:4:9`,
  },
  {
    code: 'unknown_intent_kind',
    files: base('precedence.yaml', 'Part]', 'Part, Whole]'),
    at: 'precedence.yaml:1:36',
  },
  { code: 'unranked_intent', files: base('precedence.yaml', ', Part', ''), at: 'vocabulary.yaml:6:3' },
  {
    code: 'duplicate_rank',
    files: base('precedence.yaml', 'Part]', 'Part, Unknown]'),
    at: 'precedence.yaml:1:36',
  },

  { code: 'unknown_fact', files: when('{fact: actor.sent.lane, is: eq, value: 1}'), at: `${I}:7:14` },
  {
    code: 'unknown_fact',
    files: intent('match: [{facts: {motif.swap.count: 1}}]', 'match: [{facts: {motif.swop.count: 1}}]'),
    at: `${I}:11:20`,
  },
  { code: 'fact_operator', files: when('{fact: actor.sides, is: gt, value: 1}'), at: `${I}:7:31` },
  { code: 'fact_operator', files: when('{fact: actor.received.assets, is: true}'), at: `${I}:7:41` },
  { code: 'fact_value', files: when('{fact: actor.received.assets, is: eq, value: one}'), at: `${I}:7:52` },
  { code: 'fact_value', files: when('{fact: actor.sides, is: eq, value: neither}'), at: `${I}:7:42` },
  { code: 'fact_value', files: when('{fact: actor.sides, is: in, value: both}'), at: `${I}:7:42` },
  {
    code: 'unsatisfiable',
    files: when(
      '{all: [{fact: actor.received.assets, is: eq, value: 1}, {fact: actor.received.assets, is: eq, value: 2}]}',
    ),
    at: `${I}:7:7`,
  },
  {
    code: 'unsatisfiable',
    files: when(
      '{all: [{fact: actor.received.assets, is: gt, value: 1}, {fact: actor.received.assets, is: lt, value: 2}]}',
    ),
    at: `${I}:7:7`,
  },
  {
    code: 'unsatisfiable',
    files: when(
      '{all: [{fact: motifs.kinds, is: includes, value: swap}, {not: {fact: motifs.kinds, is: includes_any, value: [swap]}}]}',
    ),
    at: `${I}:7:7`,
  },
  {
    code: 'unsatisfiable',
    files: when(
      '{all: [{fact: actor.is_signer, is: true}, {any: [{fact: actor.is_signer, is: false}, {fact: actor.received.assets, is: lt, value: 0}]}]}',
    ),
    at: `${I}:7:7`,
  },
  {
    code: 'shadowed_rule',
    files: second(
      '{fact: motif.swap.count, is: eq, value: 1}',
      '{all: [{fact: motif.swap.count, is: eq, value: 1}, {fact: actor.is_signer, is: true}]}\npriority: -1',
    ),
    at: 'intents/second.yaml:7:7',
  },
  {
    code: 'shadowed_rule',
    files: second(/when: .*/, 'when: {fact: motif.swap.count, is: in, value: [1]}'),
    at: 'intents/second.yaml:7:7',
  },
  {
    code: 'unknown_placeholder',
    files: intent('label: Swap', 'label: "Swap {gift}"\nlabel_fallback: Swap'),
    at: `${I}:5:8`,
  },
  { code: 'missing_fallback', files: intent('label: Swap', 'label: "Swap {sent}"'), at: `${I}:5:8` },
  {
    code: 'unknown_protocol',
    files: when('{fact: motifs.protocols, is: includes, value: paris}'),
    at: `${I}:7:53`,
  },
  {
    code: 'unknown_tag',
    files: when('{fact: motifs.tags, is: includes_any, value: [structural, structral]}'),
    at: `${I}:7:65`,
  },
  { code: 'unknown_tag', files: when('{fact: actor.tags, is: includes, value: ruoter}'), at: `${I}:7:47` },
  {
    code: 'unknown_motif_kind',
    files: when('{fact: motifs.kinds, is: includes_any, value: [swap, swpa]}'),
    at: `${I}:7:60`,
  },
  {
    code: 'unspoken_kind',
    files: when('{fact: actor.sides, is: eq, value: both}'),
    at: `${I}:6:12`,
  },
  {
    code: 'bad_example',
    files: intent(
      '{facts: {motif.swap.count: 1}}',
      '{transaction: {to: pool, call: "swap(uint256)", args: [one]}}',
    ),
    at: `${I}:11:66`,
  },
  { code: 'missing_example', files: intent(/ {2}near_miss.*\n/, ''), at: `${I}:11:3` },
  {
    code: 'duplicate_example',
    files: intent('motif.swap.count: 2', 'motif.swap.count: 1'),
    at: `${I}:12:15`,
  },
  {
    code: 'experimental_structural',
    files: intent('status: stable', 'status: experimental'),
    at: `${I}:8:8`,
  },
  { code: 'structural_without_basis', files: intent('rests_on', 'requires_any'), at: `${I}:8:8` },

  { code: 'bad_entity', files: entity('kind: feeds\nerrors: ["A()"]'), at: `${M}:7:1` },
  {
    code: 'multicall_count',
    files: base('entities/base.yaml', ', tags: [multicall], since_block: 5', ''),
    at: 'ruleset.yaml:1:1',
  },
  {
    code: 'no_wrapped_native',
    files: base('entities/base.yaml', 'kind: wrapped_native', 'kind: accounts'),
    at: 'ruleset.yaml:1:1',
  },
  {
    code: 'duplicate_feed',
    files: entity(
      `kind: feeds\nfeeds:\n  - {asset: native, feed: "${TOKEN}", decimals: 8, heartbeat: 60}\n  - {asset: native, feed: "${OTHER}", decimals: 8, heartbeat: 60}`,
    ),
    at: `${M}:9:13`,
  },
  {
    code: 'duplicate_feed',
    files: entity(
      `kind: rates\nrates:\n${['A', 'B'].map((name) => `  - {name: ${name}, method: wrapper, tokens: ["${TOKEN}"], terms: [{asset: native, amount: rate()}], per: "1"}`).join('\n')}`,
    ),
    at: `${M}:9:40`,
  },
  { code: 'missing_source', files: shape('source: a package\n', ''), at: `${S}:8:12` },
  { code: 'bad_rate', files: entity(rate('amount: rate()', 'per: "0"')), at: `${M}:8:101` },
  { code: 'bad_rate', files: entity(rate('amount: "5", word: 1', 'per: "1"')), at: `${M}:8:97` },
  { code: 'bad_rate', files: entity(rate(`amount: rate(${'9'.repeat(78)})`, 'per: "1"')), at: `${M}:8:86` },
  {
    code: 'bad_rate',
    files: entity(
      `kind: averages\naverages:\n  - {protocol: pairs, window: 1800, bases: ["${TOKEN}"], min_side_usd: 1}`,
    ),
    at: `${M}:8:16`,
  },
  {
    code: 'duplicate_error',
    files: entity('kind: errors\nerrors: ["A(uint256 a)", "A(uint256 b)"]'),
    at: `${M}:7:26`,
  },
  { code: 'always_true', files: when('{fact: motif.swap.count, is: gte, value: 0}'), at: `${I}:7:7` },
  {
    code: 'family_above_known',
    files: intent('known: High, family: Medium', 'known: Low, family: High'),
    at: `${I}:9:34`,
  },
  { code: 'absent_kind', files: when('{fact: motif.swap.count, is: eq, value: 0}'), at: `${I}:6:12` },
  { code: 'no_protocol_address', files: protocol(TOKEN, `0x${'0'.repeat(39)}1`), at: `${P}:6:13` },
  {
    code: 'needless_legless',
    files: shape('    kind: swap', '    kind: swap\n    legless: It moves nothing.'),
    at: `${S}:10:5`,
  },
  {
    code: 'no_leg',
    files: {
      ...base('vocabulary.yaml', 'fragment: DirectSwap}', 'fragment: DirectSwap, trade: swap}'),
      ...shape(/ {4}legs:[\s\S]*$/, ''),
    },
    at: `${S}:9:11`,
  },
  {
    code: 'hidden_entry',
    files: {
      'lexicon.yaml':
        '- {kind: swap, flow: any, names: [a], examples: &}\n- {kind: swap, flow: sent, names: [a], examples: &}\n'.replaceAll(
          '&',
          '{match: [A()], near_miss: [B(uint256 a)]}',
        ),
    },
    at: 'lexicon.yaml:2:59',
  },
];
