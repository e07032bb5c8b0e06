import type { CaveatCode } from '../src/model/intent.ts';

/**
 * Meanings of the words in a report that no rule declares: codes, roles, modes, reasons. `generateCatalogue.ts` fails where a
 * closed list of the schema and a table here differ; a test fails where a report holds an open word that is not here.
 */
type Words = Readonly<Record<string, string>>;

export const FINDING_AMOUNTS: Words = {
  profit:
    'What the entity is left with of an asset over its transactions: tips counted as its own, gas left out.',
  pool_result: 'What the entity’s acts at one venue leave of an asset.',
  gas: 'Gas that the entity paid.',
  tip: 'What it paid the fee recipient of the block.',
  loss: 'What a victim got less than on the reserves without the first act; `reason` says why none is computed.',
  income: 'Priority fees and direct payments together.',
  priority_fees: 'Fees above the base fee, of transactions that the fee recipient did not sign.',
  direct_payments: 'Ether sent to the fee recipient.',
  paid_out: 'What the fee recipient sent on in transactions of its own.',
};

export const REFUSALS: Words = {
  no_source: 'No source of prices knows the asset at this block, or the one that should did not answer.',
  source_malformed: 'The price source answered in another shape than the rules describe.',
  source_unavailable:
    'The source was not reached, or the node has pruned the state of the block: a later analysis may have a price.',
  stale_price:
    'The newest price is further from the block in time than its source promises, by more than a day.',
  low_liquidity:
    'The source has too little confidence in its own price, or the pool is too shallow to believe.',
  price_deviation:
    'Sources disagree about the price by more than the limit, or a trade in this transaction contradicts it.',
  own_word:
    'Only the token’s own contract tells its rate, and no exchange elsewhere in the transaction bears it out.',
  self_referential: 'The price is set by a pool or contract this very transaction moved.',
  unknown_decimals:
    'The token does not state its decimals, or more tokens moved than are looked up (MAX_TOKENS).',
  nonstandard_supply: 'The token’s supply makes a share of it meaningless.',
  nft_no_floor: 'Non-fungible tokens have no price of their own; no collection floor is taken for one.',
  spam_asset: 'The token is marked as spam, or carries the symbol of another.',
};

export const CAVEATS: Readonly<Record<CaveatCode, string>> & Words = {
  heuristic_rule: 'The rule infers the purpose; nothing on chain states it. Never Proven.',
  experimental_rule: 'The rule is on trial. Never Proven.',
  no_single_actor: 'Several accounts acted alike, or none can be named as the actor.',
  claimed_actor: 'Only balances or an event that anybody could have caused name the actor.',
  stale_delegation:
    'The actor’s delegated code (EIP-7702) ran, and nothing shows that the actor asked for it.',
  suspect_token: 'A token takes the name of another, or moved without a call that explains it.',
  state_unread:
    'The state of the block was not there, or too many accounts acted: not all code that counts was read.',
  unasked_pull: 'Something left the actor, or paid for its act, without a call or signature of its owner.',
  nothing_recognised: 'No recognised act of the actor supports the headline.',
  function_name_only: 'Only the name of a function says what an act was.',
  amounts_differ: 'The event of an act states another amount than moved.',
  unproven_motif: 'An act that the headline rests on is not Proven; the text says which, and why.',
  low_confidence: 'An act that the headline rests on is of low confidence.',
  unaccounted_value: 'The acts that the headline rests on do not account for all the actor sent or received.',
  unknown_protocol: 'An act is at a contract that no rule lists, known by its behaviour.',
  uncertain_motif: 'An act that the headline rests on is of medium confidence.',
  rule_limit: 'The rule allows no more confidence: other purposes look the same.',
  contradiction: 'Two statements of the report disagree; the text names both.',
  no_rule: 'No rule speaks for this transaction.',
  simulated: 'Previews: the transaction was simulated, and what comes before it may change what happens.',
  depends_on_environment: 'Previews: with another fee, gas limit and fee recipient it does something else.',
  signature: 'Previews: a signature is shown as a transaction that does the same.',
};

