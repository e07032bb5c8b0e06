import { analyzeRaw } from '../../../analyze.ts';
import { blockTx, type Block, type RawLog } from '../../../findings/blockFacts.ts';
import { findInBlock } from '../../../findings/findBlock.ts';
import { buildExample } from '../../../rules/example.ts';
import { checksumAddress } from '../../../evm/address.ts';
import type { Address } from '../../../model/hex.ts';
import type { Finding } from '../../../model/generated/finding.ts';
import type { RawFindingExample } from '../../../model/generated/rules.ts';
import type { SoundRuleset } from './rulesets.ts';

/** Why a finding rule's example fails; null where it passes. */
export async function findingFailure(
  example: RawFindingExample,
  nearMiss: boolean,
  slug: string,
  { rulebook, signatureNames }: SoundRuleset,
): Promise<string | null> {
  const built = example.transactions.map((one, at) => buildExample(one, signatureNames(null), at));
  const reports = await Promise.all(built.map(({ raw, context }) => analyzeRaw(raw, context, rulebook)));
  const logs = new Map(
    built.map(({ raw }) => [raw.hash as string, (raw.receipt as { logs: readonly RawLog[] }).logs]),
  );
  const block: Block = {
    number: reports[0]!.tx.block_number,
    coinbase: checksumAddress((built[0]!.context.block as { miner: Address }).miner),
    txs: reports.map(blockTx),
    logsOf: (hash) => logs.get(hash) ?? [],
  };
  const found = (await findInBlock(block, rulebook)).filter(({ rule }) => rule === slug);
  if (nearMiss) return found.length === 0 ? null : 'matches, though it should not';
  if (found.length === 0)
    return `no finding; the transactions are ${reports.map((r) => r.classification.intent_label).join('; ')}`;
  const inWords = (text: string): string => built.reduce((words, one) => one.inWords(words), text);
  return differences(found[0]!, example.expect ?? {}, inWords).join('\n') || null;
}

function differences(
  finding: Finding,
  expect: NonNullable<RawFindingExample['expect']>,
  inWords: (text: string) => string,
): string[] {
  const lines: string[] = [];
  if (expect.status !== undefined && expect.status !== finding.status)
    lines.push(
      `status is ${finding.status} (${finding.caveats.map(({ code }) => code).join(', ')}), ` +
        `expected ${expect.status}`,
    );
  for (const [step, wanted] of Object.entries(expect.steps ?? {})) {
    const got = finding.transactions.filter((part) => part.step === step).map(({ index }) => index);
    if (got.join() !== wanted.join()) lines.push(`${step} is [${got.join()}], expected [${wanted.join()}]`);
  }
  const amounts = finding.amounts.map(({ role, amount_raw, asset_id }) =>
    inWords(`${role} ${amount_raw} ${/0x\w+/.exec(asset_id ?? '')?.[0] ?? 'native'}`),
  );
  for (const wanted of expect.amounts ?? [])
    if (!amounts.includes(wanted)) lines.push(`no ${wanted} among ${amounts.join(', ')}`);
  return lines;
}
