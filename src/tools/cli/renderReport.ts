import pc from 'picocolors';
import type {
  Allowance,
  AssetAmount,
  DisplayMoney,
  Evidence,
  InventoryDelta,
  Motif,
  PositionEffect,
  TxReport,
} from '../../model/generated/report.ts';
import { accountsOf, protocolName, type AccountBook } from '../wording/accounts.ts';
import {
  assetsOf,
  etherText,
  isDebt,
  listText,
  moneyText,
  netRows,
  rowQuantity,
  whyUnavailable,
  type NetRow,
} from '../wording/amounts.ts';
import { argumentsText } from '../wording/calls.ts';
import { positionSentence } from '../wording/positions.ts';
import {
  allowanceSentence,
  amountText,
  argumentsOf,
  attemptSentences,
  callSentence,
  caveatTexts,
  failureSentences,
  figures,
  inWords,
  trustOf,
  warningTexts,
  whoSentence,
  type Sentence,
} from '../wording/sentences.ts';
import { groupBy } from '../../lib/lists.ts';
import { lower, shortHex, shown, timeText, words } from '../wording/text.ts';
import type { Side } from '../client/seenBy.ts';
import type { CommonOptions } from './cliIo.ts';
import { alignColumns, terminalWidth, wrap, type Row } from './layout.ts';

/** Rows shown of a list before the rest is counted instead. */
const MOST_ROWS = 40;

type RenderOptions = Pick<CommonOptions, 'full' | 'verbose'>;

/** State shared by the parts of one rendering. */
interface Page {
  readonly report: TxReport;
  readonly accounts: AccountBook;
  readonly verbose: boolean;
  readonly room: number;
  readonly account: (address: string) => string;
  readonly say: (sentence: Sentence) => string;
}

function pageOf(report: TxReport, { full = false, verbose = false }: RenderOptions): Page {
  const accounts = accountsOf(report);
  const account = (address: string): string => {
    const { name, named } = accounts.of(address);
    const hex = full || verbose ? address : shortHex(address);
    return named ? `${name} (${hex})` : hex;
  };
  const say = (sentence: Sentence): string => inWords(sentence, { account });
  return { report, accounts, verbose, room: terminalWidth(), account, say };
}

function badge(trust: Pick<Motif, 'status' | 'confidence'>): string {
  const text = `${trust.status} · ${trust.confidence}`;
  if (trustOf(trust) !== 'proven') return pc.bgYellow(pc.black(` ? ${text} `));
  return (trust.confidence === 'High' ? pc.bgGreen : pc.bgCyan)(pc.black(` ✓ ${text} `));
}

const mark = ({ status }: Pick<Motif, 'status'>): string =>
  status === 'Proven' ? pc.green('✓') : pc.yellow('?');

function section({ room }: Page, name: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const rest = rows.length - MOST_ROWS;
  return [
    '',
    pc.bold(name),
    ...alignColumns(rows.slice(0, MOST_ROWS), room - 2).map((row) => `  ${row}`),
    ...(rest > 0 ? [pc.dim(`  … and ${rest} more: --json has them all`)] : []),
  ];
}

/** Time, cost, the function called, and why it failed. */
function transaction(page: Page): string[] {
  const { tx, execution: x } = page.report;
  const time = [timeText(tx.timestamp), `block ${tx.block_number}`].filter(Boolean).join(', ');
  const worth = x.gas_cost_usd.available ? `, ${moneyText(x.gas_cost_usd)}` : '';
  const gas = `${etherText(x.gas_cost_native)} gas${worth}`;
  const failed = failureSentences(page.report).map((sentence) => pc.red(page.say(sentence)));
  const most = page.verbose ? 400 : Math.min(page.room, 100) - 30;
  const list = argumentsOf(page.report).slice(0, page.verbose ? 40 : 8);
  return [
    pc.dim(tx.hash),
    pc.dim(`${time}, ${x.reverted ? 'failed' : 'succeeded'}, ${gas}`),
    page.say(whoSentence(page.report)),
    ...(x.reverted ? failed.slice(0, 1) : [page.say(callSentence(page.report))]),
    ...list.map((one) => pc.dim(`  ${argumentsText({ name: '', arguments: [one] }, most)}`)),
    ...failed.slice(x.reverted ? 1 : 0),
    ...attemptSentences(page.report)
      .slice(0, 4)
      .map((sentence) => pc.yellow(page.say(sentence))),
  ].flatMap((line) => wrap(line, page.room));
}

