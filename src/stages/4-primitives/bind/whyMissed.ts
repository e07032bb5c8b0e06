import { holds, type BindScope, type Test } from '../../../value/resolver.ts';
import { isUnread, readLeg, WORDS, type BoundLeg, type LegContext, type LegRead } from './legOptions.ts';
import type { RecognitionRun } from './applyMapping.ts';
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

/** The conditions that a leg's expressions set on a movement. */
function conditionsOf(spec: PreparedLeg, read: LegRead, { index }: RecognitionRun): Wanted[] {
  const fields: Readonly<Record<(typeof WORDS)[number], Wanted['of']>> = {
    from: (m) => m.from,
    to: (m) => m.to,
    asset: (m) => index.assetRef(m.asset),
    id: (m) => String(index.idOf(m.asset)),
  };
  const wanted = WORDS.flatMap((what): Wanted[] =>
    read[what] === null ? [] : [{ what, wanted: String(read[what]), of: fields[what] }],
  );
  const stated = read.amounts.map(({ amount }) => amount).join(' or ');
  if (stated !== '') wanted.push({ what: 'amount', wanted: stated, of: (m) => String(m.amount) });
  if (spec.movementKind) wanted.push({ what: 'movement', wanted: spec.movementKind, of: (m) => m.kind });
  return wanted;
}

type Differences = NonNullable<LegMiss['nearest']>['differs'];

function nearestTo(
  spec: PreparedLeg,
  scope: BindScope,
  context: LegContext,
  used: readonly number[],
): Pick<LegMiss, 'unread' | 'nearest'> {
  const read = readLeg(spec, scope);
  const unread = ([...WORDS, 'amount'] as const).filter((word) => isUnread(spec, read, word));
  if (unread.length > 0) return { unread, nearest: null };
  const wanted = conditionsOf(spec, read, context.run);
  const claimed = context.run.claimed.of(context.shape, spec.role);
  const taken = (found: string): Differences => [{ what: 'use', wanted: 'a movement of its own', found }];
  const differing = (m: Movement): Differences => [
    ...wanted.flatMap(({ what, wanted: want, of }) => {
      const found = of(m);
      return want.split(' or ').includes(found) ? [] : [{ what, wanted: want, found }];
    }),
    ...(used.includes(m.index) ? taken('another leg') : []),
    ...(claimed.has(m.index) ? taken('an earlier event of the shape') : []),
  ];
  const ranked = context.run.index.movements
    .map((m) => ({ movement: m.index, differs: differing(m), away: Math.abs(m.seq - context.trigger.seq) }))
    .sort((a, b) => a.differs.length - b.differs.length || a.away - b.away);
  const nearest = ranked[0];
  return { unread, nearest: nearest ? { movement: nearest.movement, differs: nearest.differs } : null };
}
