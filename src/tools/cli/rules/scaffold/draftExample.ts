import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import type { BindExpr, EventMapping, LegSpec } from '../../../../model/rulebook.ts';
import type { RawMeaning } from '../../../../model/generated/rules.ts';
import { ExampleArguments, isDrawn, shortAmount, valueText } from './exampleArguments.ts';

/** A leg as the example moves it. */
interface Drawn {
  readonly role: string;
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly moves: boolean;
  readonly nft: boolean;
}

export interface DraftOptions {
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

/** Drafts an example that matches an entry of a shape: values for its arguments, and what its legs move. */
export function draftExample(options: DraftOptions): string {
  const { meaning, raw, inputs, name, venue, title } = options;
  const args = new ExampleArguments(meaning, inputs, venue, raw.event === undefined);
  for (const test of meaning.when) args.satisfy(test);
  const legs = drawLegs(options, args);
  const roles = meaning.roles.flatMap(({ role, account }) => {
    const word = accountOf(account, args, legs);
    return word === null ? [] : [`${role}: ${quoted(word)}`];
  });
  const moves = legs
    .filter(({ moves: really }) => really)
    .map(
      ({ amount, asset, from, to, nft }) =>
        `      - {move: ${nft ? 1 : valueText(amount)}, asset: ${quoted(asset)}, from: ${quoted(from)}, ` +
        `to: ${quoted(to)}${nft ? `, nft: ${valueText(amount)}` : ''}}\n`,
    );
  const said = legs.filter(({ nft }) => !nft).map((l) => `${l.role} ${shortAmount(l.amount)} ${l.asset}`);
  const kind = [
    `kind: ${meaning.kind}`,
    ...(roles.length > 0 ? [`roles: {${roles.join(', ')}}`] : []),
    ...(said.length > 0 ? [`legs: [${said.join(', ')}]`] : []),
  ];
  const event = raw.event !== undefined;
  const called = `call: ${quoted(name)}, on: ${quoted(venue)}, by: actor`;
  const step = event
    ? `      - {event: ${quoted(name)}, by: ${quoted(venue)}, args: ${args.text()}}\n`
    : `      - {${called}, args: ${args.text()}` +
      `${args.value > 0n ? `, value: ${valueText(args.value)}` : ''}}\n`;
  const own = !event && raw.depth === 'root';
  const rootCall = own ? `    call: ${quoted(name)}\n    args: ${args.text()}\n` : '';
  const value = args.value > 0n && own ? `    value: ${valueText(args.value)}\n` : '';
  const steps = [...moves, ...(own ? [] : [step])].join('');
  const positions = options.position === null ? '' : `, positions: [${options.position}]`;
  return (
    `  - name: ${quoted(title)}\n    transaction:\n      to: ${quoted(venue)}\n` +
    `${indent(rootCall + value)}${steps === '' ? '' : `      steps:\n${indent(steps)}`}` +
    `    expect: {motifs: [{${kind.join(', ')}}]${positions}}\n`
  );
}

const indent = (lines: string): string => lines.replace(/^(?=.)/gm, '  ');

function quoted(value: string): string {
  return /^[A-Za-z][\w .-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

/** The word of an account, or null where only the pipeline knows it. */
function accountOf(expr: BindExpr, args: ExampleArguments, legs: readonly Drawn[]): string | null {
  if (expr.op !== 'leg') return args.word(expr);
  const leg = legs.findLast(({ role }) => role === expr.role);
  return leg ? leg[expr.end] : null;
}

function drawLegs(options: DraftOptions, args: ExampleArguments): Drawn[] {
  const legs: Drawn[] = [];
  for (const leg of options.meaning.legs) {
    const amount = amountOf(leg, args, legs.length);
    if (amount !== null) legs.push(drawLeg(leg, amount, legs, { ...options, args }));
  }
  return legs;
}

function drawLeg(
  leg: LegSpec,
  amount: bigint,
  legs: readonly Drawn[],
  { venue, legRoles, meaning, args }: DraftOptions & { readonly args: ExampleArguments },
): Drawn {
  const sent = legRoles.get(leg.role) === 'sent';
  const word = (expr: BindExpr | null): string | null => expr && accountOf(expr, args, legs);
  // Shares are minted and burnt.
  const isZero = (kind: 'mint' | 'burn', end: BindExpr | null, own: boolean): boolean =>
    leg.movementKind === kind || (isShare(leg) && own && end === null);
  const from = isZero('mint', leg.from, !sent) ? 'zero' : (word(leg.from) ?? (sent ? 'actor' : venue));
  const to = isZero('burn', leg.to, sent) ? 'zero' : (word(leg.to) ?? (sent ? venue : 'actor'));
  // The NFT of a trade whose legs name no kind of asset.
  const bare = meaning.kind.startsWith('nft') && !meaning.legs.some((one) => one.assetKind === 'erc721');
  return {
    role: leg.role,
    amount,
    asset: word(leg.asset) ?? assetOf(leg, legs, args),
    from: from === to ? 'payer' : from,
    to,
    moves: leg.match === 'movement',
    nft: leg.assetKind === 'erc721' || (bare && !sent && leg.amount.length === 0),
  };
}

const isShare = ({ role }: LegSpec): boolean => /share/.test(role);

/** A token of its own for each leg without one; shares have theirs. */
function assetOf(leg: LegSpec, legs: readonly Drawn[], args: ExampleArguments): string {
  if (leg.assetKind === 'native' || (leg.assetKind === null && args.value > 0n)) return 'native';
  if (isShare(leg)) return leg.role.startsWith('debt') ? 'DEBT' : 'SHARE';
  const taken = legs.map(({ asset }) => asset);
  return ['TOKEN', 'OTHER', 'THIRD', 'FOURTH', 'FIFTH'].find((one) => !taken.includes(one)) ?? 'SIXTH';
}

function amountOf(leg: LegSpec, args: ExampleArguments, at: number): bigint | null {
  for (const option of [leg.total, ...leg.amount]) {
    const amount = option && args.amount(option);
    if (isDrawn(amount)) return amount;
  }
  return leg.amount.length > 0 && !leg.required ? null : BigInt(40 + at) * 10n ** 17n;
}
