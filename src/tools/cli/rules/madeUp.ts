import { analyzeRaw } from '../../../analyze.ts';
import { checksumAddress } from '../../../evm/address.ts';
import { blockTx, type RawLog } from '../../../findings/blockFacts.ts';
import { findInBlock } from '../../../findings/findBlock.ts';
import type { Finding } from '../../../model/generated/finding.ts';
import type { Address } from '../../../model/hex.ts';
import { NATIVE_ASSET, erc20Id, nftId } from '../../../value/asset.ts';
import { roleOf } from '../../../lib/roles.ts';
import { buildExample, type BuiltExample } from '../../../rules/example.ts';
import { planHolders } from '../../../stages/1-fetch/context/holderReads.ts';
import { readAmount } from '../../../rules/exampleArguments.ts';
import type { FindSignature } from '../../../rules/exampleNames.ts';
import type { Motif } from '../../../model/motif.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type {
  RawExample,
  RawExampleStep,
  RawExpectation,
  RawExpectedMotif,
  RawFindingExample,
} from '../../../model/generated/rules.ts';
import { motifsOfShapes } from './fates.ts';
import { examineTx, type ExaminedTx } from './loadTx.ts';
import type { SoundRuleset } from './rulesets.ts';
import { unrecognised, unrecognisedLines } from './whyNot.ts';

/** An example's made-up transaction after the pipeline. */
export interface MadeUp {
  readonly built: Pick<BuiltExample, 'addressOf' | 'inWords'>;
  readonly examined: ExaminedTx;
}

export async function examineExample(
  { transaction, name = 'example' }: RawExample,
  rulebook: Rulebook,
  find: FindSignature,
): Promise<MadeUp> {
  const built = buildExample(transaction!, find);
  return { built, examined: await examineTx({ name, ...built }, rulebook) };
}

/** The transaction as a stranger would forge it: its own contracts say the same, and nothing moves. */
export function forgedTwin({ transaction, name }: RawExample): RawExample {
  const { to, steps = [], ...rest } = transaction!;
  const forged = (word: string): string => (word.startsWith('0x') ? 'forger' : word);
  const said = steps.flatMap((step): readonly RawExampleStep[] => {
    if ('event' in step) return [{ event: step.event, by: forged(step.by ?? to), args: step.args ?? [] }];
    if ('call' in step)
      return [{ call: step.call, on: forged(step.on), by: 'stranger', args: step.args ?? [] }];
    return [];
  });
  const { call, args = [] } = rest;
  const own = call === undefined ? {} : { call, args };
  return {
    name: `${name} (forged)`,
    transaction: { from: 'stranger', to: forged(to), ...own, steps: said },
  };
}

/** Parts of a forged transaction taken for proven, one line each. */
export function believed({ built, examined }: MadeUp, shape: string): string[] {
  const stranger = built.addressOf('stranger');
  return motifsOfShapes(examined, [shape])
    .filter(
      ({ status, participants }) => status === 'Proven' && participants.some((p) => p.account !== stranger),
    )
    .map(({ kind, participants }) =>
      built.inWords(
        `${kind} is Proven of ${participants.map((p) => p.account).join(', ')}, though nothing moved and a ` +
          "stranger's contract says it",
      ),
    );
}

/** NFTs whose holders an example states and no role asks for, one line each. */
export function unaskedHolders({ built, examined: { tx, recording } }: MadeUp, rulebook: Rulebook): string[] {
  const asked = planHolders(tx, rulebook);
  const stated = [...(recording.context.holders?.keys() ?? [])];
  return stated.flatMap((nft) => (asked.has(nft) ? [] : built.inWords(`no role asks who holds ${nft}`)));
}

