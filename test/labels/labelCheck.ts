// What a label may say: amounts of the act it speaks of, of the actor or of a position it changed; nobody else's act as the actor's.
import type { Analysis } from '../../src/analyze.ts';
import { ZERO_ADDRESS } from '../../src/evm/hex.ts';
import type { Address } from '../../src/model/hex.ts';
import type { PositionChange } from '../../src/model/economics.ts';
import type { Rulebook } from '../../src/model/rulebook.ts';
import type { Motif } from '../../src/model/motif.ts';
import type { Asset, AssetId, Movement } from '../../src/model/valueFlow.ts';
import { isSwap, kindOf } from '../../src/lib/motifKinds.ts';
import { mergeNative, NATIVE } from '../../src/value/asset.ts';
import { amountText, labelFormat } from '../../src/value/labelFormat.ts';
import { builderPayments, executionPayments } from '../../src/value/parties/execution.ts';

/** Rules whose sentence names nobody: failures, nonce cancels, creations, settlements of several owners. */
const EXEMPT = new Set(['Reverted', 'SelfTransaction', 'ContractDeployment']);
/** Categories of intents that claim no movement of value. */
const CLAIM_NOTHING = new Set(['governance', 'account', 'contract', 'unknown']);
const CLAIM_NO_MOVEMENT = new Set([
  'PoolCreation',
  'NameServiceAction',
  'OrderPlacement',
  'OrderCancellation',
  'SpamTransfer',
]);

/** Rules about several owners, proven where each owner's part is: their sentence names nobody. */
const OF_EACH = new Set(['settlement-of-many', 'bridge-deliveries']);
/** Others about several at once. */
const OF_MANY = new Set(['payout', 'bridge-delivery', 'arbitrage-passed-on']);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const NUMBER = '\\d[\\d,]*(?:\\.\\d+)?(?: × 10⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?: ×)?';

