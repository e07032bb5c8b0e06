// Holds a report against the scenario's expectation and against the balances read from the chain.
import { getAddress, type Address } from 'viem';
import { NATIVE } from './addresses.ts';
import type { Delta } from './measure.ts';
import type { Ctx } from './scenario.ts';
import type { Told } from './story.ts';

/** The parts of a TxReport that a scenario can judge. */
export interface Report {
  tx: { hash: string; signer: string };
  execution: { reverted: boolean };
  classification: {
    intent_kind: string;
    intent_label: string;
    status: string;
    confidence: string;
    actor: string | null;
    matched_rule: string | null;
  };
  inventory_deltas: {
    subject: string;
    asset: { kind: string; address: string | null; token_id: string | null; symbol: string | null };
    delta_raw: string;
  }[];
}

export interface Judgement {
  intent: boolean;
  actor: boolean;
  balances: boolean;
  /** Every disagreement in words; empty when the report is right. */
  complaints: string[];
}

export function judge(ctx: Ctx, told: Told, deltas: readonly Delta[], report: Report): Judgement {
  const { scenario, expect } = told;
  const said = report.classification;
  const wanted = [scenario.intent, ...(scenario.alsoAcceptable ?? [])];
  const actors = [expect.actor, ...(expect.alsoActors ?? []).map(ctx.at)];
  const intent = wanted.includes(said.intent_kind);
  const actor = actors.includes(said.actor === null ? null : getAddress(said.actor));
  const wrong = wrongBalances(ctx, deltas, report);
  const complaints = [
    ...(intent ? [] : [`intent ${said.intent_kind}, expected ${wanted.join(' or ')}`]),
    ...(scenario.never?.includes(said.intent_kind) ? [`${said.intent_kind} is just what it is not`] : []),
    ...(actor ? [] : [`actor ${said.actor}, expected ${actors.join(' or ')}`]),
    ...(report.execution.reverted === (expect.reverted ?? false)
      ? []
      : [`reverted: ${report.execution.reverted}`]),
    ...(getAddress(report.tx.signer) === expect.signer ? [] : [`signer ${report.tx.signer}`]),
    ...wrong,
  ];
  return { intent, actor, balances: wrong.length === 0, complaints };
}

/**
 * Reported net amounts that the chain contradicts, and changes the report misses. The zero address holds no balance
 * to compare; tokens whose balances do not follow their Transfers are left to their own scenarios.
 */
export function wrongBalances(ctx: Ctx, deltas: readonly Delta[], report: Report): string[] {
  const elastic = new Set(
    Object.values(ctx.world.assets)
      .filter((asset) => asset.elastic)
      .map((asset) => asset.address),
  );
  const compared = (subject: Address, address: Address | null) =>
    subject !== NATIVE && !(address !== null && elastic.has(address));
  const said = new Map<string, bigint>();
  for (const { subject, asset, delta_raw } of report.inventory_deltas) {
    const address = asset.address === null ? null : getAddress(asset.address);
    if (!compared(getAddress(subject), address)) continue;
    const key = keyOf(getAddress(subject), address, asset.token_id);
    said.set(key, (said.get(key) ?? 0n) + BigInt(delta_raw));
  }
  const wrong: string[] = [];
  for (const { subject, address, tokenId, delta } of deltas) {
    if (!compared(subject, address)) continue;
    const key = keyOf(subject, address, tokenId?.toString() ?? null);
    const reported = said.get(key) ?? 0n;
    said.delete(key);
    if (reported !== delta) wrong.push(`${key}: reported ${reported}, chain ${delta}`);
  }
  for (const [key, reported] of said)
    if (reported !== 0n) wrong.push(`${key}: reported ${reported}, chain 0`);
  return wrong;
}

const keyOf = (subject: Address, address: Address | null, tokenId: string | null) =>
  `${subject} ${address ?? 'native'}${tokenId === null ? '' : `#${tokenId}`}`;
