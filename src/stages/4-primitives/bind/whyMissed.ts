import {
  evaluateAccount,
  evaluateAmount,
  evaluateAsset,
  holds,
  type BindScope,
  type Test,
} from './resolver.ts';
import type { BoundLeg, LegContext } from './legOptions.ts';
import type { PreparedLeg } from '../match/preparedMapping.ts';
import type { LegMiss, MissReason } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** The first condition that is false. */
export function whyConditions(tests: readonly Test[], scope: BindScope): MissReason {
  const index = tests.findIndex((test) => !holds(test, scope));
  const { left, operator, right } = tests[index]!;
  const shown = (value: unknown): string | null =>
    value === null || value === undefined ? null : String(value);
  return {
    why: 'condition',
    index,
    operator,
    left: shown(left(scope)),
    right: right && shown(right(scope)),
  };
}

/** The search for legs at its furthest: which leg failed, with the legs and movements bound before it. */
export class FurthestFailure {
  #at = -1;
  #legs: readonly BoundLeg[] = [];
  #used: readonly number[] = [];

  readonly note = (at: number, legs: readonly BoundLeg[], used: readonly number[]): void => {
    if (at <= this.#at) return;
    this.#at = at;
    this.#legs = [...legs];
    this.#used = [...used];
  };

  why(specs: readonly PreparedLeg[], scope: BindScope, context: LegContext): MissReason {
    const spec = specs[this.#at];
    if (!spec) return { why: 'amounts' };
    const at = { ...scope, legs: this.#legs } as BindScope;
    return { why: 'leg', index: this.#at, role: spec.role, ...nearestTo(spec, at, context, this.#used) };
  }
}

type Wanted = readonly (readonly [what: string, wanted: string, of: (m: Movement) => string])[];

function nearestTo(
  spec: PreparedLeg,
  scope: BindScope,
  context: LegContext,
  used: readonly number[],
): Pick<LegMiss, 'unread' | 'nearest'> {
  const { index } = context;
  const from = evaluateAccount(spec.from, scope);
  const to = evaluateAccount(spec.to, scope);
  const asset = evaluateAsset(spec.asset, scope);
  const amounts = spec.amount.flatMap((word) => evaluateAmount(word, scope) ?? []);
  const unread = [
    ...(spec.from && from === null ? ['from'] : []),
    ...(spec.to && to === null ? ['to'] : []),
    ...(spec.asset && asset === null ? ['asset'] : []),
    ...(spec.amount.length > 0 && amounts.length === 0 ? ['amount'] : []),
  ];
  if (unread.length > 0) return { unread, nearest: null };
  const wanted: Wanted = [
    ...(from ? [['from', from, (m: Movement): string => m.from] as const] : []),
    ...(to ? [['to', to, (m: Movement): string => m.to] as const] : []),
    ...(asset ? [['asset', asset, (m: Movement): string => index.assetRef(m)] as const] : []),
    ...(amounts.length > 0
      ? [['amount', amounts.join(' or '), (m: Movement): string => String(m.amount)] as const]
      : []),
    ...(spec.movementKind ? [['movement', spec.movementKind, (m: Movement): string => m.kind] as const] : []),
  ];
  const claimed = context.claimed(spec.role);
  const differing = (m: Movement): Differences => [
    ...wanted.flatMap(([what, want, of]) => {
      const found = of(m);
      const fits = what === 'amount' ? amounts.includes(m.amount) : found === want;
      return fits ? [] : [{ what, wanted: want, found }];
    }),
    ...(used.includes(m.index)
      ? [{ what: 'use', wanted: 'a movement of its own', found: 'bound to another leg' }]
      : []),
    ...(claimed.has(m.index)
      ? [{ what: 'use', wanted: 'a movement of its own', found: 'an earlier event of the shape' }]
      : []),
  ];
  let nearest: LegMiss['nearest'] = null;
  let distance = Infinity;
  for (const m of index.movements) {
    const differs = differing(m);
    if (nearest && differs.length > nearest.differs.length) continue;
    const away = Math.abs(m.seq - context.seq);
    if (nearest && differs.length === nearest.differs.length && away >= distance) continue;
    nearest = { movement: m.index, differs };
    distance = away;
  }
  return { unread, nearest };
}

type Differences = NonNullable<LegMiss['nearest']>['differs'];