function signedRow(row: NetRow, debt: boolean): string {
  const minus = row[0].delta_raw.startsWith('-');
  const text = `${minus ? '−' : '+'}${rowQuantity(row).short}`;
  return (debt ? pc.yellow : minus ? pc.red : pc.green)(text);
}

const moved = (deltas: readonly InventoryDelta[]): InventoryDelta[] =>
  deltas.filter(({ delta_raw: raw }) => !/^-?0+$/.test(raw));

/** The assets that the subject sent, received and owes, and the figures of the economics. */
function money(page: Page): Row[] {
  const { report } = page;
  const { subject } = report.economics;
  const own = netRows(moved(report.inventory_deltas.filter((delta) => delta.subject === subject)));
  const sideOf = (row: NetRow): string =>
    isDebt(report, row[0]) ? 'Owes' : row[0].delta_raw.startsWith('-') ? 'Sent' : 'Received';
  const legs = ['Sent', 'Received', 'Owes'].flatMap((side) =>
    own
      .filter((row) => sideOf(row) === side)
      .map(
        (row, i): Row => [
          pc.dim(i === 0 ? side : ''),
          signedRow(row, side === 'Owes'),
          pc.dim(row.length === 1 ? moneyText(row[0].usd) : ''),
        ],
      ),
  );
  const assets = assetsOf(report);
  const why = (value: DisplayMoney): string =>
    value.available ? '' : pc.dim(whyUnavailable(assets, value.reason));
  const totals = figures(report).map(([name, value]): Row => [pc.dim(name), moneyText(value), why(value)]);
  const owners = (report.economics.by_owner ?? []).map(
    ({ owner, token_out: out, token_in: into, net_usd_before_gas: net }): Row => [
      page.account(owner),
      `${listText(out)} → ${listText(into)}`,
      pc.dim(moneyText(net)),
    ],
  );
  return [...legs, ...totals, ...owners];
}

/** Gains and losses by account; an account with several assets is named once. */
function changes(page: Page): Row[] {
  const bySubject = groupBy(moved(page.report.inventory_deltas), ({ subject }) => subject);
  return [...bySubject].flatMap(([subject, deltas]) =>
    netRows(deltas).map((row, i): Row => {
      const [first] = row;
      const debt = isDebt(page.report, first);
      const raw = page.verbose ? pc.dim(`${first.delta_raw} of ${first.asset.id}`) : '';
      return [
        i === 0 ? page.account(subject) : '',
        pc.dim(i === 0 ? lower(page.accounts.of(subject).part) : ''),
        signedRow(row, debt) + (debt ? ' owed' : ''),
        { right: pc.dim(first.usd.available && row.length === 1 ? moneyText(first.usd) : '') },
        [pc.dim(first.flags.map(lower).join(', ')), raw].filter(Boolean).join(' '),
      ];
    }),
  );
}

function place({ log_index: log, frame_path: path }: Evidence): string {
  if (log !== null) return `log ${log}`;
  return path !== null ? `frame [${path.join(',')}]` : 'transaction';
}

/** Both sides of an exchange: `1 WETH → 3,388.11 USDC`. */
function legs({ assets_out: sent, assets_in: received }: Motif): string {
  const side = (list: readonly AssetAmount[]): string =>
    [
      ...list.slice(0, 2).map(({ asset, amount_raw: raw }) => amountText(asset, BigInt(raw))),
      ...(list.length > 2 ? [`${list.length - 2} more`] : []),
    ].join(' + ');
  return [side(sent), side(received)].filter((text) => text !== '').join(' → ');
}

