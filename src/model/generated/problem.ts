/* Generated from schemas/http/*.schema.json by scripts/generateTypes.ts. Do not edit: change the schema and run it again. */
/**
 * Faults: a ruleset with one of them is not loaded.
 */
export type Fault =
  | 'missing_directory'
  | 'missing_file'
  | 'unknown_file'
  | 'unreadable_file'
  | 'bad_archive'
  | 'file_too_large'
  | 'too_many_files'
  | 'not_utf8'
  | 'control_character'
  | 'broken_yaml'
  | 'tab_indent'
  | 'duplicate_key'
  | 'yaml_alias'
  | 'yaml_tag'
  | 'too_deep'
  | 'reserved_key'
  | 'unquoted_hex'
  | 'unsafe_number'
  | 'empty_file'
  | 'bad_line'
  | 'unknown_key'
  | 'missing_key'
  | 'wrong_type'
  | 'bad_version'
  | 'bad_value'
  | 'bad_format'
  | 'too_long'
  | 'empty_list'
  | 'duplicate_item'
  | 'empty_legs'
  | 'empty_condition'
  | 'mixed_condition'
  | 'unknown_operator'
  | 'unsupported_engine'
  | 'bad_address'
  | 'bad_checksum'
  | 'foreign_address'
  | 'duplicate_address'
  | 'duplicate_slug'
  | 'override_of_nothing'
  | 'duplicate_kind'
  | 'leg_side'
  | 'unknown_replacement'
  | 'deprecated_without_replacement'
  | 'replacement_without_deprecation'
  | 'supersedes_cycle'
  | 'bad_signature'
  | 'too_many_indexed'
  | 'duplicate_param'
  | 'unknown_param'
  | 'unknown_bind'
  | 'bind_out_of_scope'
  | 'param_shadows_word'
  | 'bind_type'
  | 'unknown_leg'
  | 'duplicate_leg'
  | 'leg_contradicts'
  | 'other_indexed'
  | 'other_signature'
  | 'no_amount'
  | 'no_code'
  | 'not_on_chain'
  | 'unknown_role'
  | 'bad_when'
  | 'stated_without_amount'
  | 'misplaced_leg_key'
  | 'duplicate_meaning'
  | 'shadowed_meaning'
  | 'mixed_depth'
  | 'unused_shape'
  | 'unknown_shape'
  | 'unknown_signature'
  | 'protocol_without_emitter'
  | 'bad_create2'
  | 'bad_creation'
  | 'bad_registry'
  | 'unknown_motif_kind'
  | 'unknown_intent_kind'
  | 'unranked_intent'
  | 'unknown_list'
  | 'duplicate_rank'
  | 'unknown_fact'
  | 'fact_operator'
  | 'fact_value'
  | 'unknown_protocol'
  | 'unknown_tag'
  | 'unknown_asset'
  | 'unknown_category'
  | 'unspoken_kind'
  | 'unsatisfiable'
  | 'shadowed_rule'
  | 'unknown_placeholder'
  | 'unfillable_placeholder'
  | 'amount_of_all'
  | 'missing_fallback'
  | 'missing_example'
  | 'duplicate_example'
  | 'impossible_facts'
  | 'skipped_example'
  | 'trivial_near_miss'
  | 'draft_text'
  | 'bad_example'
  | 'always_true'
  | 'absent_kind'
  | 'no_leg'
  | 'other_role'
  | 'needless_legless'
  | 'no_protocol_address'
  | 'name_taken'
  | 'ranked_after_unknown'
  | 'unused_word'
  | 'future_block'
  | 'hidden_entry'
  | 'broken_recording'
  | 'family_above_known'
  | 'missing_source'
  | 'experimental_structural'
  | 'structural_without_basis'
  | 'bad_entity'
  | 'multicall_count'
  | 'no_wrapped_native'
  | 'duplicate_feed'
  | 'bad_rate'
  | 'duplicate_error';
/**
 * Warnings about sound places that deserve a second look: the rules load. Never of the shipped rules.
 */
export type SecondLook =
  'weak_proof' | 'weak_example' | 'shared_event' | 'shared_maker' | 'leg_direction' | 'odd_supersedes';

/**
 * One complaint about rule files, as `txreport rules lint --format json` lists them.
 */
export interface Problem {
  /**
   * The file, as shown to people.
   */
  file: string;
  /**
   * Line, from 1.
   */
  line: number;
  /**
   * Column, from 1.
   */
  column: number;
  /**
   * What is wrong.
   */
  code: Fault | SecondLook;
  /**
   * What is wrong at this place.
   */
  message: string;
}
