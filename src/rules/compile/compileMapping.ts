import type { AbiParameter } from 'viem';
import type { Hex } from '../../model/hex.ts';
import type { BindExpr, LegSpec, EventMapping, ParamSpec, RoleSpec } from '../../model/rulebook.ts';
import { compileBind, isFault } from './bindExpr.ts';
import type { BindScope, TypedBind } from './bindScope.ts';
import type { Vocabulary } from './compileVocabulary.ts';
import type { RawLeg, RawMeaning, RawShape } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';
import { parseSignature, repeated, type ParsedSignature } from './signature.ts';

export interface CompiledMeaning {
  readonly signature: ParsedSignature;
  readonly meaning: EventMapping;
  readonly depth: 'root' | 'any';
}

type Path = readonly (string | number)[];
type Use = 'account' | 'amount' | 'any';

/** Compiles one event or call of a shape; null where its signature cannot be read. Protocols are filled in later. */
export function compileMapping(
  item: RuleItem<RawShape>,
  path: Path,
  raw: RawMeaning,
  words: Vocabulary,
  sink: ProblemSink,
): CompiledMeaning | null {
  const kind = raw.event !== undefined ? 'event' : 'call';
  const parsed = parseSignature(kind === 'event' ? 'event' : 'function', raw.event ?? raw.call ?? '');
  if (isFault(parsed)) {
    sink.add(item, [...path, kind], parsed.code, parsed.message);
    return null;
  }
  const signature = raw.topic0 === undefined ? parsed : { ...parsed, id: raw.topic0 };
  if (!words.motifKinds.has(raw.kind)) sink.add(item, [...path, 'kind'], 'unknown_motif_kind', raw.kind);

  const caller = enclosingCall(item, path, raw, signature, sink);
  const params = [...signature.params, ...(caller?.params ?? [])];
  const scope: BindScope = {
    kind,
    params,
    inputs: [...signature.inputs, ...(caller?.inputs ?? [])],
    venue: null,
    legs: [],
  };
  const bind = (text: string | undefined, at: Path, use: Use, within: BindScope): TypedBind | null => {
    if (text === undefined) return null;
    const result = compileBind(text, within);
    if (isFault(result)) sink.add(item, [...path, ...at], result.code, result.message);
    else if (use !== 'any' && !result.type[use])
      sink.add(item, [...path, ...at], 'bind_type', `${text} cannot be an ${use}`);
    else return result;
    return null;
  };

  const home: TypedBind = {
    expr: { op: kind === 'event' ? 'emitter' : 'target' },
    type: { account: true, amount: false },
  };
  const venue = bind(raw.venue, ['venue'], 'account', scope) ?? home;
  const inner: BindScope = { ...scope, venue };
  const legs = compileLegs(item, path, raw.legs ?? [], words, sink, inner, bind);
  const after: BindScope = { ...inner, legs: legs.map((l) => l.role) };

  const roles: RoleSpec[] = [];
  for (const [role, text] of Object.entries(raw.roles ?? {})) {
    if (!words.accountRoles.has(role)) sink.add(item, [...path, 'roles', role], 'unknown_role', role, 'key');
    const account = bind(text, ['roles', role], 'account', after);
    if (account) roles.push({ role, account: account.expr });
  }
  const when: {
    left: BindExpr;
    operator: 'equals' | 'differs' | 'gt0' | 'lt0' | 'is0';
    right: BindExpr | null;
  }[] = [];
  for (const [i, test] of (raw.when ?? []).entries()) {
    const takesRight = test.is === 'equals' || test.is === 'differs';
    if (takesRight !== (test.right !== undefined)) sink.add(item, [...path, 'when', i], 'bad_when', test.is);
    const left = bind(test.left, ['when', i, 'left'], 'any', inner);
    const right = bind(test.right, ['when', i, 'right'], 'any', inner);
    if (left) when.push({ left: left.expr, operator: test.is, right: right?.expr ?? null });
  }
  const meaning: EventMapping = {
    shape: item.value.slug,
    kind: raw.kind,
    status: item.value.status,
    venue: venue.expr,
    poolId: bind(raw.pool_id, ['pool_id'], 'any', inner)?.expr ?? null,
    roles,
    legs,
    when,
    tags: raw.tags ?? [],
    ...compilePosition(raw, after, bind),
    within: caller?.selector ?? null,
    anyEmitter: item.value.any_emitter,
    familyConfidence: item.value.family_confidence ?? 'Medium',
    params,
    protocols: [],
  };
  return { signature, meaning, depth: raw.depth ?? 'any' };
}