/** The motifs, those that are part of another below it; with `--verbose` where to look for each on chain. */
function steps({ report, verbose }: Page): Row[] {
  const rows: Row[] = [];
  const add = (parent: string | null, indent: string): void => {
    for (const motif of report.motifs.filter((one) => one.parent_id === parent)) {
      const places =
        motif.evidence.slice(0, 4).map(place).join(', ') + (motif.evidence.length > 4 ? ', …' : '');
      rows.push([
        `${indent}${mark(motif)} ${words(motif.kind)}${motif.count ? ` × ${motif.count}` : ''}`,
        motif.protocol ? protocolName(report, motif.protocol) : pc.dim('by what moved'),
        [legs(motif), verbose ? pc.dim(`${motif.id} ${places}`) : ''].filter(Boolean).join('  '),
      ]);
      add(motif.id, `${indent}  `);
    }
  };
  add(null, '');
  return rows;
}

/** Assets with a refused price, and the reason. */
function unpriced({ report }: Page): Row[] {
  const assets = assetsOf(report);
  return (report.economics.valuation.refusals ?? []).flatMap(({ asset_id: id, reason }): Row[] => {
    const asset = assets.get(id);
    return asset ? [[amountText(asset, undefined), pc.dim(shown(reason, 200))]] : [];
  });
}

/** A report for people: verdict, money, positions, allowances, gains, steps. As wide as the terminal. */
export function renderReport(report: TxReport, options: RenderOptions = {}): string {
  const page = pageOf(report, options);
  const { classification: c } = report;
  const positions = report.position_effects.map(
    (effect): Row => [mark(effect), page.say(positionSentence(effect, report))],
  );
  const allowances = (report.allowances ?? []).map((one): Row => [page.say(allowanceSentence(one))]);
  const rule = c.matched_rule === null ? 'no rule matched' : `rule ${c.matched_rule} v${c.rule_version}`;
  return [
    `${pc.bold(c.intent_kind)}  ${badge(c)}${page.verbose ? pc.dim(`  ${rule}`) : ''}`,
    ...wrap(shown(c.intent_label, 300), page.room),
    ...caveatTexts(report).flatMap((text) => wrap(pc.yellow(text), page.room)),
    '',
    ...transaction(page),
    ...section(page, 'Money', money(page)),
    ...warningTexts(report).flatMap((text) => wrap(pc.yellow(`  ${text}`), page.room, 2)),
    ...section(page, 'Positions', positions),
    ...section(page, 'Allowances', allowances),
    ...section(page, 'Who gained and lost', changes(page)),
    ...section(page, 'What happened', steps(page)),
    ...(page.verbose ? section(page, 'Without a price', unpriced(page)) : []),
    '',
  ].join('\n');
}

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
  const figure = (money: Side['net_usd'] | null, means: string): string[] =>
    money?.available ? [`${moneyText(money)} ${means}`] : [];
  const hasMoved = side.sent.length + side.received.length > 0;
  const lists: Readonly<Record<string, readonly string[]>> = {
    sent: amounts(side.sent),
    received: amounts(side.received),
    net: hasMoved ? figure(side.net_usd, 'before gas') : [],
    '': figure(side.net_usd_with_positions, 'with positions at cost'),
    positions: side.positions.map((one) => say(positionSentence(one as PositionEffect, report))),
    allowances: [...side.granted, ...side.obtained].map((one) => say(allowanceSentence(one as Allowance))),
    acts: side.acts.map(({ motif, roles }) => `${lower(motif.kind)} as ${roles.map(lower).join(', ')}`),
  };
  const rows = Object.entries(lists).flatMap(([title, texts]) =>
    texts.map((text, i): Row => [i === 0 ? title : '', text]),
  );
  const name = side.name === null ? '' : ` (${shown(side.name, 60)})`;
  const lines = [
    pc.bold(shown(report.classification.intent_label, 300)),
    `seen by ${side.account}${name}${side.paid_fee ? ', who paid the fee' : ''}`,
    ...alignColumns(rows, terminalWidth() - 2).map((line) => `  ${line}`),
    ...(rows.length === 0 ? ['nothing of its own moved'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
