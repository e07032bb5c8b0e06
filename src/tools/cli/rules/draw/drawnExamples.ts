import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import { checksumAddress } from '../../../../evm/address.ts';
import { compileMapping } from '../../../../rules/compile/compileMapping.ts';
import { meaningsOf, ProblemSink, type RuleItem } from '../../../../rules/compile/ruleItem.ts';
import { keyOf, signaturesOf } from '../../../../rules/exampleNames.ts';
import type { BindExpr, EventMapping, LegSpec } from '../../../../model/rulebook.ts';
import type { Address } from '../../../../model/hex.ts';
import type {
  RawExampleStep,
  RawMeaning,
  RawShape,
  RawShapeExample,
} from '../../../../model/generated/rules.ts';
import type { SoundRuleset } from '../rulesets.ts';
import { DrawnArguments, isDrawn, shortAmount } from './drawArguments.ts';

/**
 * An example for every entry of a shape that no stored one shows, with the JSON pointer of its event or call
 * in the item.
 */
export function drawnExamples(item: RuleItem<RawShape>, ruleset: SoundRuleset) {
  const { value: shape } = item;
  const { words, protocols } = ruleset;
  const stored = storedExamples(item, ruleset);
  const protocol = protocols.find(({ value }) => value.shapes?.includes(shape.slug) && value.addresses);
  const [listed] = protocol?.value.addresses ?? [];
  const known = listed === undefined ? 'venue' : checksumAddress(listed as Address);
  // Its problems are known already.
  const silent = { ...item, sink: new ProblemSink() };
  return meaningsOf(silent).flatMap(([raw, spot]) => {
    const name = raw.event ?? raw.call!;
    const key = keyOf(raw.event === undefined ? 'call' : 'event', name);
    const compiled = compileMapping(spot, shape, raw, words);
    if (!compiled || raw.within !== undefined) return [];
    const { meaning, signature } = compiled;
    if (meaning.when.some(({ left }) => readsAnswer(left, meaning))) return [];
    if (stored.some((one) => one.keys.has(key) && shows(one.example, meaning))) return [];
    // Without legs only a listed contract is believed.
    const venue = shape.any_emitter && raw.legless === undefined ? 'venue' : known;
    const entry = { meaning, raw, inputs: signature.inputs, name, venue, title: signature.name };
    return [{ example: drawExample(entry, words), pointer: spot.pointer }];
  });
}

/** Calls of drawn examples answer nothing. */
const readsAnswer = (expr: BindExpr, { params }: EventMapping): boolean =>
  expr.op === 'arg' && params.some(({ name, at }) => at === 'output' && name === expr.name);

/** The examples of a shape, with the events and calls in them. */
function storedExamples({ value: shape }: RuleItem<RawShape>, { examples, signatureNames }: SoundRuleset) {
  const find = signatureNames(shape.slug);
  const files = examples.filter(({ value }) => value.shape === shape.slug);
  const all = [...(shape.examples ?? []), ...files.flatMap(({ value }) => value.examples)];
  return all.map((example) => ({ example, keys: signaturesOf(example.transaction, find) }));
}

/** Of the entries that share a signature, an example shows those of its kind and roles of legs. */
function shows({ expect }: RawShapeExample, { kind, legs }: EventMapping): boolean {
  const roles = new Set(['fee', ...legs.map(({ role }) => role)]);
  return (expect.motifs ?? [{ kind }]).some(
    (motif) =>
      motif.kind === kind &&
      (legs.length === 0 || (motif.legs ?? []).every((leg) => roles.has(leg.split(' ')[0]!))),
  );
}

interface Entry {
  readonly meaning: EventMapping;
  readonly raw: RawMeaning;
  readonly inputs: readonly AbiParameter[];
  /** How the example names the signature. */
  readonly name: string;
  /** Word or address of the contract that speaks. */
  readonly venue: string;
  readonly title: string;
}

/** A leg as the example moves it. */
interface Drawn {
  readonly role: string;
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly moves: boolean;
  /** Standard of the NFT; null for money. */
  readonly nft: 'erc721' | 'erc1155' | null;
  readonly id: number;
}

type Words = SoundRuleset['words'];

/** Draws an example that matches an entry of a shape: values for its arguments, and the moves of its legs. */
function drawExample(entry: Entry, words: Words): RawShapeExample {
  const { meaning, raw, inputs, name, venue, title } = entry;
  const isCall = raw.event === undefined;
  const args = new DrawnArguments(meaning, inputs, venue, isCall);
  for (const test of meaning.when) args.satisfy(test);
  const legs = drawLegs(entry, args, words);
  const roles = meaning.roles.flatMap(({ role, account }) => {
    const word = accountOf(account, args, legs);
    return word === null ? [] : [[role, word] as const];
  });
  const motif = { kind: meaning.kind, roles: Object.fromEntries(roles), legs: legs.map(statedLeg) };
  const value = args.value > 0n ? { value: shortAmount(args.value) } : {};
  const call = { call: name, args: args.values(), ...value };
  const steps = legs.filter(({ moves }) => moves).map(moveOf);
  const said = isCall ? { ...call, on: venue, by: 'actor' } : { event: name, by: venue, args: args.values() };
  const position = positionOf(meaning, words);
  const isRoot = isCall && raw.depth === 'root';
  return {
    name: title,
    transaction: { to: venue, ...(isRoot ? call : {}), steps: isRoot ? steps : [...steps, said] },
    expect: { motifs: [motif], ...(position !== null && { positions: [position] }) },
  };
}

