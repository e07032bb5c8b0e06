import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import type { Hex } from '../../model/hex.ts';
import type { BindExpr, LegSpec, EventMapping, ParamSpec, RoleSpec } from '../../model/rulebook.ts';
import { compileBind, type BindScope, type TypedBind } from './bindExpr.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import type { RawLeg, RawMeaning, RawShape } from '../../model/generated/rules.ts';
import { didYouMean } from './didYouMean.ts';
import type { Spot } from './ruleItem.ts';
import { parseSignature, repeated, type ParsedSignature } from './signature.ts';

export interface CompiledMeaning {
  readonly signature: ParsedSignature;
  readonly meaning: EventMapping;
  readonly depth: 'root' | 'any';
}

type Use = 'account' | 'amount' | 'any';

/** One event or call during compilation: its scope and its names. */
class Mapping {
  constructor(
    readonly spot: Spot,
    readonly words: Vocabulary,
    private scope: BindScope,
  ) {}

  /** From here on expressions may name these as well. */
  know(more: Partial<BindScope>): void {
    this.scope = { ...this.scope, ...more };
  }

  bind(text: string | undefined, at: Spot, use: Use): TypedBind | null {
    if (text === undefined) return null;
    const result = at.take(compileBind(text, this.scope));
    if (result === null || use === 'any' || result.type[use]) return result;
    at.report('bind_type', `${text} cannot be an ${use}`);
    return null;
  }

  account(text: string | undefined, at: Spot): BindExpr | null {
    return this.bind(text, at, 'account')?.expr ?? null;
  }
  amount(text: string | undefined, at: Spot): BindExpr | null {
    return this.bind(text, at, 'amount')?.expr ?? null;
  }
  /** It sets one act apart from another, so it is no constant. */
  key(text: string | undefined, at: Spot): BindExpr | null {
    const { expr = null } = this.bind(text, at, 'any') ?? {};
    if (expr?.op === 'literal') at.report('bind_type', `${text} is the same in every transaction`);
    return expr;
  }
}

/** Compiles an event or call of a shape, without its protocols; null where its signature cannot be read. */
export function compileMapping(
  spot: Spot,
  shape: RawShape,
  raw: RawMeaning,
  words: Vocabulary,
): CompiledMeaning | null {
  const kind = raw.event !== undefined ? 'event' : 'call';
  const signature = readSignature(spot.at(kind), kind, raw);
  if (signature === null) return null;
  spot.at('kind').known('unknown_motif_kind', raw.kind, words.motifKinds);

  const caller = enclosingCall(spot.at('within'), raw.within, signature);
  const params = [...signature.params, ...caller.params];
  const inputs = [...signature.inputs, ...caller.inputs];
  const mapping = new Mapping(spot, words, { kind, params, inputs, venue: null, legs: [] });
  const home: TypedBind = {
    expr: { op: kind === 'event' ? 'emitter' : 'target' },
    type: { account: true, amount: false },
  };
  const venue = mapping.bind(raw.venue, spot.at('venue'), 'account') ?? home;
  mapping.know({ venue });
  const when = compileWhen(mapping, raw);
  const poolId = mapping.key(raw.pool_id, spot.at('pool_id'));
  const legs = compileLegs(mapping, raw.legs ?? []);
  const meaning: EventMapping = {
    shape: shape.slug,
    kind: raw.kind,
    status: shape.status,
    unconfirmed: shape.unconfirmed?.includes(raw.event ?? raw.call!) ?? false,
    venue: venue.expr,
    poolId,
    roles: compileRoles(mapping, raw),
    legs,
    when,
    tags: raw.tags ?? [],
    ...compilePosition(mapping, raw),
    within: caller.selector,
    // Without a leg only contracts of the protocols themselves are believed.
    anyEmitter: shape.any_emitter && raw.legless === undefined,
    familyConfidence: shape.family_confidence ?? 'Medium',
    params,
    protocols: [],
  };
  return { signature, meaning, depth: raw.depth ?? 'any' };
}

