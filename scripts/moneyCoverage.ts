/**
 * Share of recorded transactions with a net in dollars, by category; every net is checked against amounts and prices,
 * computed here with fractions and nothing of the product's own arithmetic. Exits with 1 below the floors or for a wrong figure.
 *   npx tsx scripts/moneyCoverage.ts [--http] [corpus file names…]     --http: with the replay node's invented prices
 */
import { parseArgs } from 'node:util';
import { createAnalyze } from '../src/service/analyzer.ts';
import { loadRules } from '../src/service/loadRules.ts';
import { AnalysisError } from '../src/lib/errors.ts';
import { checkMoney } from '../src/tools/verify/checkMoney.ts';
import type { TxReport } from '../src/model/generated/report.ts';
import type { Hash } from '../src/model/hex.ts';
import { createUpstream } from '../src/stages/1-fetch/rpc/upstream.ts';
import { createReportValidator } from '../src/stages/9-report/reportValidator.ts';
import { CORPUS, REPLAY_AVAILABLE, recordedHashes, startReplayNode } from '../test/support/replayNode.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { http: { type: 'boolean', default: false } },
});
/** Least share with a net in percent, of transactions with tokens that state their decimals. */
const FLOORS: Readonly<Record<string, number>> = values.http ? { trade: 90, lending: 95 } : { lending: 60 };

/** Least share of trades that state the price they were made at, in percent. */
const CONSIDERATION_FLOOR = 80;

interface Share {
  all: number;
  withNet: number;
  withConsideration: number;
}
const byCategory = new Map<string, Share>();
const wrong: string[] = [];
let lending = 0;

const decimalsKnown = ({ inventory_deltas: deltas, economics }: TxReport): boolean =>
  deltas.every(
    (d) => d.subject !== economics.subject || d.asset.kind !== 'erc20' || d.asset.decimals !== null,
  );

function count(report: TxReport): void {
  if (report.execution.reverted || !decimalsKnown(report)) return;
  const category = report.classification.category ?? 'none';
  const share = byCategory.get(category) ?? { all: 0, withNet: 0, withConsideration: 0 };
  byCategory.set(category, share);
  share.all++;
  if (report.economics.consideration_usd?.available) share.withConsideration++;
  if (!report.economics.net_usd_before_gas.available) return;
  share.withNet++;
  if (category === 'lending') {
    const found = wrong.length;
    checkMoney(report, (_, at, message) => void wrong.push(`${report.tx.hash} ${at}: ${message}`));
    if (wrong.length === found) lending++;
  }
  const byHand = netOf(report);
  if (byHand !== null && byHand !== report.economics.net_usd_before_gas.text)
    wrong.push(`${report.tx.hash}: ${report.economics.net_usd_before_gas.text}, by hand ${byHand}`);
}

/** Null where the subject has lending positions: those are claims and debts, which `verify` recomputes. */
function netOf(report: TxReport): string | null {
  const { subject, valuation } = report.economics;
  if (report.position_effects.some((e) => e.owner === subject && e.category.startsWith('lending')))
    return null;
  const prices = new Map((valuation.prices ?? []).map((p) => [p.asset_id, p.price_exact!]));
  let [over, under] = [0n, 1n];
  for (const { subject: account, asset, delta_raw: raw } of report.inventory_deltas) {
    if (account !== subject || raw === '0') continue;
    const [whole, fraction = ''] = prices.get(asset.id)!.split('.');
    const part = BigInt(raw) * BigInt(whole! + fraction);
    const scale = 10n ** BigInt(asset.decimals! + fraction.length);
    [over, under] = [over * scale + part * under, under * scale];
  }
  const [sign, magnitude] = over < 0n ? ['-', -over] : ['', over];
  for (let places = 2; ; places++) {
    const scaled = (magnitude * 10n ** BigInt(places) * 2n + under) / (under * 2n);
    if (magnitude > 0n && scaled.toString().length < (places > 2 ? 2 : 1)) continue;
    if (magnitude > 0n && scaled === 0n) continue;
    const text = scaled.toString().padStart(places + 1, '0');
    const cut = places > 2 ? text.replace(/0+$/, '') : text;
    const kept = places - (text.length - cut.length);
    return `$${sign}${cut.slice(0, cut.length - kept)}.${cut.slice(cut.length - kept)}`;
  }
}

if (!REPLAY_AVAILABLE) throw new Error('no recorded mainnet transactions here');
const files = positionals.length > 0 ? positionals : CORPUS;
const node = await startReplayNode({ dialect: 'geth', files });
const upstream = createUpstream({
  rpcUrls: [node.url],
  traceUrl: null,
  priceApiUrl: values.http ? node.url : null,
  rpcTimeoutMs: 60_000,
  rpcRetries: 0,
  deadlineMs: 600_000,
  maxResponseBytes: 1 << 30,
  rpcMaxBatch: 1_000,
});
const rulebook = loadRules();
const analyze = createAnalyze({
  upstream,
  rulebook: () => rulebook,
  validate: createReportValidator(),
  maxTokens: 2_000,
});
let requests = 0;
let analysed = 0;
for (const hash of recordedHashes(files)) {
  const options = {
    signal: new AbortController().signal,
    deadlineAt: performance.now() + 600_000,
    onCall: ({ upstream: name }: { upstream: string }) =>
      void (requests += name.startsWith('upstream') ? 1 : 0),
  };
  try {
    const { json } = await analyze(hash as Hash, options);
    analysed++;
    count(JSON.parse(typeof json === 'string' ? json : [...json].join('')) as TxReport);
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
  }
}
await upstream.close();
await node.close();

let failed = wrong.length > 0;
for (const [category, { all, withNet, withConsideration }] of [...byCategory].sort()) {
  const share = (100 * withNet) / all;
  const floor = FLOORS[category];
  const priced = (100 * withConsideration) / all;
  if (floor !== undefined && share < floor) failed = true;
  if (category === 'trade' && priced < CONSIDERATION_FLOOR) failed = true;
  console.log(
    `${category.padEnd(12)} ${withNet}/${all} ${share.toFixed(1)} %${floor === undefined ? '' : ` (floor ${floor})`}` +
      (withConsideration > 0 ? `, ${withConsideration} with a consideration, ${priced.toFixed(1)} %` : ''),
  );
}
console.log(`${lending} nets of lending hold by the arithmetic of verify`);
console.log(`${(requests / analysed).toFixed(3)} requests per transaction, ${wrong.length} nets wrong`);
for (const line of wrong.slice(0, 20)) console.log(line);
process.exitCode = failed ? 1 : 0;
