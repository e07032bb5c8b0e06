/** Warnings about sound places that deserve a second look: the rules load. Never of the shipped rules. */
const SECOND_LOOKS = {
  weak_proof: 'it holds, and proves less than it seems',
  weak_example: 'the example shows less than a transaction with its label would',
  shared_event: 'any_emitter: true, and the event is of others too',
  shared_maker: 'the deployer or registry is that of another protocol',
  leg_direction: 'the leg moves against what its role says',
  odd_supersedes: 'the rule that is superseded is of other acts',
} as const;

/**
 * Every problem the loader reports, with its purpose. The reference for authors: the CLI prints it
 * (`txreport rules lint --codes`), and a test has one bad file per code.
 */
export const PROBLEMS = {
  // files
  missing_directory: 'a ruleset directory does not exist or cannot be read',
  missing_file: 'ruleset.yaml, vocabulary.yaml or precedence.yaml is not there',
  unknown_file: 'a file where none of its kind is expected, so nothing would read it',
  unreadable_file: 'the file cannot be read',
  bad_archive: 'the packed rule set cannot be read, or its content was changed',
  file_too_large: 'the file is larger than the loader accepts',
  too_many_files: 'the ruleset has more files than the loader accepts',
  not_utf8: 'the file is not valid UTF-8',
  control_character:
    'the file holds control or bidirectional-override characters, which hide what a reviewer sees',
  // YAML
  broken_yaml: 'the file is not valid YAML',
  tab_indent: 'a tab is used for indentation',
  duplicate_key: 'a mapping has the same key twice',
  yaml_alias: 'anchors, aliases and merge keys are not accepted: write the value out',
  yaml_tag: 'explicit YAML tags are not accepted',
  too_deep: 'the document is nested too deeply',
  reserved_key: 'the key is reserved by the JavaScript object model',
  unquoted_hex: 'a hex value without quotes: YAML readers turn it into a number',
  unsafe_number: 'an integer that a double cannot hold exactly',
  empty_file: 'the file holds nothing',
  bad_line:
    'a line of a text table does not have the form its folder takes, or its hash, checksum or slug is wrong',
  // schema
  unknown_key: 'the key is not part of this kind of file',
  missing_key: 'a required key is missing',
  wrong_type: 'the value has another type than the key takes',
  bad_version: 'version must be an integer of at least 1',
  bad_value: 'the value is not one of those allowed',
  bad_format: 'the text does not have the form the key takes',
  too_long: 'the text or list is longer than the key takes',
  empty_list: 'a list that must hold something is empty',
  duplicate_item: 'a list holds the same item twice',
  empty_legs: 'legs is present and empty: leave it out, or say what moved',
  empty_condition: 'an empty all/any: json-rules-engine takes it as always true',
  mixed_condition: 'a condition node must be exactly one of all, any, not or {fact, is, value}',
  unknown_operator: 'the operator does not exist',
  unsupported_engine: 'the ruleset asks for another engine version',
  // addresses
  bad_address: 'not a 20-byte address',
  bad_checksum: 'the letter case of the address is not its EIP-55 checksum',
  foreign_address:
    'the address is one of another protocol: an overlay overrides that protocol, or names it alike',
  duplicate_address: 'two entries claim the same address',
  // overlays and identity
  duplicate_slug: 'two files use the same slug and neither says override: true',
  override_of_nothing: 'override or extend: true, but no earlier directory has this slug',
  duplicate_kind: 'a vocabulary word is declared twice',
  leg_side: 'which leg roles are given is fixed in the code: new roles are received',
  unknown_replacement: 'replaced_by or supersedes names a slug that does not exist',
  deprecated_without_replacement: 'status deprecated needs replaced_by',
  replacement_without_deprecation: 'replaced_by is only for status deprecated',
  supersedes_cycle: 'rules supersede each other in a circle',
  // signatures and bind words
  bad_signature: 'not an event or function signature Solidity would accept',
  too_many_indexed: 'an event has at most three indexed parameters (four when anonymous)',
  duplicate_param: 'two parameters have the same name',
  unknown_param: 'the signature has no parameter, field or element of this name',
  unknown_bind: 'not a bind word or function',
  bind_out_of_scope: 'the bind word does not exist here',
  param_shadows_word:
    'a parameter has the name of a bind word: rename it in the signature (names do not change the topic)',
  bind_type: 'the parameter has a type that cannot be used here',
  unknown_leg: 'the expression names a leg that is not listed above it',
  duplicate_leg: 'two legs are identical',
  leg_contradicts: 'no movement can be what the leg asks for',
  other_indexed:
    'the tables know the event with other parameters indexed: list yours in signatures/ if it is right',
  other_signature: "the contract's ABI (--abi) has the event or function otherwise",
  no_amount: "the ABI's name (--abi) of the amount is that of an id, a time or another number",
  no_code: 'the node (--node) knows no contract at the address',
  not_on_chain: 'neither the code at the address nor its recent logs have the event or function',
  unknown_role: 'the role is not declared in vocabulary.yaml',
  bad_when: 'equals, differs, above and below take a right side that is another, gt0, lt0 and is0 take none',
  stated_without_amount: 'a leg with match: stated needs an amount',
  misplaced_leg_key: 'a key that only makes sense with match: movement',
  duplicate_meaning: 'the same event or call with the same body is declared twice',
  shadowed_meaning: 'an earlier shape takes the event or call wherever this one could',
  mixed_depth: 'meanings of one selector disagree on depth',
  unused_shape: 'no protocol speaks the shape and any_emitter is false: it can never fire',
  unknown_shape: 'a shape is named that does not exist',
  unknown_signature: 'the shape has no event or call of this signature',
  protocol_without_emitter:
    'the protocol has neither addresses, create2, created_by nor registries, and no shape ' +
    'accepts any emitter',
  bad_create2: 'abi_fee needs fees, packed takes none; the hash is that of the code of a pool',
  bad_creation: 'shim_hash and salt belong together',
  bad_registry: 'the registry function is no function of one address',
  // vocabulary and precedence
  unknown_motif_kind: 'the motif kind is not declared in vocabulary.yaml',
  unknown_intent_kind: 'the intent kind is not declared in vocabulary.yaml',
  unranked_intent: 'precedence.yaml does not rank an intent kind of the vocabulary',
  unknown_list: 'no vocabulary declares a list of this name',
  duplicate_rank: 'precedence.yaml ranks an intent kind twice',
  // intent rules
  unknown_fact: 'the fact does not exist',
  fact_operator: 'the operator does not work on facts of this type',
  fact_value: 'the value is of another type than the fact, or not one of its values',
  unknown_protocol: 'the word is the slug of no protocol and of no shape',
  unknown_tag: 'no shape, entity or part of the engine gives this tag',
  unknown_asset: 'no entity file gives a token this symbol or class',
  unknown_category: "neither a published category nor one of the vocabulary's own",
  unspoken_kind: 'rests_on or requires_any names a motif kind that no condition of the rule speaks of',
  unsatisfiable: 'the conditions contradict each other: the rule can never match',
  shadowed_rule: 'whenever this rule matches a rule that outranks it matches too: it can never win',
  unknown_placeholder: 'the label has a placeholder that does not exist',
  unfillable_placeholder: 'nothing that the rule rests on can ever give the placeholder a value',
  amount_of_all: 'the rule rests on acts, and its label states amounts of the whole transaction',
  missing_fallback:
    'a label whose placeholders may have no value needs label_fallback, which takes such ' +
    'placeholders only in [optional segments]',
  missing_example: 'an intent rule needs at least one match and one near_miss example',
  duplicate_example: 'the same example is given twice, or both as match and as near_miss',
  impossible_facts: 'the facts of the example contradict each other',
  skipped_example: 'no fact of the example shows a motif that requires_any asks for: the rule is not tried',
  trivial_near_miss: 'the near miss fails by so much that it proves nothing',
  draft_text: 'the text is still that of the draft',
  bad_example: 'the transaction of an example cannot be made: a signature, its arguments or an amount',
  always_true: 'a test that nothing can fail',
  absent_kind: 'rests_on or requires_any names a motif kind that the conditions exclude',
  no_leg: 'a motif that says value moved has no required leg that names an account, an asset or an amount',
  other_role: 'a leg role that the motif kind does not have: `legs` in the vocabulary',
  needless_legless: 'legless, though a required leg binds',
  no_protocol_address:
    'the address is a token, a precompile, a placeholder or known as that of somebody else',
  name_taken: 'another protocol has the name, or one that looks the same',
  ranked_after_unknown: 'the intent ranks after Unknown, so that no transaction would ever be called it',
  unused_word: 'the vocabulary of an overlay declares a word that none of its files uses',
  future_block: 'the block does not exist yet',
  hidden_entry: 'an earlier entry of the lexicon takes an example of this one',
  broken_recording: 'a recorded transaction cannot be read',
  family_above_known: 'more confidence where only the family is known than where the protocol is',
  missing_source: 'the signature has no second source, and it is not listed as unconfirmed',
  experimental_structural: 'an experimental rule cannot claim a structural proof',
  structural_without_basis: 'a structural proof must say which motifs it rests on',
  // entities
  bad_entity: 'the keys do not fit the kind of the entity file',
  multicall_count: 'exactly one entity must carry the tag multicall, with since_block',
  no_wrapped_native: 'no entity file of kind wrapped_native names a wrapped native token',
  duplicate_feed: 'two price feeds for the same asset, two feed registries, or two rates of one token',
  bad_rate:
    'a price rule that cannot be carried out: an unreadable call or number, or a protocol without pools',
  duplicate_error: 'two custom errors have the same selector and different text',
  ...SECOND_LOOKS,
} as const;

/** Codes of warnings. */
export const WARNINGS: ReadonlySet<string> = new Set(Object.keys(SECOND_LOOKS));

export type ProblemCode = keyof typeof PROBLEMS;

/** One complaint. `file` is as shown to people; line and column count from 1. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: ProblemCode;
  readonly message: string;
}

export function formatProblem(p: Problem): string {
  return `${p.file}:${p.line}:${p.column} ${p.code}: ${p.message}`;
}

/** All that is wrong with a ruleset, at once: authors fix a list, not a first error. */
export class RulebookError extends Error {
  constructor(readonly problems: readonly Problem[]) {
    const shown = problems.slice(0, 50).map(formatProblem);
    if (problems.length > shown.length) shown.push(`… and ${problems.length - shown.length} more`);
    super(`the ruleset has ${problems.length} problem(s)\n${shown.join('\n')}`);
    this.name = 'RulebookError';
  }
}

/** Stable order: by file, place, code and text, never by the order in which checks ran. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...problems].sort(
    (a, b) =>
      order(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      order(a.code, b.code) ||
      order(a.message, b.message),
  );
  return sorted.filter((p, i) => i === 0 || formatProblem(p) !== formatProblem(sorted[i - 1]!));
}