/** The function an event is made in, its parameters and return values marked as such. */
function enclosingCall(
  item: RuleItem,
  path: Path,
  raw: RawMeaning,
  event: ParsedSignature,
  sink: ProblemSink,
): { selector: Hex; params: ParamSpec[]; inputs: readonly AbiParameter[] } | null {
  if (raw.within === undefined) return null;
  const parsed = parseSignature('function', raw.within);
  const fault = isFault(parsed) ? parsed : null;
  const twice = isFault(parsed) ? null : repeated([...event.params, ...parsed.params].map((p) => p.name));
  if (fault) sink.add(item, [...path, 'within'], fault.code, fault.message);
  if (twice !== null) sink.add(item, [...path, 'within'], 'duplicate_param', `parameter ${twice}`);
  if (isFault(parsed) || twice !== null) return null;
  return {
    selector: parsed.id,
    params: parsed.params.map((p) => ({ ...p, at: p.at ?? 'call' })),
    inputs: parsed.inputs,
  };
}

function compilePosition(
  raw: RawMeaning,
  scope: BindScope,
  bind: Bind,
): Pick<EventMapping, 'about' | 'position' | 'portions'> {
  const about = (raw.about ?? []).map((text, i) => bind(text, ['about', i], 'any', scope));
  const token = bind(raw.position?.token, ['position', 'token'], 'account', scope);
  const id = bind(raw.position?.id, ['position', 'id'], 'amount', scope);
  const portions = (raw.portions ?? []).map(({ role, asset, amount }, i) => ({
    role,
    asset: bind(asset, ['portions', i, 'asset'], 'account', scope)?.expr ?? null,
    amount: bind(amount, ['portions', i, 'amount'], 'amount', scope)?.expr,
  }));
  return {
    about: about.flatMap((a) => (a ? [a.expr] : [])),
    position: token && id ? { token: token.expr, id: id.expr } : null,
    portions: portions.flatMap(({ amount, ...rest }) => (amount ? [{ ...rest, amount }] : [])),
  };
}

type Bind = (text: string | undefined, at: Path, use: Use, within: BindScope) => TypedBind | null;

function compileLegs(
  item: RuleItem,
  path: Path,
  raws: readonly RawLeg[],
  words: Vocabulary,
  sink: ProblemSink,
  scope: BindScope,
  bind: Bind,
): LegSpec[] {
  const legs: LegSpec[] = [];
  const seen = new Set<string>();
  for (const [i, raw] of raws.entries()) {
    const at: Path = ['legs', i];
    const here: BindScope = { ...scope, legs: legs.map((l) => l.role) };
    const stated = raw.match === 'stated';
    if (!words.legRoles.has(raw.role)) sink.add(item, [...path, ...at, 'role'], 'unknown_role', raw.role);
    const text = JSON.stringify(Object.entries(raw).sort());
    if (seen.has(text)) sink.add(item, [...path, ...at], 'duplicate_leg', raw.role);
    seen.add(text);
    if (stated && raw.amount === undefined)
      sink.add(item, [...path, ...at], 'stated_without_amount', raw.role);
    for (const key of ['movement', 'otherwise', 'pick'] as const) {
      if (stated && raw[key] !== undefined)
        sink.add(item, [...path, ...at, key], 'misplaced_leg_key', key, 'key');
    }
    const list = typeof raw.amount === 'string' ? [raw.amount] : (raw.amount ?? []);
    const amount = list.map((one, n) =>
      bind(one, typeof raw.amount === 'string' ? [...at, 'amount'] : [...at, 'amount', n], 'amount', here),
    );
    legs.push({
      role: raw.role,
      match: raw.match ?? 'movement',
      from: bind(raw.from, [...at, 'from'], 'account', here)?.expr ?? null,
      to: bind(raw.to, [...at, 'to'], 'account', here)?.expr ?? null,
      asset: bind(raw.asset, [...at, 'asset'], 'account', here)?.expr ?? null,
      assetKind: raw.asset_kind ?? null,
      movementKind: raw.movement ?? null,
      amount: amount.flatMap((a) => (a ? [a.expr] : [])),
      otherwise: raw.otherwise ?? 'none',
      pick: raw.pick ?? 'one',
      required: raw.required ?? true,
    });
  }
  return legs;
}
