import type { TxReport } from '../../model/generated/report.ts';
import { isRecord, walk } from './checkEvidence.ts';
import { mustOf, type Report } from './finding.ts';
import { ZERO, isSame, type RawChain } from './rawChain.ts';

/** Flags that a balance change may carry alone; others come from its asset or movements. */
const OWN_MARKS = ['fee_on_transfer', 'rebasing', 'suspected_spam'];
/** All flags of a balance change, in the order in which reports write them. */
const MARKS = ['mint', 'burn', 'wrap', 'unwrap', 'impersonates', 'unverified_source', ...OWN_MARKS];

/** Words that the schema leaves open. */
const PLACES = new RegExp(
  '/((flags|reasons|warnings|sources_left_out)/\\d+|caveats/\\d+/code)$|' +
    '(rejected_because|trace_dialect|named_by|n_usd/method|pnl/reason)$',
);
/** The words that this version writes there. */
export const WORDS: ReadonlySet<string> = new Set([
  ...MARKS,
  ...(
    'call_tracer parity token creator chainlink vault wrapper lp ' +
    'unasked credit pays_execution signed_the_transaction gave_and_got order_owner user_operation_sender ' +
    'account_execution account_execution_failed delegated_account_called signed_a_relayed_request ' +
    'paid_by_a_bridge sole_account_that_gave_and_got authorised_in_this_transaction ' +
    'called_contract_holds_the_inventory contract_behind_the_called_one_traded equal_claims ' +
    'called_contract_is_the_liquidator gave_or_got_nothing nothing_names_it zero_address precompile ' +
    'block_builder token_contract venue ' +
    'IntentActorDiffersFromSigner PartialValuation StalePrice PriceSourceMalformed PriceSourceUnavailable ' +
    'FeeNotPaidBySubject FeeInsideFlows PositionAtCost PriceDeviation ProfitOfEntity OwnSalePrice ' +
    'SignaturesUnread MetadataUnavailable requires_multi_transaction_state unpriced_asset ' +
    'result_held_elsewhere outside_receipt own_trade heuristic_rule experimental_rule no_single_actor ' +
    'claimed_actor stale_delegation suspect_token unasked_pull state_unread nothing_recognised ' +
    'unaccounted_value no_rule low_confidence uncertain_motif rule_limit function_name_only ' +
    'unknown_protocol unproven_motif amounts_differ contradiction depends_on_environment ' +
    'weaker_than:signer weaker_than:bot_contracts weaker_than:bridge_payouts weaker_than:executed_accounts ' +
    'weaker_than:delegated_accounts weaker_than:named_beneficiaries weaker_than:relayed_accounts ' +
    'weaker_than:settled_orders weaker_than:user_operations'
  ).split(' '),
]);
/** Words with a word of the rules, or of a rule of election, in them. */
const COMPOSED = /^(serves_everybody:\w+|\w+_beneficiary)$/;

/** Open words are those of this version, and flags and roles of balances agree with the movements. */
export function checkOpenWords(report: TxReport, { block }: RawChain, find: Report): void {
  const must = mustOf(find, 'words');
  for (const [value, at] of walk(report))
    if (typeof value === 'string' && PLACES.test(at))
      must(WORDS.has(value) || COMPOSED.test(value), at, `${value} is no word of this version`);
    else if (isRecord(value) && 'truncated' in value)
      must(value['truncated'] === `${value['value']}`.endsWith('…'), `${at}/truncated`, 'its text is whole');
  checkSubjects(report, String(block['miner'] ?? block['author'] ?? ''), find);
}

/** Roles that one account alone has, and the marks that follow from the movements of a balance. */
function checkSubjects(
  { inventory_deltas: deltas, attribution: a, movements = [] }: TxReport,
  coinbase: string,
  find: Report,
): void {
  deltas.forEach(({ subject, subject_role: role, asset, flags, movements: own }, i) => {
    const must = mustOf(find, 'words', `/inventory_deltas/${i}`);
    const special = [a.actor, a.signer, ZERO, coinbase].findIndex((one) => isSame(subject, one ?? undefined));
    const wanted = ['actor', 'signer', 'zero', 'builder'][special];
    const isOther = wanted === undefined && !/^(actor|signer|zero)$/.test(role);
    must(isOther || role === wanted, '/subject_role', `is ${wanted ?? 'another'}`);
    const moved = own.flatMap((index) => movements[index] ?? []);
    const shown = MARKS.filter(
      (mark) =>
        moved.some(({ kind, flags: marks }) => kind === mark || marks?.includes(mark)) ||
        asset.flags?.includes(mark) ||
        (asset.address !== null && OWN_MARKS.includes(mark) && flags?.includes(mark)),
    );
    must(`${flags ?? []}` === `${shown}`, '/flags', `are ${shown.join(', ')}`);
  });
  const receivers = deltas.filter(({ delta_raw: raw }) => BigInt(raw) > 0n).map(({ subject }) => subject);
  const named = [a.actor, ...a.orders.map(({ receiver }) => receiver), ...receivers];
  mustOf(find, 'words')(named.includes(a.beneficiary), '/attribution/beneficiary', 'received nothing');
}