function readSignature(
  spot: Spot,
  kind: 'event' | 'call',
  { [kind]: text = '', topic0 }: RawMeaning,
): ParsedSignature | null {
  const parsed = spot.take(parseSignature(kind, text));
  return parsed && topic0 !== undefined ? { ...parsed, id: topic0 } : parsed;
}

function compileRoles(mapping: Mapping, { kind = '', roles: raw = {} }: RawMeaning): RoleSpec[] {
  const { spot, words } = mapping;
  mapping.know({ isRole: true });
  const roles = Object.entries(raw).flatMap(([role, text]) => {
    const here = spot.at('roles', role);
    if (!words.accountRoles.has(role) && words.motifKinds.get(kind)?.venue !== role)
      here.reportKey('unknown_role', didYouMean(role, words.accountRoles.keys()));
    const account = mapping.account(text, here);
    if (account?.op === 'zero') here.report('bind_type', `${text} is nobody`);
    return account ? [{ role, account }] : [];
  });
  mapping.know({ isRole: false });
  return roles;
}

function compileWhen(mapping: Mapping, { when = [] }: RawMeaning): EventMapping['when'] {
  const signed = repeated(when.filter(({ is }) => is.endsWith('0')).map(({ left }) => left));
  if (signed !== null) mapping.spot.at('when').report('bad_when', `${signed} has one sign only`);
  return mapping.spot.each('when', when).flatMap(([{ left: text, is: operator, right: other }, here]) => {
    const compares = ['above', 'below'].includes(operator);
    const takesRight = compares || ['equals', 'differs'].includes(operator);
    if (takesRight !== (other !== undefined)) here.report('bad_when', operator);
    const use = compares ? 'amount' : 'any';
    const bound = mapping.bind(text, here.at('left'), use);
    const odd = bound && signFault(operator === 'below' && other === '0' ? 'lt0' : operator, bound);
    if (odd) here.at('is').report('bind_type', `${text} ${odd}`);
    const against = mapping.bind(other, here.at('right'), use);
    if (bound && against) checkSides(here, bound, against);
    return bound ? [{ left: bound.expr, operator, right: against?.expr ?? null }] : [];
  });
}

/** Why a value has no such sign; null where it may have. */
function signFault(operator: string, { type }: TypedBind): string | null {
  if (operator === 'lt0' && type.unsigned) return 'is unsigned';
  const isAccount = type.account && !type.amount;
  return isAccount && /^[gl]t0$/.test(operator) ? 'is an account, which has no sign' : null;
}

/** Sides that are always, or never, the same. */
function checkSides(spot: Spot, left: TypedBind, right: TypedBind): void {
  if (JSON.stringify(left.expr) === JSON.stringify(right.expr))
    spot.report('bad_when', 'both sides are the same');
  const uses = (['account', 'amount'] as const).filter((use) => left.type[use] || right.type[use]);
  if (uses.length === 2 && uses.every((use) => left.type[use] !== right.type[use]))
    spot.report('bind_type', 'an account and a number are never the same');
}

/** The function an event is made in, its parameters and return values marked as such. */
function enclosingCall(
  spot: Spot,
  within: string | undefined,
  event: ParsedSignature,
): { selector: Hex | null; params: readonly ParamSpec[]; inputs: readonly AbiParameter[] } {
  const parsed = within === undefined ? null : spot.take(parseSignature('function', within));
  const twice = parsed && repeated([...event.params, ...parsed.params].map((p) => p.name));
  if (twice !== null) spot.report('duplicate_param', `parameter ${twice}`);
  if (parsed === null || twice !== null) return { selector: null, params: [], inputs: [] };
  return {
    selector: parsed.id,
    params: parsed.params.map((p) => ({ ...p, at: p.at ?? 'call' })),
    inputs: parsed.inputs,
  };
}

