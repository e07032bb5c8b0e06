// A report held against the chain: balances read before and after, and every claim re-derived from the node's answers.
import { getAddress } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { wrongBalances } from '../devnet/judge.ts';
import { measure } from '../devnet/measure.ts';
import { brokenReport } from '../fuzz/outcome.ts';
import type { Devnet } from '../devnet/deploy.ts';
import type { Ctx } from '../devnet/scenario.ts';
import type { Hex } from 'viem';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ZERO = `0x${'0'.repeat(40)}`;

/** Everything the report says that the chain does not bear out; empty when nothing is lost, to the wei. */
export async function complaintsAbout(devnet: Devnet, ctx: Ctx, hash: Hex, json: string): Promise<string[]> {
  const broken = brokenReport(json);
  if (broken !== null) return [broken];
  const report = JSON.parse(json) as TxReport;
  const wrong = wrongBalances(ctx, await measure(devnet.chain, devnet.world, hash), report);
  const found: string[] = [];
  // The measurement leaves out precompiles, whose balances anybody can read all the same.
  for (const complaint of wrong) if (!/^0x0{36}/i.test(complaint)) found.push(complaint);
  found.push(...(await wrongLowAccounts(devnet, report)));
  found.push(...(await wrongElastic(ctx, hash, report)));
  const taxed = report.inventory_deltas.filter(({ asset }) => asset.address === ctx.at('TOLL'));
  // Payer, receiver and collector: a transfer to oneself leaves two.
  if (
    taxed.length > 2 &&
    taxed.some(({ subject }) => subject === ctx.at('house')) &&
    !taxed.every(({ flags }) => flags.includes('fee_on_transfer'))
  )
    found.push('TOLL: not flagged as taking a fee on transfer');
  const findings = verifyReport(report, await fetchRawAnswers(devnet.rpcUrl, hash));
  return [...found, ...findings.map(({ check, at, message }) => `verify ${check} ${at}: ${message}`)];
}

/** Native balances of the zero address and the precompiles, which nobody else touches in a block of one transaction. */
async function wrongLowAccounts({ rpc }: Devnet, report: TxReport): Promise<string[]> {
  const found: string[] = [];
  const at = (block: number): string => `0x${block.toString(16)}`;
  for (const { subject, asset, delta_raw } of report.inventory_deltas) {
    if (asset.kind !== 'native' || !/^0x0{36}/i.test(subject)) continue;
    // What is destroyed with its account arrives nowhere: reported as a burn to the zero address, whose balance stays.
    const burnt = (report.movements ?? []).reduce(
      (sum, m) =>
        m.kind === 'burn' && m.asset_id === asset.id && m.to === subject && isDestruction(m)
          ? sum + BigInt(m.amount_raw)
          : sum,
      0n,
    );
    const [before, after] = (await Promise.all(
      [report.tx.block_number - 1, report.tx.block_number].map((block) =>
        rpc('eth_getBalance', [subject, at(block)]),
      ),
    )) as [string, string];
    const change = BigInt(after) - BigInt(before);
    if (change !== BigInt(delta_raw) - burnt)
      found.push(`${subject} native: reported ${delta_raw}, chain ${change}`);
  }
  return found;
}

/** Whether a movement rests on a SELFDESTRUCT: its evidence names the account that sent it, not one that was called. */
const isDestruction = ({ from, evidence }: NonNullable<TxReport['movements']>[number]): boolean =>
  evidence.contract === from;

/**
 * Tokens whose balances change without Transfers (interest, rebases): the report is held against the sums of the Transfer
 * events alone, and must say what kind of token it is where the token's own events show it. A token that forges its events
 * has no balances at all: the report may leave those out.
 */
async function wrongElastic({ chain, world }: Ctx, hash: Hex, report: TxReport): Promise<string[]> {
  const found: string[] = [];
  const { logs } = await chain.receipt(hash);
  for (const [name, asset] of Object.entries(world.assets)) {
    if (!asset.elastic || name === 'FAKE') continue;
    const sums = new Map<string, bigint>();
    const own = logs.filter((log) => getAddress(log.address) === asset.address);
    for (const { topics, data } of own) {
      if (topics[0] !== TRANSFER || topics.length !== 3) continue;
      const [from, to] = [topics[1]!, topics[2]!].map((topic) => getAddress(`0x${topic.slice(26)}`)) as [
        string,
        string,
      ];
      sums.set(from, (sums.get(from) ?? 0n) - BigInt(data));
      sums.set(to, (sums.get(to) ?? 0n) + BigInt(data));
    }
    for (const delta of report.inventory_deltas.filter((d) => d.asset.address === asset.address)) {
      if (BigInt(delta.delta_raw) !== (sums.get(delta.subject) ?? 0n))
        found.push(
          `${delta.subject} ${name}: reported ${delta.delta_raw}, Transfers ${sums.get(delta.subject) ?? 0n}`,
        );
      sums.delete(delta.subject);
      const sharesToo = own.length > [...own].filter(({ topics }) => topics[0] === TRANSFER).length;
      if (
        name === 'rbETH' &&
        sharesToo &&
        delta.subject !== getAddress(ZERO) &&
        !delta.flags.includes('rebasing')
      )
        found.push(`${delta.subject} ${name}: not flagged as rebasing`);
    }
    for (const [subject, sum] of sums)
      if (sum !== 0n) found.push(`${subject} ${name}: not reported, Transfers ${sum}`);
  }
  return found;
}