export const WARNINGS: Words = {
  IntentActorDiffersFromSigner: 'The actor is not the signer; economics describe the actor.',
  PartialValuation: 'At least one asset (or the gas) has no price: sums that rest on it are unavailable.',
  StalePrice:
    'At least one price is outside its freshness threshold; it is used, and marked `stale` in `valuation.prices`.',
  PriceSourceMalformed:
    'A price source answered in another shape than the rules describe: its prices are missing until the description or the address is set right.',
  PriceSourceUnavailable:
    'A price source did not answer. Prices are missing that a later analysis may have: analyze again.',
  FeeNotPaidBySubject:
    'Another account bore the gas (a relayer, a sponsor); `net_usd_after_gas` counts it all the same, `net_usd_after_own_gas` does not.',
  FeeInsideFlows:
    'The subject repaid the gas in this transaction (a user operation, a refund to the submitter): its flows hold that payment, and `net_usd_after_gas` counts the gas once more, `net_usd_after_own_gas` does not.',
  PositionAtCost:
    'Something was put into a position that is only booked, or taken out of one (a stake, a bridge transfer, a queue, an order, a pool share without a price), whether the position is proven or not: `net_usd_before_gas` shows it as sent or received. Of proven ones `net_usd_with_positions` counts the position at what was exchanged for it.',
  PriceDeviation:
    'What the subject of a trade received and what it sent are worth such different sums, by more than half of the smaller, that it lost or won the difference or a price is wrong. The net stays; sources of equal strength do not say which.',
  ProfitOfEntity:
    'The profit belongs to accounts that act as one with the subject; the net of the subject alone is zero.',
  OwnSalePrice:
    'An NFT is valued at what it was sold for in this very transaction (method `own_trade`): nobody else said it was worth that.',
  SignaturesUnread:
    'More signatures came with the transaction than are recovered (16): an act that only a further one would authorise counts as unasked.',
  MetadataUnavailable:
    'Symbols, decimals or prices are missing because the node could not read them or a limit was reached, not because the contracts did not answer.',
};

export const PNL_REASONS: Words = {
  requires_multi_transaction_state:
    'The transaction does not close a position it opened: what was earned depends on others.',
  unpriced_asset: 'The flow is closed, but an asset of it has no price.',
  result_held_elsewhere:
    'The flow is closed, but an account outside the entity kept part of its result; whose it is does not show.',
  outside_receipt:
    'The flow is closed, but the entity or one of its pools also got something that no hop, loan or refund paid, so that what is left is not its profit.',
};

export const ERRORS: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  transaction_not_found: [
    'No node knows the hash.',
    'Check the hash and the chain; a node that lags behind may know it in a moment.',
  ],
  transaction_pending: ['The transaction is not in a block yet.', 'Ask again when it is.'],
  wrong_chain: ['The node’s chain id is not 1.', 'Point RPC_URL at Ethereum mainnet.'],
  upstream_unreachable: [
    'No connection; `cause` in the log says why: `refused`, `reset`, `dns`, `tls_expired`, …',
    'Check RPC_URL, the network policy and the node.',
  ],
  upstream_timeout: [
    'No answer within RPC_TIMEOUT_MS, or none in time for DEADLINE_MS.',
    'Old transactions need an archive node with traces; raise the limits or use a faster one.',
  ],
  upstream_http: [
    'The node or a proxy before it answered with an HTTP error, told as detail.',
    '401 and 403: the key. 5xx: the node.',
  ],
  upstream_rpc: [
    'The node answered a call with a JSON-RPC error that persisted when tried again.',
    'Look for `upstream request failed` in the log; often history that was pruned.',
  ],
  upstream_malformed: [
    'The answer is not JSON-RPC, such as a gateway’s page.',
    'Check that RPC_URL names a node and not a web page.',
  ],
  upstream_too_large: ['The answer is larger than MAX_RESPONSE_BYTES.', 'Raise it, and the memory with it.'],
  upstream_rate_limited: [
    'The node refuses for now (HTTP 429 or its own code), retries included.',
    'Lower MAX_CONCURRENCY or buy more.',
  ],
  state_unavailable: [
    'No node could read contracts at the block that a preview runs on. An analysis goes on without: its prices are refused, and nothing is Proven.',
    'Add an archive node to RPC_URL.',
  ],
  trace_unavailable: [
    'Neither debug_traceTransaction nor trace_transaction answered for this transaction.',
    'Set TRACE_URL to a node that traces; old transactions need an archive.',
  ],
  trace_empty: [
    'The trace endpoint answered with nothing.',
    'A node that has lost the state: use an archive node.',
  ],
  trace_malformed: [
    'The trace contradicts its own form.',
    'Report it with the hash; another node may do better.',
  ],
  receipt_malformed: ['The receipt lacks or garbles a field.', 'As above.'],
  transaction_malformed: ['The transaction lacks or garbles a field.', 'As above.'],
  block_malformed: ['The block header lacks or garbles a field.', 'As above.'],
  inconsistent_upstream: [
    'Transaction, receipt, trace and block do not belong together: a reorganisation, or nodes behind one address that differ.',
    'Ask again; if it stays, use one node.',
  ],
  simulation_unavailable: [
    'For `preview`: the node has neither debug_traceCall nor trace_call with eth_simulateV1.',
    'Use a node with one of them; several calls at once need debug_traceCall.',
  ],
  simulation_refused: [
    'For `preview`: the node did not start the call; the detail says why.',
    'Check nonce, balance, gas and fees of the call.',
  ],
  overloaded: [
    'MAX_CONCURRENCY analyses run and MAX_QUEUE wait, or the client or the transaction has its share of them. `Retry-After` tells when to come back.',
    'Add instances; see docs/operator.md. Behind a proxy, name it in TRUSTED_PROXIES.',
  ],
  stopping: [
    'The service is stopping; the answer closes its connection.',
    'Ask again: another instance answers.',
  ],
  deadline: ['DEADLINE_MS passed.', 'See upstream_timeout; very large transactions may need more.'],
  internal_validation: [
    'The report did not fit its own schema and was not sent.',
    'A fault of this service: report it with the hash. The log has the whole of it.',
  ],
  internal: [
    'Something unforeseen.',
    'A fault of this service: the log line with the request’s X-Request-Id has the stack.',
  ],
};

