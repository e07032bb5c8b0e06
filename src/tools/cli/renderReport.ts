import pc from 'picocolors';
import type {
  Asset,
  AssetAmount,
  DisplayMoney,
  Evidence,
  InventoryDelta,
  Motif,
  TxReport,
} from '../../model/generated/report.ts';
import { stripVTControlCharacters } from 'node:util';
import { shownAmount } from '../../value/amount.ts';

/** Rows shown of a list before the rest is counted instead. */
const MOST_ROWS = 40;

/** The chain's own asset, which pays the gas and may appear nowhere else in a report. */
const NATIVE = 'eip155:1/slip44:60';

/** A report's exact amount, rounded for reading; smallest units where the decimals are unknown. */
export function quantity(exact: string | null, raw: string): string {
  return exact === null ? `${raw} (raw)` : shownAmount(exact);
}

const short = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`;
const assetName = ({ symbol, id, token_id }: Asset): string =>
  `${symbol ?? id.split('/')[1]}${token_id === null ? '' : ` #${token_id}`}`;

/** Every asset of a report by its id: refusals name assets by id alone. */
function assetsOf(report: TxReport): ReadonlyMap<string, Asset> {
  const legs = report.motifs.flatMap(({ assets_in, assets_out }) => [...assets_in, ...assets_out]);
  return new Map([...legs, ...report.inventory_deltas].map(({ asset }) => [asset.id, asset]));
}

/** `unpriced_asset: <id> (<code>), …` as `no price for USDC, …`. */
function whyNot(reason: string | undefined, assets: ReadonlyMap<string, Asset>): string {
  const [, unpriced] = /^unpriced_asset: (.+)$/.exec(reason ?? '') ?? [];
  if (unpriced === undefined) return (reason ?? 'unavailable').replaceAll('_', ' ');
  const nameOf = (id: string): string => {
    const asset = assets.get(id);
    return id === NATIVE ? 'ETH' : asset ? assetName(asset) : id;
  };
  return `no price for ${unpriced.replaceAll(/(eip155:\S+) \(\w+\)/g, (_, id: string) => nameOf(id))}`;
}

/** Before and after gas; a shared reason appears once. */
function net(before: DisplayMoney, after: DisplayMoney, assets: ReadonlyMap<string, Asset>): string {
  if (!before.available && !after.available && before.reason === after.reason)
    return pc.dim(`${before.text} ${whyNot(before.reason, assets)}`);
  const text = (value: DisplayMoney): string =>
    value.available ? value.text : pc.dim(`${value.text} (${whyNot(value.reason, assets)})`);
  return `${text(before)} before gas, ${text(after)} after`;
}

function signed(raw: string, text: string | null): string {
  const minus = raw.startsWith('-');
  return (minus ? pc.red : pc.green)(`${minus ? '' : '+'}${quantity(text, raw)}`);
}

/** `<quantity> <symbol>, …` with rounded quantities. */
function shownList(list: string): string {
  return list === ''
    ? '—'
    : list.replaceAll(/(^|, )(\d[\d.]*) /g, (_, before, n) => `${before}${shownAmount(n)} `);
}

interface Trust {
  readonly status: string;
  readonly confidence: string;
}

/** Green needs no caveat; everything else is marked in words as well as by colour. */
function badge({ status, confidence }: Trust): string {
  if (status === 'Suspected' || confidence === 'Low')
    return pc.bgYellow(pc.black(` ? ${status} · ${confidence} `));
  return confidence === 'High'
    ? pc.bgGreen(pc.black(` ✓ ${status} · ${confidence} `))
    : pc.bgCyan(pc.black(` ✓ ${status} · ${confidence} `));
}

/** Caveats to read before relying on the label. */
function caveat({ status, confidence }: Trust): string[] {
  if (status === 'Suspected')
    return [
      pc.yellow(
        'Suspected, not proven: the evidence is partial or heuristic. Check it before relying on it.',
      ),
    ];
  return confidence === 'Low' ? [pc.yellow('What happened is proven, what it was for is uncertain.')] : [];
}

function section(title: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const rest = rows.length - MOST_ROWS;
  return [
    '',
    pc.bold(title),
    ...rows.slice(0, MOST_ROWS).map((row) => `  ${row}`),
    ...(rest > 0 ? [pc.dim(`  … and ${rest} more: --json has them all`)] : []),
  ];
}

/** Names of contracts: tokens by their symbol, venues by their protocol. */
function namesOf({
  motifs,
  inventory_deltas: deltas,
  classification: c,
  tx,
}: TxReport): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { asset } of deltas)
    if (asset.address !== null && asset.symbol !== null) names.set(asset.address, asset.symbol);
  for (const { protocol } of motifs) if (protocol !== null) names.set(protocol.contract, protocol.slug);
  for (const account of [c.actor, tx.signer]) if (account !== null) names.delete(account);
  return names;
}

const leg = ({ asset, amount, amount_raw: raw }: AssetAmount): string =>
  `${quantity(amount, raw)} ${assetName(asset)}`;

/** Both sides of an exchange: `1 WETH → 3388.111026 USDC`. */
function legs({ assets_out: sent, assets_in: received }: Motif): string {
  const side = (list: readonly AssetAmount[]): string =>
    list.slice(0, 2).map(leg).join(' + ') + (list.length > 2 ? ` + ${list.length - 2} more` : '');
  return [side(sent), side(received)].filter((text) => text !== '').join(' → ');
}

/** Gains and losses by account; an account with several assets is named once. */
function changes(
  deltas: readonly InventoryDelta[],
  names: ReadonlyMap<string, string>,
  full: boolean,
): string[] {
  const shown = deltas.filter((delta) => delta.delta_raw !== '0');
  return alignColumns(
    shown.map((delta, i): (string | Cell)[] => {
      const again = shown[i - 1]?.subject === delta.subject;
      const who = again ? '' : full ? delta.subject : short(delta.subject);
      const name = names.get(delta.subject);
      return [
        who,
        pc.dim(again ? '' : `${delta.subject_role}${name === undefined ? '' : ` ${name}`}`),
        { text: signed(delta.delta_raw, delta.delta), align: 'right' },
        assetName(delta.asset),
        { text: pc.dim(delta.usd.available ? delta.usd.text : ''), align: 'right' },
        pc.dim(delta.flags.join(', ')),
      ];
    }),
  );
}

function place(evidence: Evidence): string {
  if (evidence.log_index !== null) return `log ${evidence.log_index}`;
  return evidence.frame_path !== null ? `frame [${evidence.frame_path.join(',')}]` : 'transaction';
}

/** The motifs, those that are part of another below it, with where to look for each on chain. */
function steps(motifs: readonly Motif[]): string[] {
  const rows: string[][] = [];
  const add = (parent: string | null, indent: string): void => {
    for (const motif of motifs.filter((one) => one.parent_id === parent)) {
      const proof = motif.status === 'Proven' ? pc.green('✓') : pc.yellow('?');
      const places =
        motif.evidence.slice(0, 4).map(place).join(', ') + (motif.evidence.length > 4 ? ', …' : '');
      rows.push([
        `${indent}${proof} ${motif.kind}${motif.count ? ` × ${motif.count}` : ''}`,
        motif.protocol?.slug ?? pc.dim('by structure'),
        legs(motif),
        pc.dim(motif.id),
        pc.dim(places),
      ]);
      add(motif.id, `${indent}  `);
    }
  };
  add(null, '');
  return alignColumns(rows);
}

/** Transaction, accounts, rule and money, by name. */
function facts(report: TxReport): [string, string][] {
  const { tx, execution, classification: c, economics: e, attribution: a } = report;
  const pnl = e.realized_pnl;
  const cost = `${execution.gas_used} gas, ${execution.gas_cost_native} ETH, ${execution.gas_cost_usd.text}`;
  return [
    ['tx', `${tx.hash}  ${pc.dim(`block ${tx.block_number}`)}`],
    ['outcome', `${execution.reverted ? pc.red(execution.outcome) : execution.outcome}  ${pc.dim(cost)}`],
    [
      'actor',
      c.actor === null
        ? pc.yellow('no single one')
        : `${c.actor}${c.actor_matches_signer ? pc.dim('  the signer') : ''}`,
    ],
    ...(c.actor_matches_signer
      ? []
      : [['signer', `${tx.signer}  ${pc.dim(`${a.submitter_role}, ${a.mode}`)}`] as [string, string]]),
    [
      'rule',
      c.matched_rule === null
        ? pc.yellow('none: a heuristic answered')
        : `${c.matched_rule} ${pc.dim(`v${c.rule_version}`)}`,
    ],
    ['sent', shownList(e.token_out)],
    ['received', shownList(e.token_in)],
    ['net', net(e.net_usd_before_gas, e.net_usd_after_gas, assetsOf(report))],
    ...(pnl.supported && pnl.net_usd?.available
      ? [['profit', `${pnl.net_usd.text} net of gas and builder`] as [string, string]]
      : []),
    ...(e.warnings.length > 0 ? [['warnings', pc.yellow(e.warnings.join(', '))] as [string, string]] : []),
  ];
}

function positions(effects: TxReport['position_effects']): string[] {
  const rows = effects.map((p) => [
    `${p.status === 'Proven' ? pc.green('✓') : pc.yellow('?')} ${p.category} ${p.effect}`,
    p.protocol?.slug ?? pc.dim('by structure'),
    short(p.owner),
    p.underlying
      .map((u) => `${signed(u.delta_raw, u.delta)} ${assetName(u.asset)} ${pc.dim(u.role)}`)
      .join(', '),
  ]);
  return alignColumns(rows);
}

/**
 * Renders a report for people: verdict and trust badge first, then money, balance changes, positions and
 * the proof of each motif.
 */
export function renderReport(report: TxReport, options: { full?: boolean } = {}): string {
  const { classification: c } = report;
  return [
    `${pc.bold(c.intent_kind)}  ${badge(c)}`,
    c.intent_label,
    ...caveat(c),
    '',
    ...alignColumns(facts(report).map(([name, value]) => [pc.dim(name), value])),
    ...section(
      'Who gained and lost',
      changes(report.inventory_deltas, namesOf(report), options.full ?? false),
    ),
    ...section('Positions', positions(report.position_effects)),
    ...section('What happened, and where to look', steps(report.motifs)),
    '',
  ].join('\n');
}

interface Cell {
  readonly text: string;
  readonly align?: 'left' | 'right';
}

const width = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Rows with their columns padded to the same width; colours do not count. */
function alignColumns(rows: readonly (readonly (string | Cell)[])[], gap = '  '): string[] {
  const cells = rows.map((row) =>
    row.map((cell): Cell => (typeof cell === 'string' ? { text: cell } : cell)),
  );
  const widths: number[] = [];
  for (const row of cells) row.forEach(({ text }, i) => (widths[i] = Math.max(widths[i] ?? 0, width(text))));
  return cells.map((row) =>
    row
      .map(({ text, align }, i) => {
        const fill = ' '.repeat(widths[i]! - width(text));
        return align === 'right' ? fill + text : text + fill;
      })
      .join(gap)
      .trimEnd(),
  );
}
