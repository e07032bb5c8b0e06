import type { TxReport } from '../../model/generated/report.ts';
import type { Report } from './finding.ts';
import { gasCost, gasPrice, quantity, type RawChain } from './rawChain.ts';

/** Deltas sum up the movements of every account and asset, balance, and agree with the state difference. */
export function checkDeltas(report: TxReport, chain: RawChain, find: Report): void {
  const wanted = new Map<string, { inflow: bigint; outflow: bigint; movements: number[] }>();
  const lane = (subject: string, asset: string) => {
    const key = `${subject.toLowerCase()} ${asset}`;
    if (!wanted.has(key)) wanted.set(key, { inflow: 0n, outflow: 0n, movements: [] });
    return wanted.get(key)!;
  };
  (report.movements ?? []).forEach((m, i) => {
    const [from, to] = [lane(m.from, m.asset_id), lane(m.to, m.asset_id)];
    from.outflow += BigInt(m.amount_raw);
    to.inflow += BigInt(m.amount_raw);
    from.movements.push(i);
    to.movements.push(i);
  });

  const sums = new Map<string, bigint>();
  report.inventory_deltas.forEach((d, i) => {
    const at = `/inventory_deltas/${i}`;
    const key = `${d.subject.toLowerCase()} ${d.asset.id}`;
    const own = wanted.get(key);
    sums.set(d.asset.id, (sums.get(d.asset.id) ?? 0n) + BigInt(d.delta_raw));
    if (!own)
      return find('delta', at, `no movement of ${d.asset.id} touches ${d.subject}, or it is listed twice`);
    wanted.delete(key);
    const expected = [
      ['inflow is', own.inflow, d.inflow_raw],
      ['outflow is', own.outflow, d.outflow_raw],
      ['delta is', own.inflow - own.outflow, d.delta_raw],
      ['movements are', own.movements.join(), d.movements.join()],
    ] as const;
    for (const [name, right, stated] of expected)
      if (String(right) !== stated) find('delta', at, `${name} ${right}, not ${stated}`);
  });
  for (const key of wanted.keys()) find('delta', '/inventory_deltas', `left out: ${key}`);
  for (const [asset, sum] of sums)
    if (sum !== 0n) find('conservation', '/inventory_deltas', `${asset} sums to ${sum} over all subjects`);
  if (chain.prestateDiff) checkStateDifference(report, chain, chain.prestateDiff, find);
}

type StateDiff = NonNullable<RawChain['prestateDiff']>;

/** Wei that each account with a changed balance gained, by the node's state before and after. */
function balanceChanges(diff: StateDiff): Map<string, bigint> {
  const byAddress = (side: StateDiff['pre']) =>
    new Map(Object.entries(side).map(([a, v]) => [a.toLowerCase(), v]));
  const [pre, post] = [byAddress(diff.pre), byAddress(diff.post)];
  const changes = new Map<string, bigint>();
  for (const address of new Set([...pre.keys(), ...post.keys()])) {
    const [before, after] = [pre.get(address)?.['balance'], post.get(address)?.['balance']];
    if (before === undefined && after === undefined) continue;
    changes.set(address, after === undefined ? 0n : quantity(after) - quantity(before ?? '0x0'));
  }
  return changes;
}

function checkStateDifference(report: TxReport, chain: RawChain, diff: StateDiff, find: Report): void {
  const native = new Map(
    report.inventory_deltas
      .filter((d) => d.asset.kind === 'native')
      .map((d) => [d.subject.toLowerCase(), BigInt(d.delta_raw)]),
  );
  const { receipt, tx, block } = chain;
  const tip = quantity(receipt['gasUsed']) * (gasPrice(chain) - quantity(block['baseFeePerGas']));
  for (const [address, changed] of balanceChanges(diff)) {
    let expected = native.get(address) ?? 0n;
    if (address === String(tx['from']).toLowerCase()) expected -= gasCost(chain);
    if (address === String(block['miner']).toLowerCase()) expected += tip;
    const message = `${address} changed by ${changed} wei in the node's state, by ${expected} in the report`;
    if (changed !== expected) find('state', '/inventory_deltas', message);
  }
}
