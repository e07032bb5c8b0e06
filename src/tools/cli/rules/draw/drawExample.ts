import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import type { BindExpr, EventMapping, LegSpec } from '../../../../model/rulebook.ts';
import type { RawExampleStep, RawMeaning, RawShapeExample } from '../../../../model/generated/rules.ts';
import { DrawnArguments, isDrawn, shortAmount } from './drawArguments.ts';

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

interface DrawOptions {
  readonly meaning: EventMapping;
  readonly raw: RawMeaning;
  readonly inputs: readonly AbiParameter[];
  /** How the example names the signature. */
  readonly name: string;
  /** Word or address of the contract that speaks. */
  readonly venue: string;
  readonly title: string;
  /** Whether the counterparty of the venue sends or receives a leg of the role. */
  readonly legRoles: ReadonlyMap<string, 'sent' | 'received'>;
  /** `<category> <effect>` of a position of the kind; null for none. */
  readonly position: string | null;
}

/** Draws an example that matches an entry of a shape: values for its arguments, and the moves of its legs. */
export function drawExample(options: DrawOptions): RawShapeExample {
  const { meaning, raw, inputs, name, venue, title } = options;
  const isCall = raw.event === undefined;
  const args = new DrawnArguments(meaning, inputs, venue, isCall);
  for (const test of meaning.when) args.satisfy(test);
  const legs = drawLegs(options, args);
  const roles = meaning.roles.flatMap(({ role, account }) => {
    const word = accountOf(account, args, legs);
    return word === null ? [] : [[role, word]];
  });
  const stated = legs.map(statedLeg);
  const motif = {
    kind: meaning.kind,
    roles: Object.fromEntries(roles) as Record<string, string>,
    legs: stated,
  };
  const value = args.value > 0n ? { value: shortAmount(args.value) } : {};
  const call = { call: name, args: args.values(), ...value };
  const steps = legs.filter(({ moves }) => moves).map(moveOf);
  const said = isCall ? { ...call, on: venue, by: 'actor' } : { event: name, by: venue, args: args.values() };
  const positions = positionOf(options);
  const isRoot = isCall && raw.depth === 'root';
  return {
    name: title,
    transaction: { to: venue, ...(isRoot ? call : {}), steps: isRoot ? steps : [...steps, said] },
    expect: { motifs: [motif], ...(positions && { positions }) },
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
function positionOf({ position, meaning }: DrawOptions): string[] | undefined {
  const isDebt = position?.startsWith('lending_debt') === true;
  const all = meaning.legs.every(({ role }) => OWED.test(role) === isDebt);
  return position !== null && all ? [position] : undefined;
}

/** The word of an account, or null where only the pipeline knows it. */
function accountOf(expr: BindExpr, args: DrawnArguments, legs: readonly Drawn[]): string | null {
  if (expr.op !== 'leg') return args.word(expr);
  const leg = legs.findLast(({ role }) => role === expr.role);
  return leg ? leg[expr.end] : null;
}

function drawLegs(options: DrawOptions, args: DrawnArguments): Drawn[] {
  const legs: Drawn[] = [];
  for (const leg of options.meaning.legs) {
    const amount = amountOf(leg, args, legs);
    if (amount !== null) legs.push(drawLeg(leg, amount, legs, { ...options, args }));
  }
  return legs;
}

function drawLeg(
  leg: LegSpec,
  amount: bigint,
  legs: readonly Drawn[],
  { venue, legRoles, meaning, args }: DrawOptions & { readonly args: DrawnArguments },
): Drawn {
  const sent = legRoles.get(leg.role) === 'sent';
  const word = (expr: BindExpr | null): string | null => expr && accountOf(expr, args, legs);
  // Shares are minted and burnt.
  const isZero = (kind: 'mint' | 'burn', end: BindExpr | null, own: boolean): boolean =>
    leg.movementKind === kind || (isShare(leg) && own && end === null);
  const from = isZero('mint', leg.from, !sent) ? 'zero' : (word(leg.from) ?? (sent ? 'actor' : venue));
  const to = isZero('burn', leg.to, sent) ? 'zero' : (word(leg.to) ?? (sent ? venue : 'actor'));
  // The NFT of a trade where no leg names a kind of asset.
  const bare = meaning.kind.startsWith('nft') && !meaning.legs.some(({ assetKind }) => isNft(assetKind));
  return {
    role: leg.role,
    amount,
    asset: word(leg.asset) ?? assetOf(leg, legs, args),
    ...apart(from, to, leg),
    moves: leg.match === 'movement',
    nft: isNft(leg.assetKind) ? leg.assetKind : bare && !sent && leg.amount.length === 0 ? 'erc1155' : null,
    id: Number((leg.id && args.amount(leg.id)) ?? NFT_ID),
  };
}

/** Two accounts: the end that the leg does not name gives way. */
function apart(from: string, to: string, leg: LegSpec): Pick<Drawn, 'from' | 'to'> {
  if (from !== to) return { from, to };
  return leg.from && !leg.to ? { from, to: 'payee' } : { from: 'payer', to };
}

const isNft = (kind: string | null): kind is 'erc721' | 'erc1155' => kind === 'erc721' || kind === 'erc1155';

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