/** Results that differ from the expectation, one line each. `shape`: the shape the example belongs to. */
export async function surprises(
  { built, examined }: MadeUp,
  expect: RawExpectation,
  rulebook: Rulebook,
  shape: string | null,
): Promise<string[]> {
  const { verdict } = examined.reading.explained;
  const { actor } = examined.attribution;
  const lines: string[] = [];
  const compare = (what: string, wanted: unknown, found: unknown): void => {
    if (wanted !== undefined && wanted !== found)
      lines.push(`${what} is ${String(found ?? 'none')}, expected ${String(wanted)}`);
  };
  compare('intent', expect.intent, verdict.kind);
  const { category: published = 'unknown', subcategory = published } =
    rulebook.intentKinds.get(verdict.kind) ?? {};
  compare('category', expect.category, either([published, subcategory], expect.category));
  compare('label', expect.label, verdict.label);
  compare('status', expect.status, verdict.status);
  compare('actor', expect.actor && built.addressOf(expect.actor), actor);
  if (expect.positions) {
    const report = await analyzeRaw(examined.recording.raw, examined.recording.context, rulebook);
    const found = report.position_effects.map(({ category, subcategory: own = category, effect }, i) =>
      either([`${category} ${effect}`, `${own} ${effect}`], expect.positions![i]),
    );
    compare('positions', expect.positions.join(', '), found.join(', '));
  }
  const motifs = shape === null ? examined.motifs : motifsOfShapes(examined, [shape]);
  for (const wanted of expect.motifs ?? []) lines.push(...missingMotif(wanted, motifs, built));
  if (expect.motifs?.length === 0 && motifs.length > 0)
    lines.push(`recognised ${motifs.map(({ kind }) => kind).join(', ')}, expected nothing`);
  if (lines.length > 0)
    lines.push(...doubts(examined, motifs), ...unrecognisedLines(unrecognised(examined, rulebook)));
  return lines.map(built.inWords);
}

/** The published word or the rules' own, whichever is expected. */
const either = (words: readonly [string, string], wanted?: string): string =>
  words.find((one) => one === wanted) ?? words[1];

/** Why the verdict, or an act, is no more than Suspected. */
function doubts({ reading }: ExaminedTx, motifs: readonly Motif[]): string[] {
  const { caveats } = reading.explained.verdict;
  const failed = motifs.flatMap(({ kind, venue, claims, doubt }) => {
    const why = new Set([...claims.flatMap((one) => (one.holds ? [] : one.name)), doubt ?? []].flat());
    return why.size === 0 ? [] : [`  ${kind} at ${venue} is Suspected: ${[...why].join(', ')}`];
  });
  return [...(caveats.length === 0 ? [] : [`  caveats: ${caveats.join(', ')}`]), ...failed];
}

function missingMotif(wanted: RawExpectedMotif, motifs: readonly Motif[], built: MadeUp['built']): string[] {
  const ofKind = motifs.filter(({ kind }) => kind === wanted.kind);
  if (ofKind.length === 0)
    return [`no motif ${wanted.kind}; there are: ${motifs.map(({ kind }) => kind).join(', ') || 'none'}`];
  const faults = ofKind.map((motif) => motifFaults(wanted, motif, built));
  if (faults.some((list) => list.length === 0)) return [];
  const fewest = faults.reduce((best, list) => (list.length < best.length ? list : best));
  return fewest.map((fault) => `motif ${wanted.kind}: ${fault}`);
}

function motifFaults(wanted: RawExpectedMotif, motif: Motif, { addressOf }: MadeUp['built']): string[] {
  const faults: string[] = [];
  if (wanted.status !== undefined && wanted.status !== motif.status)
    faults.push(`status is ${motif.status}, expected ${wanted.status}`);
  if (wanted.venue !== undefined && addressOf(wanted.venue) !== motif.venue)
    faults.push(`venue is ${motif.venue}, expected ${wanted.venue}`);
  for (const [role, account] of Object.entries(wanted.roles ?? {}))
    if (roleOf(motif, role) !== addressOf(account))
      faults.push(`${role} is ${roleOf(motif, role) ?? 'nobody'}, expected ${account}`);
  return [...faults, ...missingLegs(wanted.legs ?? [], motif, addressOf)];
}

function missingLegs(
  wanted: readonly string[],
  motif: Motif,
  addressOf: MadeUp['built']['addressOf'],
): string[] {
  const legs = [...motif.assetsIn, ...motif.assetsOut].map((leg) => `${leg.role} ${leg.amount} ${leg.asset}`);
  const missing = wanted.filter((text) => {
    const [role, amount, asset] = text.split(' ') as [string, string, string];
    const [token, nft] = asset.split('#') as [string, string?];
    const of = (kind: 'erc721' | 'erc1155'): string => nftId(kind, addressOf(token), readAmount(nft!, []));
    const fungible = asset === 'native' ? NATIVE_ASSET : erc20Id(addressOf(token));
    const ids = nft === undefined ? [fungible] : [of('erc721'), of('erc1155')];
    return !ids.some((id) => legs.includes(`${role} ${readAmount(amount, [])} ${id}`));
  });
  return missing.map((text) => `no leg ${text}; there are: ${legs.join(', ') || 'none'}`);
}

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
  const block = {
    number: reports[0]!.tx.block_number,
    coinbase: checksumAddress((built[0]!.context.block as { miner: Address }).miner),
    txs: reports.map(blockTx),
    logsOf: (hash: string) => logs.get(hash) ?? [],
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
