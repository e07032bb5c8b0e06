// Every realised profit of the recorded mainnet transactions, computed a second time from the raw trace and logs.
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { decodeLog, isStandardTransfer, type LogMovement } from '../../src/tools/verify/chainMovements.ts';
import { readRawChain, type RawChain } from '../../src/tools/verify/rawChain.ts';
import { mergeWrapped, recomputeProfit } from '../../src/tools/verify/checkProfit.ts';
import type { PnlEntry, TxReport } from '../../src/model/generated/report.ts';
import { CORPUS, hasCorpus, readCorpus } from '../unit/3-flow/corpus.ts';

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const NATIVE = 'eip155:1/slip44:60';
/** Dollars for a whole unit of any asset; all tokens get 18 decimals. */
const DOLLARS = 2_000n;

function movementsOf(chain: RawChain): LogMovement[] {
  const ether = [...chain.frames.values()]
    .filter(({ value, from, to }) => value > 0n && from !== to)
    .map(({ from, to, value }) => ({ from, to, assetId: NATIVE, amount: value }));
  const tokens = [...chain.logs.values()].filter(isStandardTransfer).flatMap((log) => decodeLog(log));
  return [...ether, ...tokens];
}

interface Raw {
  readonly tx: { from: string; gasPrice?: string };
  readonly receipt: { gasUsed: string; effectiveGasPrice?: string; logs: readonly { address: string }[] };
  readonly block: { miner: string; timestamp: string };
  readonly callTracer: unknown;
}

/** What is wrong with an entry, by the raw records. */
function differences(entry: PnlEntry, entryPoint: string | null, { tx, receipt, block, callTracer }: Raw) {
  const chain = readRawChain({ tx, receipt, block, callTracer, parityTrace: null, prestateDiff: null });
  const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice ?? tx.gasPrice!);
  const { assets, gas: paidGas } = recomputeProfit({
    movements: movementsOf(chain),
    entity: new Set(entry.entity!.map((account) => account.toLowerCase())),
    signer: tx.from.toLowerCase(),
    builder: block.miner.toLowerCase(),
    wrapped: new Set([WETH]),
    entryPoint: entryPoint && entryPoint.toLowerCase(),
    gas,
  });
  const none = { paid: 0n, received: 0n, toBuilder: 0n };
  const own = assets.get(entry.asset.id) ?? none;
  const others = [...assets].filter(([id, { paid, received }]) => id !== entry.asset.id && paid !== received);
  const tips = [...assets.values()].reduce((sum, { toBuilder }) => sum + toBuilder, 0n);
  const net = Number((own.received - own.paid - paidGas - tips) * DOLLARS) / 1e18;
  const fees = BigInt(entry.fees_raw ?? 0);
  // A loan is neither cost nor proceeds; its fee stands apart from the gross.
  const lent = own.received - BigInt(entry.proceeds_raw);
  const shown = [entry.cost_raw, entry.gross_raw, entry.builder_payment_raw, entry.gas_raw!];
  const raw = [own.paid - lent - fees, own.received - own.paid + fees, own.toBuilder, paidGas].map(String);
  const wrong = shown.flatMap((text, i) => (text === raw[i] ? [] : [`${text} is ${raw[i]}`]));
  if (lent !== 0n || fees !== 0n) {
    const inAsset = movementsOf(chain).filter(
      ({ assetId }) => assetId === entry.asset.id || assetId === NATIVE || assetId.endsWith(WETH),
    );
    const entity = new Set(entry.entity!.map((account) => account.toLowerCase()));
    const lenders = inAsset
      .filter(({ to, amount }) => entity.has(to) && amount === lent)
      .map(({ from }) => from);
    const repaid = inAsset.some(
      ({ from, to, amount }) => entity.has(from) && lenders.includes(to) && amount === lent + fees,
    );
    if (!repaid) wrong.push(`no account lent ${lent} and got ${lent + fees}`);
  }
  if (others.length > 0) wrong.push(`left over: ${others.map(([id]) => id).join(', ')}`);
  if (Math.abs(Number(entry.net_usd.text.slice(1)) - net) > 0.0051)
    wrong.push(`${entry.net_usd.text} is ${net}`);
  return wrong;
}

describe.skipIf(!hasCorpus)('realised profit', () => {
  const rulebook = loadRules();

  it('is what the raw records give, for every supported entry in any asset', {
    timeout: 300_000,
  }, async () => {
    const wrong: unknown[] = [];
    const entries = new Map<string, number>();
    for (const name of CORPUS)
      for (const { hash, rpc } of readCorpus(name)) {
        const raw = rpc as unknown as Raw;
        const price = (asset: string) =>
          ({
            asset,
            numerator: DOLLARS,
            scale: 0,
            method: 'http',
            source: 'test',
            asOf: Number(raw.block.timestamp),
            heartbeat: null,
            pool: null,
            confidenceBps: null,
            depthUsd: null,
          }) as never;
        const emitters = [...new Set(raw.receipt.logs.map(({ address }) => address.toLowerCase()))];
        const tokens = emitters.map((address) => ({ address, symbol: null, name: null, decimals: 18 }));
        const context = {
          block: raw.block,
          tokens: new Map(tokens.map((token) => [token.address, token])) as never,
          prices: ['native', ...emitters].map(price),
          rates: [],
          refusals: [],
          delegations: new Map(),
        };
        const trace = { dialect: 'call_tracer', result: raw.callTracer } as const;
        const report = await analyzeRaw(
          { hash, tx: raw.tx, receipt: raw.receipt, trace },
          context,
          rulebook,
        ).catch((error: Error) => {
          // Records of impossible gas are refused, and named so.
          expect(error.message).toMatch(/gas/);
        });
        for (const entry of report?.economics.realized_pnl.entries ?? []) {
          const kind = entry.asset.kind;
          entries.set(kind, (entries.get(kind) ?? 0) + 1);
          const found = differences(entry, report!.attribution.entry_point, raw);
          if (found.length > 0) wrong.push([hash, ...found]);
        }
      }
    console.log(
      `realised profits recomputed: ${[...entries].map(([kind, n]) => `${n} in ${kind}`).join(', ')}`,
    );
    expect(wrong).toEqual([]);
    // Other results are left in several assets, were handed to others or need earlier transactions.
    expect(entries.get('native')).toBeGreaterThanOrEqual(18);
    expect(entries.get('erc20')).toBeGreaterThanOrEqual(1);
  });
});

it('counts no NFT as ether, whatever it calls itself', () => {
  const address = `0x${'ab'.repeat(20)}`;
  const [token, nft] = [`eip155:1/erc20:${address}`, `eip155:1/erc1155:${address}/7`];
  const deltas = [token, nft].map((id) => ({ asset: { id, address, symbol: 'WETH' } }));
  const merged = mergeWrapped({ movements: [], inventory_deltas: deltas } as unknown as TxReport);
  expect([token, nft].map(merged)).toEqual([NATIVE, nft]);
});