const NFT_ID = 7;

const statedLeg = ({ role, amount, asset, nft, id }: Drawn): string =>
  nft === null
    ? `${role} ${shortAmount(amount)} ${asset}`
    : `${role} ${nft === 'erc721' ? 1 : shortAmount(amount)} ${asset}#${id}`;

function moveOf({ amount, asset, from, to, nft, id }: Drawn): RawExampleStep {
  const move = { move: shortAmount(amount), asset, from, to };
  if (nft === null) return move;
  return nft === 'erc721' ? { ...move, move: 1, nft: id } : { ...move, id };
}

const OWED = /^(?:debt|borrowed$|repaid$)/;

/** The position of the kind, where all legs are on its side: a loan for collateral changes two. */
function positionOf({ kind, legs }: EventMapping, { motifKinds }: Words): string | null {
  const { position } = motifKinds.get(kind) ?? {};
  if (!position) return null;
  const isDebt = position.category.startsWith('lending_debt');
  return legs.every(({ role }) => OWED.test(role) === isDebt)
    ? `${position.category} ${position.effect}`
    : null;
}

/** The word of an account, or null where only the pipeline knows it. */
function accountOf(expr: BindExpr, args: DrawnArguments, legs: readonly Drawn[]): string | null {
  if (expr.op !== 'leg') return args.word(expr);
  return legs.findLast(({ role }) => role === expr.role)?.[expr.end] ?? null;
}

function drawLegs({ meaning, venue }: Entry, args: DrawnArguments, { legRoles }: Words): Drawn[] {
  const legs: Drawn[] = [];
  const word = (expr: BindExpr | null): string | null => expr && accountOf(expr, args, legs);
  for (const leg of meaning.legs) {
    const amount = amountOf(leg, args, legs);
    if (amount === null) continue;
    const sent = legRoles.get(leg.role) === 'sent';
    legs.push({
      role: leg.role,
      amount,
      asset: word(leg.asset) ?? assetOf(leg, legs, args),
      ...endsOf(leg, sent ? ['actor', venue] : [venue, 'actor'], word),
      moves: leg.match === 'movement',
      nft: nftOf(leg, meaning, sent),
      id: Number((leg.id && args.amount(leg.id)) ?? NFT_ID),
    });
  }
  return legs;
}

/** Two accounts: the end that the leg does not name gives way. Shares are minted and burnt. */
function endsOf(
  leg: LegSpec,
  [giver, taker]: readonly [string, string],
  word: (expr: BindExpr | null) => string | null,
): Pick<Drawn, 'from' | 'to'> {
  const isZero = (kind: 'mint' | 'burn', end: BindExpr | null, side: string): boolean =>
    leg.movementKind === kind || (isShare(leg) && side !== 'actor' && end === null);
  const from = isZero('mint', leg.from, giver) ? 'zero' : (word(leg.from) ?? giver);
  const to = isZero('burn', leg.to, taker) ? 'zero' : (word(leg.to) ?? taker);
  if (from !== to) return { from, to };
  return leg.from && !leg.to ? { from, to: 'payee' } : { from: 'payer', to };
}

const isNft = (kind: string | null): kind is 'erc721' | 'erc1155' => kind === 'erc721' || kind === 'erc1155';

function nftOf({ assetKind, amount }: LegSpec, { kind, legs }: EventMapping, sent: boolean): Drawn['nft'] {
  if (isNft(assetKind)) return assetKind;
  // The NFT of a trade where no leg names a kind of asset.
  const bare = kind.startsWith('nft') && !legs.some((leg) => isNft(leg.assetKind));
  return bare && !sent && amount.length === 0 ? 'erc1155' : null;
}

const isShare = ({ role }: LegSpec): boolean => /share/.test(role);

/** A token of its own for each leg without one; shares have theirs. */
function assetOf(leg: LegSpec, legs: readonly Drawn[], args: DrawnArguments): string {
  if (leg.assetKind === 'native' || (leg.assetKind === null && args.value > 0n)) return 'native';
  if (isShare(leg)) return leg.role.startsWith('debt') ? 'DEBT' : 'SHARE';
  const taken = legs.map(({ asset }) => asset);
  return ['TOKEN', 'OTHER', 'THIRD', 'FOURTH', 'FIFTH'].find((one) => !taken.includes(one)) ?? 'SIXTH';
}

function amountOf(leg: LegSpec, args: DrawnArguments, legs: readonly Drawn[]): bigint | null {
  for (const option of [leg.total, ...leg.amount]) {
    const amount = option && args.amount(option);
    if (isDrawn(amount)) return amount;
  }
  if (leg.amount.length > 0 && !leg.required) return null;
  const lent = leg.role === 'repaid' ? legs.find(({ role }) => role === 'borrowed')?.amount : undefined;
  return lent ?? BigInt(40 + legs.length) * 10n ** 17n;
}
