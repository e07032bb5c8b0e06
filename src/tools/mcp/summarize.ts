import type { InventoryDelta, Motif, TxReport } from '../../model/generated/report.ts';

/** Entries of a list before the rest is counted instead. */
const MOST = 8;

function listed(entries: readonly string[]): string {
  const rest = entries.length - MOST;
  return entries.slice(0, MOST).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** `+2500 "USDC" (0xA0b8…)`: a token's own name is quoted, next to its contract, which cannot be forged. */
function change({ asset, delta, delta_raw: raw }: InventoryDelta): string {
  const amount = delta ?? `${raw} smallest units`;
  const name =
    asset.kind === 'native'
      ? 'ETH'
      : `${asset.symbol === null ? 'of the token' : JSON.stringify(asset.symbol)} ` +
        `(${asset.address}${asset.token_id === null ? '' : ` #${asset.token_id}`})`;
  return `${raw.startsWith('-') ? '' : '+'}${amount} ${name}`;
}

/**
 * `swap on uniswap-v2 (2 times)`; a protocol is named only where its contract was recognised, not its manner.
 */
function steps(motifs: readonly Motif[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind, protocol } of motifs) {
    const known = protocol !== null && protocol.matched_by !== undefined && protocol.matched_by !== 'family';
    const step = `${kind.replaceAll('_', ' ')}${known ? ` on ${protocol.slug}` : ''}`;
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].map(([step, n]) => (n === 1 ? step : `${step} (${n} times)`));
}

function verdictSentences(c: TxReport['classification']): string[] {
  if (c.status !== 'Proven') return ['What it was for is not proven.'];
  const label = JSON.stringify(c.intent_label);
  const verdict = `Proven, confidence ${c.confidence}: it is of kind ${c.intent_kind}, in words ${label}.`;
  if (c.actor === null) return [verdict, 'No single account can be named as the one it was done for.'];
  return [
    verdict,
    c.actor_matches_signer ? 'It was done by its signer.' : `It was done for ${c.actor}, not for its signer.`,
  ];
}

/**
 * A report in a few sentences, from its proven parts only: receipt and trace, and verdict, motifs and
 * positions with status Proven. Suspected ones are only counted.
 */
export function summarize(report: TxReport): string {
  const { tx, chain, execution, classification: c, economics } = report;
  const sentences = [
    `Transaction ${tx.hash} in block ${tx.block_number} of ${chain.name}, signed by ` +
      `${tx.signer}, ` +
      `${execution.reverted ? 'reverted: nothing but its gas was paid' : 'succeeded'}. Its gas ` +
      `cost ${execution.gas_cost_native} ETH.`,
  ];
  sentences.push(...verdictSentences(c));

  const own = report.inventory_deltas.filter(
    (delta) => delta.subject === economics.subject && delta.delta_raw !== '0',
  );
  const told = own.filter((delta) => !delta.flags.includes('suspected_spam'));
  if (told.length > 0)
    sentences.push(
      `Trace and receipt show for ${economics.subject}, gas not counted: ${listed(told.map(change))}.`,
    );
  else if (!execution.reverted && own.length === 0)
    sentences.push(`Trace and receipt show no net change for ${economics.subject}, gas not counted.`);

  const provenMotifs = report.motifs.filter((motif) => motif.status === 'Proven');
  if (provenMotifs.length > 0) sentences.push(`Proven steps: ${listed(steps(provenMotifs))}.`);
  const positions = report.position_effects.filter((effect) => effect.status === 'Proven');
  if (positions.length > 0) {
    sentences.push(
      'Proven position changes: ' +
        `${listed(positions.map((p) => `${p.category.replaceAll('_', ' ')} ${p.effect} of ${p.owner}`))}.`,
    );
  }
  const left = report.motifs.length - provenMotifs.length + report.position_effects.length - positions.length;
  if (left > 0)
    sentences.push(`Left out because only suspected: ${left} of the report's motifs and position effects.`);
  return sentences.join(' ');
}
