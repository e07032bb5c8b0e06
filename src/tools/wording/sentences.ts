/** A report in sentences: viewer, command line, MCP summary and ledgers say the same in the same words. */
import type {
  Allowance,
  AllowanceAsset,
  Asset,
  Claim,
  Classification,
  DisplayMoney,
  Failure,
  Method,
  TxReport,
} from '../../model/generated/report.ts';
import { groupBy } from '../../lib/lists.ts';
import { modeSentence } from './attribution.ts';
import type { Decoded } from './calls.ts';
import { isLeg, moneyText, quantity, symbolOf } from './amounts.ts';
import { positionSentence } from './positions.ts';
import { lower, shown, timeText, words } from './text.ts';

/** A piece of a sentence. Each surface shows accounts, code and amounts in its own way. */
export type Part =
  | string
  | { readonly account: string }
  | { readonly code: string }
  /** Text that a contract chose. */
  | { readonly said: string }
  /** An amount of an asset; without `raw`, the asset alone. Always positive. */
  | { readonly asset: Asset | AllowanceAsset; readonly raw?: bigint };

export type Sentence = readonly Part[];

/** How a surface writes the pieces; amounts and texts have a form that fits most. */
export interface Voice {
  account(address: string): string;
  said?(text: string): string;
  amount?(asset: Asset | AllowanceAsset, raw: bigint | undefined): string;
}

/** A sentence as text. */
export function inWords(sentence: Sentence, voice: Voice): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('account' in part) return voice.account(part.account);
      if ('code' in part) return part.code;
      if ('said' in part) return voice.said?.(part.said) ?? part.said;
      return voice.amount?.(part.asset, part.raw) ?? amountText(part.asset, part.raw);
    })
    .join('');
}

/** `994.397 USDT`, or the symbol alone. */
export function amountText(asset: Asset | AllowanceAsset, raw: bigint | undefined): string {
  const id = asset.id ?? asset.address ?? '';
  return raw === undefined ? symbolOf(asset, id) : quantity(raw, asset, id).short;
}

/** The claims of a step, as the report writes them: `amount_moved: out0, movement:3`. */
export const claimText = ({ predicate, operands, against = [] }: Claim): string =>
  shown(
    `${lower(predicate)}: ${operands.join(', ')}${against.length > 0 ? ` and ${against.join(', ')}` : ''}`,
    200,
  );

type Trust = Pick<Classification, 'status' | 'confidence'>;

/** Three degrees: proven, suspected, or proven with an uncertain purpose. */
export function trustOf({ status, confidence }: Trust): 'proven' | 'suspected' | 'uncertain' {
  return confidence === 'Low' ? 'uncertain' : status === 'Proven' ? 'proven' : 'suspected';
}

/** Why the label needs caution, a general sentence first; empty where it needs none. */
export function caveatTexts({ classification: c }: TxReport): string[] {
  const low = c.confidence === 'Low' ? 'The service is not sure of this. ' : '';
  const general =
    c.status !== 'Proven'
      ? `${low}Suspected, not proven: the evidence is partial or heuristic. Check it before relying on it.`
      : low && `${low}What happened is proven, what it was for is uncertain.`;
  // The same act may be of low confidence for its own sake and for the verdict's.
  const own = (c.caveats ?? []).slice(0, 8).map(({ text }) => shown(text, 300));
  return [...new Set(general === '' ? own : [general, ...own])];
}

/** The actor and the signer. */
export function whoSentence({ classification: c, tx, attribution }: TxReport): Sentence {
  const signer = { account: tx.signer };
  if (c.actor === null)
    return ['No single account stands out as the one it was done for. Signed by ', signer, '.'];
  if (c.actor_matches_signer) return ['Done by ', { account: c.actor }, ', who signed it.'];
  return ['Done for ', { account: c.actor }, ', signed by ', signer, '. ', modeSentence(attribution)];
}

/** `swap()`, or the selector of an unknown function. */
export const methodText = ({ name, selector }: Method): string =>
  name === null ? shown(selector, 10) : `${shown(name, 60)}()`;

