import type { Asset } from '../../../src/model/generated/report.ts';
import { ROLE_NAMES } from '../../../src/tools/wording/accounts.ts';
import { netRows, owes, quantity, rowQuantity, type Quantity } from '../../../src/tools/wording/amounts.ts';
import { plural, shortHex, shown } from '../../../src/tools/wording/text.ts';
import type { View } from '../view.ts';
import type { FlowEdge, FlowNode, FlowSource } from './flow.ts';
import type { Size } from './layout.ts';

/** Text of a node. */
export interface NodeText {
  readonly part: string;
  readonly name: string;
  /** Net changes of the subject. */
  readonly nets: readonly { readonly text: string; readonly exact: string; readonly gain: boolean }[];
}

/** Text of an edge: a line per asset. */
export interface EdgeText {
  readonly lines: readonly string[];
  readonly exact: string;
}

const MOST_LINES = 3;

export function nodeText(
  node: FlowNode,
  { accounts, report }: FlowSource,
  { isActor, narrow }: Pick<NodeLook, 'isActor' | 'narrow'>,
): NodeText {
  if (node.members.length > 1)
    return {
      part: node.inside.length > 0 ? `Folded · ${plural(node.inside.length, 'movement')} inside` : 'Folded',
      name: `${node.members.length} ${ROLE_NAMES[node.role][1]}`,
      nets: [],
    };
  const address = node.members[0]!;
  const account = accounts.of(address);
  const moved = isActor
    ? report.inventory_deltas.filter((d) => d.subject === address && !/^-?0+$/.test(d.delta_raw))
    : [];
  // Sent amounts come first.
  const sorted = [...moved].sort(
    (a, b) => Number(b.delta_raw.startsWith('-')) - Number(a.delta_raw.startsWith('-')),
  );
  const rows = netRows(sorted);
  const nets = rows.slice(0, MOST_LINES + 1).map((row) => {
    const [{ asset, delta_raw: raw }] = row;
    const { short, exact } = rowQuantity(row);
    const sign = raw.startsWith('-') ? '−' : '+';
    const owed = owes(report, address, asset.id) ? ' owed' : '';
    return {
      text: `${sign}${short}${owed}`,
      exact: `${sign}${exact}${owed}`,
      gain: sign === '+' && owed === '',
    };
  });
  return {
    part: account.named && !narrow ? `${account.part} · ${shortHex(address)}` : account.part,
    name: shown(account.name, 40),
    nets,
  };
}

/** The subject's debt tokens are owed, not received. */
export const isOwed = (edge: FlowEdge, { report, subject }: FlowSource): boolean =>
  edge.carried.every(({ assetId }) => owes(report, subject, assetId));

/** A line per asset, NFTs of one collection in one. */
export function edgeText(
  edge: FlowEdge,
  view: Pick<View, 'assets' | 'report' | 'subject' | 'accounts'>,
): EdgeText {
  const owed = isOwed(edge, view) ? ' owed' : '';
  const sign = edge.direction === 'sent' ? '−' : edge.direction === 'received' ? '+' : '';
  const [unknown, known] = [[] as Quantity[], [] as { asset: Asset; delta_raw: string; count: number }[]];
  for (const { assetId, raw, count } of edge.carried) {
    const asset = view.assets.get(assetId);
    if (asset) known.push({ asset, delta_raw: raw.toString(), count });
    else unknown.push(quantity(raw, undefined, assetId));
  }
  const all = [...netRows(known), ...unknown].map((row) =>
    'short' in row
      ? { ...row, count: 1 }
      : { ...rowQuantity(row), count: row.length === 1 ? row[0].count : 1 },
  );
  const lines = all
    .slice(0, MOST_LINES)
    .map((q) => `${sign}${q.short}${owed}${q.count > 1 ? ` (${q.count}×)` : ''}`);
  if (all.length > MOST_LINES) lines.push(`and ${plural(all.length - MOST_LINES, 'more asset')}`);
  return { lines, exact: all.map((q) => q.exact).join(', ') };
}

/** Width of a text in the page's own font, measured off screen. */
export type TextWidth = (text: string, font: 'label' | 'name' | 'part') => number;

const LINE = 17;

export interface NodeLook {
  readonly isActor: boolean;
  readonly narrow: boolean;
  readonly width: TextWidth;
}

export function nodeSize(text: NodeText, node: FlowNode, { isActor, narrow, width }: NodeLook): Size {
  const most = 260;
  const content = Math.max(
    width(text.part, 'part'),
    width(text.name, 'name'),
    ...text.nets.map((n) => width(n.text, 'label')),
  );
  const pad = isActor ? 36 : 48;
  return {
    width: Math.round(Math.min(most, Math.max(narrow ? 92 : 124, content + pad))),
    height: (isActor ? 54 : 48) + text.nets.length * LINE + (node.members.length > 1 ? 2 : 0),
  };
}

export function labelSize(text: EdgeText, kinds: readonly string[], narrow: boolean, width: TextWidth): Size {
  const most = narrow ? 260 : 300;
  const mark = kinds.length > 0 ? width(kinds.join(', '), 'part') + 10 : 0;
  return {
    width: Math.round(
      Math.min(most, Math.max(...text.lines.map((line) => width(line, 'label'))) + 48 + mark),
    ),
    height: text.lines.length * LINE + 10,
  };
}