function compilePosition(
  mapping: Mapping,
  raw: RawMeaning,
): Pick<EventMapping, 'about' | 'position' | 'portions'> {
  const { spot } = mapping;
  const token = mapping.account(raw.position?.token, spot.at('position', 'token'));
  const id = mapping.amount(raw.position?.id, spot.at('position', 'id'));
  return {
    about: spot.each('about', raw.about).flatMap(([text, at]) => mapping.key(text, at) ?? []),
    position: token && id ? { token, id } : null,
    portions: spot.each('portions', raw.portions).flatMap(([{ role, asset, amount: text }, here]) => {
      const amount = mapping.amount(text, here.at('amount'));
      return amount ? [{ role, asset: mapping.account(asset, here.at('asset')), amount }] : [];
    }),
  };
}

function compileLegs(mapping: Mapping, raws: readonly RawLeg[]): LegSpec[] {
  const legs: LegSpec[] = [];
  const seen = new Set<string>();
  for (const [raw, here] of mapping.spot.each('legs', raws)) {
    checkLeg(here, raw, mapping.words, seen);
    legs.push(compileLeg(mapping, here, raw));
    // A leg may name the legs above it.
    mapping.know({ legs: legs.map((l) => l.role) });
  }
  return legs;
}

function checkLeg(spot: Spot, raw: RawLeg, { legRoles }: Vocabulary, seen: Set<string>): void {
  spot.at('role').known('unknown_role', raw.role, legRoles);
  const text = JSON.stringify(Object.entries(raw).sort());
  if (seen.has(text)) spot.report('duplicate_leg', raw.role);
  seen.add(text);
  const clash = CONTRADICTIONS.find(([holds]) => holds(raw));
  if (clash) spot.report('leg_contradicts', clash[1]);
  if (raw.match !== 'stated') return;
  if (raw.amount === undefined) spot.report('stated_without_amount', raw.role);
  for (const key of ['movement', 'otherwise', 'pick', 'fees', 'total'] as const)
    if (raw[key] !== undefined) spot.at(key).reportKey('misplaced_leg_key', key);
}

/** Why no movement can ever fit. */
const CONTRADICTIONS: readonly (readonly [holds: (leg: RawLeg) => unknown, why: string])[] = [
  [({ movement, from }) => movement === 'mint' && from, 'a mint comes from the zero address'],
  [({ movement, to }) => movement === 'burn' && to, 'a burn goes to the zero address'],
  [
    ({ asset, movement, asset_kind }) => asset === '$native' && (movement ?? asset_kind),
    'ether is no token, neither minted nor burnt',
  ],
  [({ amount, fees }) => fees && [fees].flat().some((fee) => fee === amount), 'the fee is the amount itself'],
  [({ amount, total }) => total && total === amount, 'the total is the amount itself'],
  [({ amount }) => amount === '0', 'nothing moves in an amount of zero'],
  [({ from, to }) => from && from === to, 'from and to are the same'],
];

const LEG_DEFAULTS = {
  match: 'movement',
  otherwise: 'none',
  pick: 'one',
  required: true,
} as const;

function compileLeg(mapping: Mapping, spot: Spot, raw: RawLeg): LegSpec {
  const { role, from, to, asset, id, amount, fees, total, asset_kind, movement, ...own } = raw;
  const amounts = (key: 'amount' | 'fees', value: string | readonly string[] = []): BindExpr[] =>
    typeof value === 'string'
      ? [mapping.amount(value, spot.at(key)) ?? []].flat()
      : value.flatMap((one, n) => mapping.amount(one, spot.at(key, n)) ?? []);
  // The copies last: an object that begins with one has a shape of its own, and every act reads legs.
  return {
    role,
    from: mapping.account(from, spot.at('from')),
    to: mapping.account(to, spot.at('to')),
    asset: mapping.account(asset, spot.at('asset')),
    id: mapping.amount(id, spot.at('id')),
    amount: amounts('amount', amount),
    fees: amounts('fees', fees),
    total: mapping.amount(total, spot.at('total')),
    assetKind: asset_kind ?? null,
    movementKind: movement ?? null,
    ...LEG_DEFAULTS,
    ...own,
  };
}