/** The call that the transaction made: the function and its contract. */
export function callSentence({ tx }: TxReport): Sentence {
  if (tx.to === null) return ['Creates a contract.'];
  if (!tx.method) return ['Sent to ', { account: tx.to }, '.'];
  return ['Calls ', { code: methodText(tx.method) }, ' of ', { account: tx.to }, '.'];
}

/** The arguments of the transaction's own call, where its calldata decodes. */
export const argumentsOf = ({ tx }: TxReport): Decoded['arguments'] => tx.method?.arguments ?? [];

type FailedCall = Pick<Failure, 'frame_path' | 'contract' | 'method' | 'reason'>;

function failedCall(verb: string, call: FailedCall, reason: string | null = call.reason): Sentence {
  return [
    `${verb} `,
    { code: call.frame_path.join('.') },
    ...(call.method ? [', ', { code: methodText(call.method) }] : []),
    ...(call.contract === null ? [] : [' of ', { account: call.contract }]),
    ...(reason ? [': ', { said: shown(reason, 200) }] : []),
    '.',
  ];
}

/** Attempts of a failed transaction, the call that failed and why; empty for one that succeeded. */
export function failureSentences({ tx, execution }: TxReport): Sentence[] {
  if (!execution.reverted) return [];
  const attempt: Sentence =
    tx.to === null
      ? ['deploy a contract']
      : [...(tx.method ? ['call ', { code: methodText(tx.method) }, ' of '] : ['call ']), { account: tx.to }];
  const { failure } = execution;
  return [
    ['It tried to ', ...attempt, '. Nothing moved; only gas was paid.'],
    ...(failure && failure.frame_path.length > 0 ? [failedCall('It failed in call', failure, null)] : []),
    ...(failure?.cause ? [failedCall('That call failed on', failure.cause)] : []),
    ['Reason: ', { said: shown(execution.outcome.replace(/^Reverted: /, ''), 300) }],
  ];
}

/** Calls that failed inside a transaction that succeeded. */
export function attemptSentences({ execution }: TxReport): Sentence[] {
  const { attempts = [], more_attempts: more } = execution;
  return [
    ...attempts.map((attempt) => failedCall('A call inside failed and was caught:', attempt)),
    ...(more ? [[`${more} more failed calls were caught.`]] : []),
  ];
}

function useOf({ asset, flags }: Allowance): string {
  if (flags?.includes('credit')) return ' borrow in its name ';
  return asset.kind === 'erc20' ? ' spend ' : ' transfer ';
}

/** One NFT or all of a collection, an amount of a token, or the token alone. */
function allowed({ asset, unlimited, amount_raw: raw }: Allowance, gone: boolean): Sentence {
  if (asset.kind !== 'erc20') return asset.token_id === null ? ['all ', { asset }] : [{ asset }];
  if (unlimited) return ['unlimited ', { asset }];
  return [gone || raw === null ? { asset } : { asset, raw: BigInt(raw) }];
}

/** `0x12… lets Uniswap V2 Router spend unlimited USDC until …`. */
export function allowanceSentence(a: Allowance): Sentence {
  const gone = a.kind === 'revoked' || a.amount_raw === '0';
  const amount = allowed(a, gone);
  const verb = gone ? ' no longer lets ' : ' lets ';
  const until = gone || a.expires_at === null ? [] : [` until ${timeText(a.expires_at)}`];
  const doubt =
    a.status === 'Suspected'
      ? [a.flags?.includes('unasked') ? ' (suspected: the owner did not ask for it)' : ' (suspected)']
      : [];
  return [{ account: a.owner }, verb, { account: a.spender }, useOf(a), ...amount, ...until, ...doubt];
}

/** Kinds of act in their order, alike ones counted: `Direct swap × 8`. */
export function fragmentTexts({ classification: c }: TxReport): { text: string; proven: boolean }[] {
  const alike = groupBy(c.fragments, ({ kind, status }) => `${kind} ${status}`);
  return [...alike.values()].map((list) => ({
    text: `${words(list[0]!.kind)}${list.length === 1 ? '' : ` × ${list.length}`}`,
    proven: list[0]!.status === 'Proven',
  }));
}

