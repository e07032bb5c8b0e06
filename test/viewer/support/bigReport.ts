import type { Asset, InventoryDelta, Movement, TxReport } from '../../../src/model/generated/report.ts';

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const token = (n: number): Asset => ({
  id: `eip155:1/erc20:${address(0xa000 + n)}`,
  kind: 'erc20',
  address: address(0xa000 + n),
  token_id: null,
  symbol: `TOK${n}`,
  name: `Token ${n}`,
  decimals: 18,
});
const ROLES = ['pool', 'router', 'vault', 'counterparty', 'fee_recipient', 'other'] as const;

/**
 * A report with as many distinct flows as asked for, balanced and valid against the schema. Accounts take part in turn,
 * so that the graph has hubs, chains and cycles. Everything of substance is borrowed from `base`.
 */
export function bigReport(base: TxReport, edges: number): TxReport {
  const actor = base.classification.actor ?? base.tx.signer;
  const accounts = Math.max(4, Math.floor(edges * 0.6));
  const nameOf = (n: number): string => (n === 0 ? actor : address(0x1000 + n));
  const movements: Movement[] = [];
  const seen = new Set<string>();
  let state = 1;
  const next = (below: number): number =>
    (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) % below;
  for (let i = 0; movements.length < edges; i++) {
    // A fixed mixture: spokes of a few hubs, steps along chains, jumps anywhere.
    const from = i % 5 === 0 ? next(4) : next(accounts);
    const to = i % 3 === 0 ? (from + 1) % accounts : next(accounts);
    if (from === to || seen.has(`${from}>${to}`)) continue;
    seen.add(`${from}>${to}`);
    movements.push({
      from: nameOf(from),
      to: nameOf(to),
      asset_id: token(i % 9).id,
      amount_raw: `${(BigInt(i) + 1n) * 1_234_567_890_123_456_789n}`,
      kind: 'transfer',
      evidence: {
        kind: 'log',
        frame_path: [i % 7, i % 3],
        log_index: movements.length,
        contract: token(i % 9).address!,
      },
    });
  }
  return {
    ...base,
    movements,
    inventory_deltas: deltasOf(movements, actor),
    pipeline_stats: {
      ...base.pipeline_stats,
      economic_movements: edges,
      tvfg_edges: edges,
      tvfg_nodes: accounts,
    },
  };
}

function deltasOf(movements: readonly Movement[], actor: string): InventoryDelta[] {
  const deltas = new Map<
    string,
    { subject: string; assetId: string; inflow: bigint; outflow: bigint; at: number[] }
  >();
  const note = (subject: string, assetId: string, index: number, inflow: bigint, outflow: bigint): void => {
    const key = `${subject} ${assetId}`;
    const d = deltas.get(key) ?? { subject, assetId, inflow: 0n, outflow: 0n, at: [] };
    deltas.set(key, d);
    d.inflow += inflow;
    d.outflow += outflow;
    d.at.push(index);
  };
  movements.forEach((m, i) => {
    note(m.from, m.asset_id, i, 0n, BigInt(m.amount_raw));
    note(m.to, m.asset_id, i, BigInt(m.amount_raw), 0n);
  });
  return [...deltas.values()].map(({ subject, assetId, inflow, outflow, at }): InventoryDelta => {
    const asset = token(Number(BigInt(`0x${assetId.slice(-4)}`)) - 0xa000);
    const raw = (inflow - outflow).toString();
    return {
      subject,
      subject_role: subject === actor ? 'actor' : ROLES[Number(BigInt(subject) % 6n)]!,
      asset,
      delta_raw: raw,
      delta: decimal(inflow - outflow),
      inflow_raw: inflow.toString(),
      outflow_raw: outflow.toString(),
      usd: { text: '—', available: false, reason: 'no_source' },
      flags: [],
      movements: at,
    };
  });
}

function decimal(raw: bigint): string {
  const digits = (raw < 0n ? -raw : raw).toString().padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return `${raw < 0n ? '-' : ''}${digits.slice(0, -18)}${fraction && `.${fraction}`}`;
}