export const PRICE_METHODS: Words = {
  chainlink: 'An on-chain feed, read at the block.',
  pool_twap: 'A pool’s own time-weighted average.',
  own_trade: 'Of an NFT: what it was sold for in this transaction.',
  erc4626: 'A vault’s own rate of shares to assets, times the price of the asset.',
  wrapper: 'A wrapper’s rate to what it wraps, times the price of that.',
  lp_share: 'A pool share’s part of the pool.',
  http: 'The service of PRICE_API_URL.',
};

export const SUBJECT_ROLES: Words = {
  signer: 'Signed the transaction and is not the actor.',
  actor: 'The elected actor.',
  counterparty: 'Dealt with the actor in a place no rule names.',
  pool: 'A venue of trade or liquidity.',
  router: 'Passes value on for others.',
  vault: 'Keeps value for others: lending, staking, vaults, bridges.',
  fee_recipient: 'Received a fee.',
  builder: 'Built the block.',
  token_contract: 'One of the assets that moved, such as wrapped ether.',
  zero: 'The zero address: where mints come from and burns go.',
  other: 'Anyone else.',
};

export const MODES: Words = {
  self: 'The signer acted for itself.',
  smart_account_4337: 'A smart account, by a user operation (ERC-4337).',
  safe: 'A multisignature account executed what its owners signed.',
  solver_settlement: 'A solver settled the actor’s signed order.',
  meta_transaction: 'Somebody else brought the actor’s signed request on chain.',
  delegated_7702: 'An account that delegated to code (EIP-7702), called by another.',
  permit_pull: 'The actor’s signed permit let another take its tokens.',
  bot_contract: 'The called contract holds the inventory and acts for its owner.',
  own_contract: 'The signer called a contract that moved its own funds and traded nothing.',
  none: 'Nobody could be elected, or nothing shows that the actor authorised it.',
};

export const SUBMITTERS: Words = {
  self: 'The actor itself.',
  bundler: 'Bundles user operations.',
  relayer: 'Relays a signed request.',
  solver: 'Settles orders in batches.',
  resolver: 'Fills a single order.',
  safe_executor: 'Executes a multisignature account’s transaction.',
  keeper: 'Does upkeep for a protocol.',
  mev_bot: 'Operates a contract that traded, liquidated or took a flash loan.',
  operator: 'Operates a contract that moved its own funds.',
};

