// Every realised profit in ether of the recorded mainnet transactions, computed a second time from the raw trace and logs.
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { CORPUS, hasCorpus, readCorpus } from '../unit/3-flow/corpus.ts';

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ZERO = `0x${'0'.repeat(40)}`;
const DOLLARS = 2_000n;

interface Call {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly error?: string;
  readonly calls?: readonly Call[];
}
type Payment = readonly [from: string, to: string, amount: bigint];

function etherSent(call: Call): Payment[] {
  if (call.error !== undefined) return [];
  const moved = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(call.type) && call.to !== undefined;
  const own: Payment[] = moved
    ? [[call.from.toLowerCase(), call.to!.toLowerCase(), BigInt(call.value ?? 0)]]
    : [];
  return [...own, ...(call.calls ?? []).flatMap(etherSent)];
}

/** Ether and wrapped ether as one; turning one into the other moves nothing. */
function payments(
  trace: Call,
  logs: readonly { address: string; topics: string[]; data: string }[],
): Payment[] {
  const ether = etherSent(trace).filter(([from, to]) => from !== WETH && to !== WETH);
  const wrapped = logs
    .filter(({ address, topics }) => address.toLowerCase() === WETH && topics[0] === TRANSFER)
    .map(
      ({ topics, data }): Payment => [`0x${topics[1]!.slice(26)}`, `0x${topics[2]!.slice(26)}`, BigInt(data)],
    )
    .filter(([from, to]) => from !== ZERO && to !== ZERO);
  return [...ether, ...wrapped];
}

describe.skipIf(!hasCorpus)('realised profit in ether', () => {
  const rulebook = loadRules();

  it('is what the raw records give, for every supported entry', { timeout: 300_000 }, async () => {
    const wrong: unknown[] = [];
    let entries = 0;
    for (const name of CORPUS)
      for (const { hash, rpc } of readCorpus(name)) {
        const { tx, receipt, block, callTracer } = rpc as Record<string, any>;
        const price = {
          asset: 'native',
          numerator: DOLLARS,
          scale: 0,
          method: 'http',
          source: 'test',
          asOf: Number(block.timestamp),
          heartbeat: null,
          pool: null,
          confidenceBps: null,
          depthUsd: null,
        } as const;
        const { economics, attribution } = await analyzeRaw(
          { hash, tx, receipt, trace: { dialect: 'call_tracer', result: callTracer } },
          { block, tokens: new Map(), prices: [price], rates: [], refusals: [], delegations: new Map() },
          rulebook,
        );
        for (const entry of economics.realized_pnl.entries) {
          if (entry.asset.kind !== 'native') continue;
          entries++;
          const named = [tx.from, tx.to, attribution.actor, entry.beneficiary];
          const entity = new Set(named.map((account: string | null) => account?.toLowerCase()));
          const border = payments(callTracer, receipt.logs).filter(
            ([from, to]) => entity.has(from) !== entity.has(to),
          );
          const total = (list: readonly Payment[]): bigint =>
            list.reduce((sum, [, , amount]) => sum + amount, 0n);
          const received = total(border.filter(([, to]) => entity.has(to)));
          const sent = total(border.filter(([from]) => entity.has(from)));
          const builder = BigInt(entry.builder_payment_raw);
          const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice ?? tx.gasPrice);
          const net = (received - sent - gas) * DOLLARS;
          const shown = Number(entry.net_usd.text.slice(1));
          if (
            BigInt(entry.gross_raw) !== received - sent + builder ||
            Math.abs(shown - Number(net) / 1e18) > 0.0051
          )
            wrong.push([
              hash,
              entry.gross_raw,
              (received - sent + builder).toString(),
              entry.net_usd.text,
              Number(net) / 1e18,
            ]);
        }
      }
    expect(wrong).toEqual([]);
    // The recorded transactions hold 19 of them; other results are left in several assets or need earlier transactions.
    expect(entries).toBeGreaterThanOrEqual(15);
  });
});
