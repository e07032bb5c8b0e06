import {
  evaluateAccount,
  evaluateAmount,
  evaluateAsset,
  evaluateInteger,
  holds,
} from '../../../value/resolver.ts';
import type { BindScope, Test } from '../../../value/resolver.ts';
import type { BoundLeg, LegContext } from './legOptions.ts';
import type { PreparedLeg } from '../match/triggers.ts';
import type { LegMiss, MissReason } from '../../../model/primitive.ts';
import type { Movement } from '../../../model/valueFlow.ts';

/** The first condition that is false. */
export function whyConditions(tests: readonly Test[], scope: BindScope): MissReason {
  const index = tests.findIndex((test) => !holds(test, scope));
  const { left, operator, right } = tests[index]!;
  const shown = (value: unknown): string | null =>
    value === null || value === undefined ? null : String(value);
  return { why: 'condition', index, operator, left: shown(left(scope)), right: right && shown(right(scope)) };
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

interface Wanted {
  readonly what: string;
  readonly wanted: string;
  readonly of: (m: Movement) => string;
}

/** A leg's resolved expressions, and the fields that do not resolve. */
function sought(spec: PreparedLeg, scope: BindScope, { index }: LegContext) {
  const id = evaluateInteger(spec.id, scope);
  const ends = [
    ['from', spec.from, evaluateAccount(spec.from, scope), (m: Movement): string => m.from],
    ['to', spec.to, evaluateAccount(spec.to, scope), (m: Movement): string => m.to],
    ['asset', spec.asset, evaluateAsset(spec.asset, scope), (m: Movement): string => index.assetRef(m.asset)],
    ['id', spec.id, id === null ? null : String(id), (m: Movement): string => String(index.idOf(m.asset))],
  ] as const;
  const amounts = spec.amount.flatMap((word) => evaluateAmount(word, scope) ?? []);
  const unread = ends.flatMap(([what, declared, value]) => (declared && value === null ? [what] : []));
  const wanted: Wanted[] = ends.flatMap(([what, , value, of]) =>
    value ? [{ what, wanted: value, of }] : [],
  );
  if (amounts.length > 0)
    wanted.push({ what: 'amount', wanted: amounts.join(' or '), of: (m) => String(m.amount) });
  if (spec.movementKind) wanted.push({ what: 'movement', wanted: spec.movementKind, of: (m) => m.kind });
  return {
    unread: spec.amount.length > 0 && amounts.length === 0 ? [...unread, 'amount'] : unread,
    amounts,
    wanted,
  };
}

type Differences = NonNullable<LegMiss['nearest']>['differs'];

function nearestTo(
  spec: PreparedLeg,
  scope: BindScope,
  context: LegContext,
  used: readonly number[],
): Pick<LegMiss, 'unread' | 'nearest'> {
  const { unread, amounts, wanted } = sought(spec, scope, context);
  if (unread.length > 0) return { unread, nearest: null };
  const claimed = context.claimed.of(context.shape, spec.role);
  const taken = (found: string): Differences => [{ what: 'use', wanted: 'a movement of its own', found }];
  const differing = (m: Movement): Differences => [
    ...wanted.flatMap(({ what, wanted: want, of }) => {
      const found = of(m);
      const fits = what === 'amount' ? amounts.includes(m.amount) : found === want;
      return fits ? [] : [{ what, wanted: want, found }];
    }),
    ...(used.includes(m.index) ? taken('another leg') : []),
    ...(claimed.has(m.index) ? taken('an earlier event of the shape') : []),
  ];
  const ranked = context.index.movements
    .map((m) => ({ movement: m.index, differs: differing(m), away: Math.abs(m.seq - context.seq) }))
    .sort((a, b) => a.differs.length - b.differs.length || a.away - b.away);
  const nearest = ranked[0];
  return { unread, nearest: nearest ? { movement: nearest.movement, differs: nearest.differs } : null };
}
