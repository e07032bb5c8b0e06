import { formatUnits } from 'viem/utils';
import type { Asset, TxReport } from '../../model/generated/report.ts';
import { isRecord } from '../../lib/shape.ts';
import { walk } from './checkEvidence.ts';
import { askToken, type ReadContract } from './fetchRawAnswers.ts';
import { mustOf, type Report } from './finding.ts';
import { NATIVE, ZERO, isSame, type RawChain } from './rawChain.ts';

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
function checkSubjects(report: TxReport, coinbase: string, find: Report): void {
  const { inventory_deltas: deltas, attribution: a, movements = [] } = report;
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

function idOf({ kind, address, token_id: id }: Asset): string {
  const token = kind === 'native' ? NATIVE : `eip155:1/${kind}:${address?.toLowerCase()}`;
  return id === null ? token : `${token}/${id}`;
}

/** Assets and amounts in every place of the report. */
export function checkWords(report: TxReport, find: Report): void {
  const known = new Map<string, string>();
  for (const [value, at] of walk(report)) {
    if (!isRecord(value)) continue;
    if ('decimals' in value && 'token_id' in value) {
      checkAsset(value as unknown as Asset, at, known, find);
      checkName(value as unknown as Asset, at, report, find);
    }
    if (isRecord(value['asset'])) checkAmounts(value, at, find);
  }
}

/** An asset reads the same wherever it is named, and as its id says. */
function checkAsset(asset: Asset, at: string, known: Map<string, string>, find: Report): void {
  // An allowance for a whole collection names no single asset.
  const isCollection = asset.id === null && asset.kind !== 'erc20' && asset.kind !== 'native';
  if (!isCollection && asset.id !== idOf(asset))
    find('asset', at, `${asset.id} does not name ${idOf(asset)}`);
  if (asset.id === NATIVE && `${asset.symbol} ${asset.decimals}` !== 'ETH 18')
    find('asset', at, 'ether is ETH with 18 decimals');
  const words = JSON.stringify(asset);
  const key = String(asset.id ?? asset.address);
  if ((known.get(key) ?? words) !== words) find('asset', at, `${key} reads otherwise elsewhere`);
  known.set(key, words);
}

/** A token that no rule names has its own name among the accounts. */
function checkName({ address, name, symbol }: Asset, at: string, { accounts }: TxReport, find: Report): void {
  const account = accounts?.[address ?? ''];
  if (account?.source === 'contract' && account.name !== (name ?? symbol))
    find('asset', `${at}/name`, `is ${account.name} among the accounts`);
}

/** Amounts are given where they can be, and each exactly as its raw amount in whole units. */
function checkAmounts(value: Record<string, unknown>, at: string, find: Report): void {
  const { decimals } = value['asset'] as Asset;
  for (const key of ['amount', 'delta']) {
    const [shown, raw] = [value[key], value[`${key}_raw`]];
    if (typeof raw !== 'string' || !(key in value)) continue;
    const exact = decimals === null ? null : formatUnits(BigInt(raw), decimals);
    if (shown !== exact) find('amount', `${at}/${key}`, `reads ${String(shown)}, ${exact} is exact`);
  }
}

/** Only plain printable text is compared: hostile text is cleaned before it appears in a report. */
const isPlain = (text: string): boolean => /^[\w$.+\- ]{1,32}$/.test(text);

/** Symbols, names and decimals of every token named in the report, asked of the tokens themselves. */
export async function checkTokens(report: TxReport, read: ReadContract, find: Report): Promise<void> {
  const assets = new Map(report.inventory_deltas.map(({ asset }, i) => [asset.id, { asset, i }]));
  for (const { asset, i } of assets.values()) {
    if (asset.kind !== 'erc20' || asset.address === null) continue;
    for (const key of ['decimals', 'symbol', 'name'] as const) {
      const actual = await askToken(read, asset.address, key);
      const [claimed, at] = [asset[key], `/inventory_deltas/${i}/asset/${key}`];
      if (typeof actual === 'string' ? !isPlain(actual) : typeof actual !== 'number') continue;
      if (claimed !== (typeof actual === 'string' ? actual.trim() : actual))
        find('asset', at, `${String(claimed)} is ${String(actual)} at the token`);
    }
  }
}
