import type { Allowance, InventoryDelta, TxReport } from '../../model/generated/report.ts';
import { protocolName } from '../wording/accounts.ts';
import { etherText, isDebt, moneyText, quotedQuantity } from '../wording/amounts.ts';
import { positionSentence } from '../wording/positions.ts';
import {
  allowanceSentence,
  argumentsOf,
  attemptSentences,
  callSentence,
  caveatTexts,
  failureSentences,
  inWords,
  type Sentence,
} from '../wording/sentences.ts';
import { counted, lower, timeText } from '../wording/text.ts';

/** Entries of a list before the rest is counted instead. */
const MOST = 8;

function listed(entries: readonly string[]): string {
  const rest = entries.length - MOST;
  return entries.slice(0, MOST).join('; ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** `Proven steps: …; …`; nothing without entries. */
const named = (title: string, entries: readonly string[]): string[] =>
  entries.length > 0 ? [`${title}: ${listed(entries)}.`] : [];

const say = (sentence: Sentence): string =>
  inWords(sentence, { account: (address) => address, said: JSON.stringify, amount: quotedQuantity });

function change(report: TxReport, delta: InventoryDelta): string {
  const { asset, delta_raw: raw, usd } = delta;
  const sign = raw.startsWith('-') ? '−' : '+';
  const worth = usd.available ? ` worth ${moneyText(usd)}` : '';
  const owed = isDebt(report, delta) ? ', which is owed' : '';
  return `${sign}${quotedQuantity(asset, BigInt(raw.replace('-', '')))}${worth}${owed}`;
}

/** `swap on Uniswap V2 (2 times)`; a protocol is named only where its contract was recognised. */
function steps(report: TxReport): string[] {
  const texts = report.motifs.filter(isProven).map(({ kind, protocol }) => {
    const known = protocol !== null && protocol.matched_by !== undefined && protocol.matched_by !== 'family';
    return `${lower(kind)}${known ? ` on ${protocolName(report, protocol)}` : ''}`;
  });
  return counted(texts, (step, count) => `${step} (${count} times)`);
}

function verdict(report: TxReport): string[] {
  const { classification: c } = report;
  const label = JSON.stringify(c.intent_label);
  if (c.status !== 'Proven')
    return [
      `What it was for is not proven. A guess; present it as one: kind ${c.intent_kind}, in words ${label}.`,
      ...caveatTexts(report).slice(1),
    ];
  const sentence = `Proven, confidence ${c.confidence}: it is of kind ${c.intent_kind}, in words ${label}.`;
  if (c.actor === null) return [sentence, 'No single account can be named as the one it was done for.'];
  return [
    sentence,
    ...caveatTexts(report),
    c.actor_matches_signer ? 'It was done by its signer.' : `It was done for ${c.actor}, not for its signer.`,
  ];
}

/** The first arguments of the call, quoted: some are texts of strangers. */
function called(report: TxReport): string[] {
  const list = argumentsOf(report).slice(0, 5);
  if (list.length === 0) return [];
  const texts = list.map(({ name, value }) => `${name} ${JSON.stringify((value ?? 'hashed').slice(0, 66))}`);
  return [`Its arguments: ${texts.join(', ')}.`];
}

function money({ economics: e }: TxReport): string[] {
  const { net_usd_after_gas: net, consideration_usd: price } = e;
  return [
    ...(net.available ? [`Net of ${e.subject} after gas: ${moneyText(net)}.`] : []),
    ...(price?.available ? [`Price of the trade: ${moneyText(price)}.`] : []),
  ];
}

const gasText = ({ gas_cost_native: ether, gas_cost_usd: usd }: TxReport['execution']): string =>
  `${etherText(ether)}${usd.available ? ` (${moneyText(usd)})` : ''}`;

function chosenNames({ names }: TxReport): string[] {
  const list = Object.entries(names?.accounts ?? {}).map(([account, name]) => `${account} "${name}"`);
  return named(`Names that accounts chose (${names?.source})`, list);
}

const isProven = (one: Allowance | { status: string }): boolean =>
  !('status' in one) || one.status === 'Proven';

/**
 * A report in a few sentences. Facts come from receipt and trace, and from Proven parts; of Suspected
 * parts only the label is given, as a guess with its reason, the rest is counted.
 */
export function summarize(report: TxReport): string {
  const { tx, chain, execution: x, attribution } = report;
  const { subject } = report.economics;
  const { reverted } = x;
  const time = tx.timestamp ? ` at ${timeText(tx.timestamp)}` : '';
  const payer = attribution.fee_payer === tx.signer ? '' : `, paid by ${attribution.fee_payer}`;
  const sentences = [
    `Transaction ${tx.hash} in block ${tx.block_number} of ${chain.name}${time}, signed by ${tx.signer}, ` +
      `${reverted ? 'reverted: nothing but its gas was paid' : 'succeeded'}. ` +
      `Its gas cost ${gasText(x)}${payer}.`,
    ...(reverted ? failureSentences(report).map(say) : [say(callSentence(report))]),
    ...called(report),
    ...attemptSentences(report).slice(0, 3).map(say),
    ...verdict(report),
  ];
  const own = report.inventory_deltas.filter((one) => one.subject === subject && one.delta_raw !== '0');
  const told = own.filter((delta) => !delta.flags.includes('suspected_spam'));
  if (told.length > 0)
    sentences.push(
      `Trace and receipt show for ${subject}, gas not counted: ` +
        `${listed(told.map((delta) => change(report, delta)))}.`,
      ...money(report),
    );
  else if (!reverted && own.length === 0)
    sentences.push(`Trace and receipt show no net change for ${subject}, gas not counted.`);

  const { motifs, position_effects: positions, allowances = [] } = report;
  const proven = positions.filter(isProven).map((p) => say(positionSentence(p, report)));
  const allowed = allowances.filter(isProven).map((a) => say(allowanceSentence(a)));
  sentences.push(...named('Proven steps', steps(report)), ...named('Proven position changes', proven));
  sentences.push(...named('Allowances', allowed), ...chosenNames(report));
  const left = [...motifs, ...positions].filter((one) => !isProven(one)).length;
  if (left > 0)
    sentences.push(`Left out because only suspected: ${left} of the report's motifs and position effects.`);
  return sentences.join(' ');
}