/** Amounts of one asset that a label may state, as it would write them. */
class Allowed {
  readonly texts = new Set<string>();
  readonly #format;
  constructor(format: ReturnType<typeof labelFormat>) {
    this.#format = format;
  }
  add(asset: Asset | undefined, amount: bigint): void {
    if (asset) this.texts.add(amountText({ asset, amount: amount < 0n ? -amount : amount }, this.#format));
  }
}

/** The motifs a verdict rests on and their parts. */
function spokenOf({ verdict, motifs }: Analysis): Motif[] {
  const found = new Set(verdict.motifs);
  for (const { index, parent } of motifs) if (parent !== null && found.has(parent)) found.add(index);
  return motifs.filter(({ index }) => found.has(index));
}

/** Movements by which the actor's accounts paid for execution or tipped the builder. */
function apart({ tx, flow, motifs, rulebook, subject, header }: Analysis): ReadonlySet<number> {
  const group = subject.entity;
  const paid = executionPayments({ tx, flow, motifs, rulebook }, group, subject.mode);
  const tips = header.coinbase === tx.to ? [] : builderPayments(flow, group, header.coinbase);
  return new Set([...paid.keys(), ...tips]);
}

/** The actor's nets per asset, native and wrapped native also as one; and the same of what crossed in both ways. */
function netsOf(analysis: Analysis, without: (m: Movement) => boolean): Map<AssetId, bigint> {
  const { flow, subject, rulebook } = analysis;
  const nets = new Map<AssetId, bigint>();
  for (const m of flow.movements) {
    const [from, to] = [subject.entity.has(m.from), subject.entity.has(m.to)];
    if (from === to || without(m)) continue;
    const merged = mergeNative(m.asset, rulebook);
    for (const id of new Set([m.asset, `merged:${merged}`]))
      nets.set(id, (nets.get(id) ?? 0n) + (to ? m.amount : -m.amount));
  }
  return nets;
}

function addLegs(allowed: Allowed, { flow, rulebook }: Analysis, motifs: readonly Motif[]): void {
  const totals = new Map<AssetId, bigint>();
  for (const side of ['assetsIn', 'assetsOut'] as const) {
    const sums = new Map<AssetId, bigint>();
    const seen = new Set<number>();
    for (const motif of motifs) {
      // One payment told by two motifs is not summed.
      const told = motif.movements.some((m) => seen.has(m));
      for (const m of motif.movements) seen.add(m);
      const own = new Map<AssetId, bigint>();
      for (const { asset, amount } of motif[side]) {
        if (motif.basis === 'call' && !isMoved(asset, amount, analysisMovements(flow.movements, motif)))
          continue;
        allowed.add(flow.assets.get(asset), amount);
        for (const id of new Set([asset, `merged:${mergeNative(asset, rulebook)}`])) {
          own.set(id, (own.get(id) ?? 0n) + amount);
          if (!told) sums.set(id, (sums.get(id) ?? 0n) + amount);
        }
      }
      for (const [id, amount] of own) addMerged(allowed, flow.assets, id, amount);
    }
    for (const [id, amount] of sums) {
      addMerged(allowed, flow.assets, id, amount);
      totals.set(id, (totals.get(id) ?? 0n) + (side === 'assetsIn' ? amount : -amount));
    }
  }
  // What the acts gave more of than they took.
  for (const [id, amount] of totals) if (amount > 0n) addMerged(allowed, flow.assets, id, amount);
}

const analysisMovements = (all: readonly Movement[], { movements }: Motif): Movement[] =>
  movements.map((index) => all[index]!);

/** Whether this much moved, in one movement or in all of them. */
function isMoved(asset: AssetId, amount: bigint, movements: readonly Movement[]): boolean {
  const own = movements.filter((m) => m.asset === asset);
  return own.some((m) => m.amount === amount) || own.reduce((sum, m) => sum + m.amount, 0n) === amount;
}

function addMerged(allowed: Allowed, assets: ReadonlyMap<AssetId, Asset>, id: AssetId, amount: bigint): void {
  const [plain, merged] = id.startsWith('merged:') ? [id.slice(7), true] : [id, false];
  const asset = assets.get(plain);
  allowed.add(asset ?? (merged ? NATIVE : undefined), amount);
}

/** Sides on which an act that changes a position states an asset: there the label says the act's amount. */
function statedByActs({ rulebook }: Analysis, motifs: readonly Motif[]): ReadonlySet<AssetId> {
  const stated = new Set<AssetId>();
  const tops = motifs.filter(({ parent }) => !motifs.some(({ index }) => index === parent));
  if (!tops.every((m) => m.movements.length > 0 && kindOf(rulebook, m.kind).position)) return stated;
  for (const { assetsIn, assetsOut } of tops)
    for (const { asset } of [...assetsIn, ...assetsOut]) stated.add(mergeNative(asset, rulebook));
  return stated;
}

/** What pools of an exchange did not take of what the actor gave, or paid beyond what it got: the label says who has it. */
function keptOf(
  { rulebook }: Analysis,
  motifs: readonly Motif[],
  nets: ReadonlyMap<AssetId, bigint>,
): Map<AssetId, bigint> {
  const found = new Map<AssetId, bigint>();
  if (!motifs.every((one) => isSwap(one) || one.traits.trade === 'order')) return found;
  const acts = new Map<AssetId, bigint>();
  for (const { assetsIn, assetsOut } of motifs)
    for (const [legs, sign] of [
      [assetsIn, 1n],
      [assetsOut, -1n],
    ] as const)
      for (const { asset, amount } of legs) {
        const id = mergeNative(asset, rulebook);
        acts.set(id, (acts.get(id) ?? 0n) + sign * amount);
      }
  for (const [key, net] of nets) {
    if (!key.startsWith('merged:') || (net < 10n && net > -10n)) continue;
    const id = key.slice(7);
    const act = acts.get(id) ?? 0n;
    if (act * net > 0n && act > net) found.set(id, act - net);
  }
  return found;
}

function amountsIn(label: string, unit: string): string[] {
  const found = label.matchAll(new RegExp(`(?<![\\w.,#…])(${NUMBER}) ${escaped(unit)}(?![\\w#\\[])`, 'g'));
  return [...found].map(([text]) => text);
}

/** Sentences about what is wrong with a label; empty where all is right. */
export function violationsOf(analysis: Analysis, { knownTokens }: Pick<Rulebook, 'knownTokens'>): string[] {
  const { verdict, flow, motifs, rulebook, context, economics } = analysis;
  if (EXEMPT.has(verdict.kind)) return [];
  const format = labelFormat(context.tokens, { ...rulebook, knownTokens });
  const { label } = verdict;
  const problems: string[] = [];
  const acts = spokenOf(analysis);
  const allowed = new Allowed(format);
  addLegs(allowed, analysis, acts);
  const fees = apart(analysis);
  const indexes = new Set(acts.map(({ index }) => index));
  const effects = economics.positions.filter(({ motifs }) => motifs.some((m) => indexes.has(m)));
  for (const { position, delta, parts } of effects) {
    if (position !== null && delta !== null) allowed.add(flow.assets.get(position), delta);
    for (const part of parts) {
      allowed.add(flow.assets.get(part.asset), part.delta);
      // Ether and wrapped ether are one in a label.
      if (mergeNative(part.asset, rulebook) === NATIVE.id) allowed.add(NATIVE, part.delta);
    }
  }
  const stated = statedByActs(analysis, acts);
  const nets = netsOf(analysis, (m) => fees.has(m.index));
  const whole = netsOf(analysis, () => false);
  for (const [id, kept] of keptOf(analysis, acts, nets))
    for (const asset of [NATIVE, ...flow.assets.values()])
      if (mergeNative(asset.id, rulebook) === id) {
        allowed.add(asset, kept);
        // A fee beside a tax.
        for (const one of motifs)
          if (kindOf(rulebook, one.kind).fee)
            for (const leg of one.assetsOut) if (leg.asset === asset.id) allowed.add(asset, leg.amount);
      }
  for (const sums of [nets, whole])
    for (const [id, amount] of sums) {
      const plain = id.replace('merged:', '');
      if (acts.length > 0 && stated.has(mergeNative(plain, rulebook))) continue;
      addMerged(allowed, flow.assets, id, amount);
    }
  for (const index of fees)
    allowed.add(flow.assets.get(flow.movements[index]!.asset), flow.movements[index]!.amount);
  for (const { token, assetKind, tokenId, amount } of flow.allowances)
    if (amount !== null) allowed.add({ id: '', kind: assetKind, address: token, tokenId }, amount);
  // Acts of others, told as theirs: what the accounts the label names gained and lost.
  const plain = (kind: string): boolean => kindOf(rulebook, kind).plain;
  const venues = new Set(analysis.motifs.flatMap(({ venue, kind }) => (plain(kind) ? [] : [venue])));
  const named = [...flow.ledgers].filter(
    ([account]) => !venues.has(account) && label.includes(format.account(account)),
  );
  if (acts.length === 0 || label.includes(', paid to ') || !concerns(analysis, acts))
    for (const [, ledger] of named)
      for (const [id, { inflow, outflow }] of ledger) allowed.add(flow.assets.get(id), inflow - outflow);

  // A call of no known purpose says what changed hands between all accounts.
  if (acts.length === 0 && verdict.category === 'contract')
    for (const [id, amount] of gainsOfAll(analysis)) addMerged(allowed, flow.assets, `merged:${id}`, amount);

  const units = new Set<string>();
  for (const asset of [NATIVE, ...flow.assets.values()]) {
    const text = amountText({ asset, amount: 2n }, format);
    if (asset.kind !== 'erc721') units.add(text.replace(/^\S+( × 10\S+)?( ×)? /, ''));
  }
  for (const unit of units)
    for (const text of amountsIn(label, unit))
      if (!allowed.texts.has(text)) problems.push(`amount of no act: ${text}`);

  problems.push(...owners(analysis, label, format), ...toldTwice(analysis));
  problems.push(...partOfActor(analysis, { label, nets: whole, effects, named: named.length > 0, format }));
  return problems;
}

/** What all accounts gained of each asset, net of what each of them passed on; wrapping ether gives none. */
function gainsOfAll({ flow }: Analysis): Map<AssetId, bigint> {
  const changes = new Map<string, bigint>();
  for (const { from, to, asset, amount } of flow.movements)
    for (const [account, change] of [
      [from, -amount],
      [to, amount],
    ] as const) {
      const key = `${account} ${mergeNative(asset, flow)}`;
      changes.set(key, (changes.get(key) ?? 0n) + change);
    }
  const gains = new Map<AssetId, bigint>();
  for (const [key, change] of changes) {
    const [account, asset] = key.split(' ') as [Address, AssetId];
    // A wrapper holds the ether of others, and unwrapping sends its token to nobody.
    if (flow.wrappedNative.has(account) || (account === ZERO_ADDRESS && asset === NATIVE.id)) continue;
    if (change > 0n) gains.set(asset, (gains.get(asset) ?? 0n) + change);
  }
  return gains;
}

/** A claim with a fee and a liquidation are told once: no swap beside them speaks of their movements. */
function toldTwice({ motifs }: Analysis): string[] {
  const once = motifs.filter(({ kind }) => kind === 'claim' || kind === 'liquidation');
  return once.flatMap(({ kind, index, movements }) =>
    motifs
      .filter((one) => isSwap(one) && one.parent !== index)
      .filter((one) => one.movements.some((movement) => movements.includes(movement)))
      .map((one) => `m-${one.index}, a ${one.kind}, tells movements of the ${kind} m-${index}`),
  );
}

/** Whether the actor has a part in one of the acts. */
function concerns({ subject, flow }: Analysis, acts: readonly Motif[]): boolean {
  return acts.some(
    ({ participants, movements }) =>
      participants.some(({ account }) => subject.entity.has(account)) ||
      movements.some(
        (m) => subject.entity.has(flow.movements[m]!.from) || subject.entity.has(flow.movements[m]!.to),
      ),
  );
}

function owners(
  { verdict, flow, subject }: Analysis,
  label: string,
  format: ReturnType<typeof labelFormat>,
): string[] {
  if (verdict.kind !== 'Approval') return [];
  const strangers = flow.allowances.filter(({ owner }) => !subject.entity.has(owner));
  if (strangers.length < flow.allowances.length) return [];
  return strangers
    .filter(({ owner }) => !label.includes(format.account(owner)))
    .map(({ owner }) => `allowance of another, who is not named: ${owner}`);
}

interface Part {
  readonly label: string;
  readonly nets: ReadonlyMap<AssetId, bigint>;
  readonly effects: readonly PositionChange[];
  readonly named: boolean;
  readonly format: ReturnType<typeof labelFormat>;
}

function partOfActor({ verdict, subject, flow }: Analysis, { nets, effects, named }: Part): string[] {
  const { kind, category, status } = verdict;
  if (CLAIM_NOTHING.has(category) || CLAIM_NO_MOVEMENT.has(kind)) return [];
  const moved = [...nets.values()].some((net) => net !== 0n);
  const own = (account: string): boolean => subject.entity.has(account as never);
  const changed =
    effects.some(({ owner }) => own(owner)) ||
    flow.allowances.some(({ owner }) => own(owner)) ||
    flow.nonEconomic.some(({ from }) => from !== null && own(from));
  if (moved || changed || named) return [];
  const slug = verdict.rule?.slug ?? '';
  if (OF_EACH.has(slug) || (status !== 'Proven' && OF_MANY.has(slug))) return [];
  return [
    status === 'Proven' ? 'Proven, but the actor has no part' : 'the actor has no part and nobody is named',
  ];
}