/** `<kind>` is any motif kind. */
export const CANDIDATE_REASONS: Words = {
  signed_the_transaction: 'Signed it.',
  gave_and_got: 'Ended with less of one asset and more of another.',
  order_owner: 'Owns an order that was settled.',
  user_operation_sender: 'The account a user operation acts for.',
  account_execution: 'A smart account that executed something here.',
  account_execution_failed: 'The same; the execution failed.',
  delegated_account_called: 'Its delegated code was called.',
  signed_a_relayed_request: 'An event or call names it as the author of a relayed request.',
  sole_account_that_gave_and_got:
    'The only account without code that sent and received, while the signer sent nothing.',
  authorised_in_this_transaction: 'Its permit or authorisation was spent here.',
  called_contract_holds_the_inventory: 'The signer called it, and the value went through its own books.',
  contract_behind_the_called_one_traded:
    'The called contract called it, and it alone traded in a closed cycle.',
  called_contract_is_the_liquidator: 'The signer called it, and it liquidated.',
  paid_by_a_bridge: 'A bridge paid it, brought by somebody else.',
  '<kind>_beneficiary': 'A motif of this kind names it as the one it was done for.',
};

/** `<…>` is any word. */
export const REJECTIONS: Words = {
  'weaker_than:<source>': 'A stronger kind of evidence decided.',
  equal_claims: 'Several have the same claim: none is elected.',
  gave_or_got_nothing: 'Nothing of value came or went.',
  nothing_names_it: 'It sent and received, and nothing says that it acted.',
  zero_address: 'The zero address.',
  precompile: 'A precompiled contract.',
  block_builder: 'Built the block.',
  token_contract: 'A token.',
  'serves_everybody:<tag>': 'A known contract that serves everybody.',
  venue: 'The place where something happened.',
};

export const FLAGS: Words = {
  mint: 'Some of it was created.',
  burn: 'Some of it was destroyed.',
  wrap: 'Native currency was wrapped.',
  unwrap: 'It was unwrapped.',
  fee_on_transfer: 'The token keeps a part of every transfer.',
  rebasing: 'Balances of the token change without transfers.',
  suspected_spam: 'The token is marked as spam.',
  impersonates: 'The token carries a well-known symbol that belongs to another address (also on the asset).',
  unverified_source:
    'An unlisted token reports that it left an account that no call here shows to have asked for it (also on the movement).',
};

export const INVARIANTS: Words = {
  amounts_agree:
    'What the event states is what moved, to the unit; fees it states, or that were passed on, count apart.',
  amount_moved: 'An amount is the sum of its movements.',
  sum_of_parts: 'An amount is what the parts took or gave together.',
  net_of_parts: 'An amount is what the parts took or gave, less what passed between them.',
  happened_at: 'The logs and calls are those of the contracts named.',
  value_moved: 'Value moved at all.',
  netted_at_venue: 'The venue settled net, and its books close.',
  venue_involved: 'The value went through the venue, is its own token, or of a token that it alone called.',
  assets_differ: 'What was given is not what was received.',
  minted_from_zero: 'The share was minted.',
  burnt_to_zero: 'The share was burnt.',
  single_venue: 'One account took the one and paid the other.',
  both_sides_equal: 'As much of the one as of the other.',
  issuer_holds_underlying: 'The issuer of the share holds the asset behind it.',
  venue_gained_in: 'The venue ended with more of what was given.',
  venue_lost_out: 'The venue ended with less of what was paid.',
  amounts_chain: 'Each hop begins with what the one before ended with.',
  hops_proven: 'Every hop is proven.',
  one_payer: 'One account paid.',
  one_recipient: 'One account received.',
  no_counter_flow: 'Nothing came back.',
  code_created: 'Code stands at the address.',
  principal_was_freed: 'The principal was freed before it was paid.',
  closed: 'The flow begins and ends in one asset.',
  distinct_pools: 'No pool was used twice.',
  positive_residual: 'More came out than went in.',
  negative_residual: 'The loss of the account is what the hops lost.',
  other_lanes_flat: 'Nothing is left over in any other asset.',
  repaid_in_full: 'The loan was repaid in the same transaction.',
};

export const EVIDENCE: Words = {
  frame: 'A call: `frame_path` leads to it.',
  log: 'An event: `log_index` is the receipt’s.',
  transaction: 'The transaction itself.',
};