/** A report as a few lines of plain text, to paste elsewhere. */
export function summaryLines(report: TxReport, voice: Voice): string[] {
  const { classification: c, economics: e, tx, allowances = [], position_effects: positions } = report;
  const say = (sentence: Sentence): string => inWords(sentence, voice);
  return [
    `${shown(c.intent_label, 300)} (${c.status}, ${c.confidence})`,
    ...caveatTexts(report),
    say(whoSentence(report)),
    say(callSentence(report)),
    ...failureSentences(report).map(say),
    ...(e.token_out === '' ? [] : [`Sent ${shown(e.token_out, 300)}.`]),
    ...(e.token_in === '' ? [] : [`Received ${shown(e.token_in, 300)}.`]),
    ...figures(report).flatMap(([name, value]) => (value.available ? [`${name}: ${moneyText(value)}.`] : [])),
    ...positions.slice(0, 5).map((one) => `${say(positionSentence(one, report))}.`),
    ...allowances.slice(0, 5).map((one) => `${say(allowanceSentence(one))}.`),
    [timeText(tx.timestamp), `block ${tx.block_number}`, tx.hash].filter(Boolean).join(', '),
  ];
}

const WARNINGS: Readonly<Record<string, string>> = {
  IntentActorDiffersFromSigner: 'These figures are those of the account that acted, not of the signer.',
  StalePrice: 'At least one price is older than its source allows.',
  FeeNotPaidBySubject: 'Another account paid the gas; the net after gas still counts it.',
  FeeInsideFlows: 'The gas was paid out of the amounts shown.',
  PositionAtCost:
    'What was put into positions or taken out of them is no loss or gain, though the net counts it.',
  PriceDeviation: 'The two sides of the trade are worth very different sums: a loss, or a wrong price.',
  ProfitOfEntity: 'The profit is of accounts that act as one with this one; its own net is zero.',
  OwnSalePrice: 'An NFT is valued at its own sale in this transaction.',
  SignaturesUnread: 'More signatures came with the transaction than are checked.',
  MetadataUnavailable: 'The node could not read some symbols, decimals or prices.',
  PriceSourceMalformed:
    'A price source answered in another shape than its description: its prices are missing.',
  PriceSourceUnavailable: 'A price source did not answer: a later analysis may have prices that lack here.',
};

/** The warnings beside the money, as sentences. */
export function warningTexts({ economics: e }: TxReport): string[] {
  return e.warnings.map((code) => {
    if (code !== 'PartialValuation') return WARNINGS[code] ?? `${words(code)}.`;
    return e.net_usd_before_gas.available && e.net_usd_after_gas.available
      ? 'Some other assets have no price; these totals do not need one.'
      : 'Some assets have no price, so dollar totals that depend on them are missing.';
  });
}

export type Figure = readonly [name: string, value: DisplayMoney];

/** A known figure that differs from the one beside it. */
const beside = (name: string, value: DisplayMoney | undefined, other: DisplayMoney): Figure[] =>
  value?.available && value.text !== other.text ? [[name, value]] : [];

function nets({ net_usd_before_gas: before, net_usd_after_gas: after }: TxReport['economics']): Figure[] {
  const same = !before.available && !after.available && before.reason === after.reason;
  if (same) return [['Net', before]];
  return [
    ['Net before gas', before],
    ['Net after gas', after],
  ];
}

/** The dollar figures of the report's subject that are worth a row; a shared reason appears once. */
export function figures(report: TxReport): Figure[] {
  const { economics: e } = report;
  const profit = e.realized_pnl.net_usd ?? e.structural_profit_usd;
  const isZero = profit.available && /^\$-?0(\.0+)?$/.test(profit.text);
  const named = e.realized_pnl.supported ? 'Realised profit' : 'Structural profit';
  const { consideration_usd: price } = e;
  return [
    ...nets(e),
    ...beside('Net after own gas', e.net_usd_after_own_gas, e.net_usd_after_gas),
    ...beside('Net with positions', e.net_usd_with_positions, e.net_usd_before_gas),
    ...(price?.available && !isLeg(price, report) ? ([['Price of the trade', price]] as const) : []),
    ...(isZero && !e.realized_pnl.supported ? [] : [[named, profit] as const]),
  ];
}
