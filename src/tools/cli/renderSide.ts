import pc from 'picocolors';
import type { Allowance, PositionEffect, TxReport } from '../../model/generated/report.ts';
import type { Side } from '../client/seenBy.ts';
import { accountsOf } from '../wording/accounts.ts';
import { moneyText, netRows, rowQuantity } from '../wording/amounts.ts';
import { positionSentence } from '../wording/positions.ts';
import { allowanceSentence, inWords, type Sentence } from '../wording/sentences.ts';
import { lower, shortHex, shown } from '../wording/text.ts';
import { alignColumns, terminalWidth, type Row } from './layout.ts';

/** One account's side of a report as text for people. */
export function renderSide(side: Side, report: TxReport): string {
  const accounts = accountsOf(report);
  const account = (address: string): string => {
    const { name, named } = accounts.of(address);
    return named ? `${name} (${shortHex(address)})` : address;
  };
  const say = (sentence: Sentence): string => inWords(sentence, { account });
  const amounts = (deltas: Side['sent']): string[] =>
    netRows(deltas).map(
      (row) => `${rowQuantity(row).short} ${pc.dim(row.length === 1 ? moneyText(row[0].usd) : '')}`,
    );
  const positions = side.positions.map((one) => say(positionSentence(one as PositionEffect, report)));
  const allowances = [...side.granted, ...side.obtained].map((one) =>
    say(allowanceSentence(one as Allowance)),
  );
  const acts = side.acts.map(({ motif, roles }) => `${lower(motif.kind)} as ${roles.map(lower).join(', ')}`);
  const rows = [
    ...listed('sent', amounts(side.sent)),
    ...listed('received', amounts(side.received)),
    ...(side.net_usd.available && side.sent.length + side.received.length > 0
      ? listed('net', [`${moneyText(side.net_usd)} before gas`])
      : []),
    ...(side.net_usd_with_positions?.available
      ? listed('', [`${moneyText(side.net_usd_with_positions)} with positions at cost`])
      : []),
    ...listed('positions', positions),
    ...listed('allowances', allowances),
    ...listed('acts', acts),
  ];
  const lines = [
    pc.bold(shown(report.classification.intent_label, 300)),
    'seen by ' +
      `${side.account}${side.name === null ? '' : ` (${shown(side.name, 60)})`}` +
      `${side.paid_fee ? ', who paid the fee' : ''}`,
    ...alignColumns(rows, terminalWidth() - 2).map((line) => `  ${line}`),
    ...(rows.length === 0 ? ['nothing of its own moved'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const listed = (title: string, texts: readonly string[]): Row[] =>
  texts.map((text, i) => [i === 0 ? title : '', text]);
