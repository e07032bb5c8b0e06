// One set of flows: an account's figures are the same in economics, by owner, seen from its side and in a ledger.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import type { TxReport as WireReport } from '../../src/model/generated/report.ts';
import type { PriceQuote } from '../../src/model/upstream.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { AnalysisError } from '../../src/lib/errors.ts';
import { allRecordings, type Recording } from '../../src/tools/cli/rules/recordings.ts';
import type { TxReport } from '../../src/tools/client/report.ts';
import { exactSums, seenBy } from '../../src/tools/client/seenBy.ts';
import { usdText } from '../../src/value/money.ts';
import { ledgerEvents } from '../../src/tools/ledger/ledgerEvent.ts';
import { quote } from '../support/builders.ts';
import { corpus, CORPUS, REPLAY_AVAILABLE, warnIfAbsent } from '../support/replayNode.ts';

const rulebook = loadRules();
warnIfAbsent('agreement of figures over the corpora');

/** Two of three tokens at prices that differ by address, so that sums and refusals both occur. */
function priced({ context }: Recording): Recording['context'] {
  const { block } = context;
  const asOf = Number((block as { timestamp?: string } | null)?.timestamp ?? 0);
  const of = (asset: PriceQuote['asset'], n: number) =>
    quote(asset, `${(n % 977) + 1}.0${n % 10}7`, { asOf });
  const tokens = [...context.tokens.keys()].filter((token) => Number(BigInt(token) % 3n) !== 0);
  const prices = [of('native', 1_950), ...tokens.map((token) => of(token, Number(BigInt(token) % 9_973n)))];
  return { ...context, prices };
}

interface Counts {
  subjects: number;
  owners: number;
  booked: number;
}

async function compare(files: readonly string[]): Promise<Counts> {
  const counts = { subjects: 0, owners: 0, booked: 0 };
  for (const recording of allRecordings(files)) {
    let report: TxReport;
    try {
      report = (await analyzeRaw(recording.raw, priced(recording), rulebook)) as unknown as TxReport;
    } catch (error) {
      if (error instanceof AnalysisError) continue;
      throw error;
    }
    const { economics: e } = report;
    const all = exactSums(report, e.subject);
    expect(all.inflow && usdText(all.inflow), recording.name).toBe(
      e.inflow_usd.available ? e.inflow_usd.text : null,
    );
    const seen = seenBy(report, e.subject);
    if (seen !== null) {
      counts.subjects++;
      expect(seen.net_usd, recording.name).toEqual(e.net_usd_before_gas);
      expect(seen.net_usd_with_positions ?? undefined, recording.name).toEqual(e.net_usd_with_positions);
      counts.booked += seen.net_usd_with_positions ? 1 : 0;
    }
    for (const { owner, accounts, inflow_usd: inflow, net_usd_before_gas: net } of e.by_owner ?? []) {
      // Several accounts of an owner are taken as one: what they send each other is no gain.
      const exact = exactSums(report, owner, accounts);
      expect(exact.net && usdText(exact.net), `${recording.name} ${owner}`).toBe(
        net.available ? net.text : null,
      );
      expect(exact.inflow && usdText(exact.inflow), `${recording.name} ${owner}`).toBe(
        inflow.available ? inflow.text : null,
      );
      const side = accounts.length === 1 ? seenBy(report, owner) : null;
      if (side === null) continue;
      counts.owners++;
      expect(side.net_usd, `${recording.name} ${owner}`).toEqual(net);
    }
    for (const account of new Set(report.inventory_deltas.map(({ subject }) => subject))) {
      const side = seenBy(report, account)!;
      const { event, doubtful } = ledgerEvents(report as unknown as WireReport, new Set([account]), rulebook);
      // Left-out flows stand apart; together they are what the report says of the account.
      const nets = new Map<string, bigint>();
      for (const { asset, raw, debt } of [...(event?.flows ?? []), ...(doubtful?.flows ?? [])])
        if (!debt) nets.set(asset.id, (nets.get(asset.id) ?? 0n) + raw);
      const netIds = (sign: bigint) =>
        [...nets]
          .filter(([, net]) => net * sign > 0n)
          .map(([id]) => id)
          .sort();
      const ids = (legs: readonly { asset: { id: string } }[]) => legs.map(({ asset }) => asset.id).sort();
      const debts = new Set(
        side.positions.filter((p) => p.category === 'lending_debt').map((p) => p.position_asset?.id),
      );
      const own = (list: typeof side.sent) => list.filter(({ asset }) => !debts.has(asset.id));
      expect(netIds(-1n), `${recording.name} ${account}`).toEqual(ids(own(side.sent)));
      expect(netIds(1n), `${recording.name} ${account}`).toEqual(ids(own(side.received)));
      expect(event?.fee != null, `${recording.name} ${account}`).toBe(account === report.tx.signer);
    }
  }
  return counts;
}

it('figures of an account agree in the own recordings', async () => {
  const counts = await compare([join(import.meta.dirname, '../recordings')]);
  expect(counts.subjects).toBeGreaterThan(50);
});

it.skipIf(!REPLAY_AVAILABLE)('and in every recorded mainnet transaction', { timeout: 600_000 }, async () => {
  const files = [...CORPUS, 'blocks-2024.ndjson.gz'].map(corpus).filter((file) => existsSync(file));
  const counts = await compare(files);
  expect(counts.subjects).toBeGreaterThan(3_000);
  expect(counts.booked).toBeGreaterThan(90);
});
