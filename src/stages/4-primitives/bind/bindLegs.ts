import { only } from '../../../lib/lists.ts';
import { resolveLeg, someOption } from './legOptions.ts';
import type { BoundLeg, LegContext, Option, Unresolved } from './legOptions.ts';
import type { BindScope } from '../../../value/resolver.ts';
import type { PreparedLeg } from '../match/triggers.ts';

/** An event's bound legs. `unresolved`: stated amounts of an asset that neither event nor flow names. */
export interface Binding {
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly Unresolved[];
}

/** Combinations tried before an event is given up: only contradictory amounts need more than one. */
const MAX_STEPS = 64;

/**
 * Binds every leg of a mapping to movements, in order and into the scope's own list, so that later ones can
 * refer to earlier ones; where a later leg fails because of an earlier choice the next choice is tried. Null
 * when a required leg binds nothing: an event that moved no value proves nothing.
 */
export function bindLegs(
  specs: readonly PreparedLeg[],
  scope: BindScope & { readonly legs: BoundLeg[] },
  context: LegContext,
): Binding | null {
  const { legs } = scope;
  const unresolved: Unresolved[] = [];
  if (specs.length === 0) return { legs, unresolved };
  const used: number[] = [];
  let steps = 0;
  const attempt = (at: number): boolean => {
    if (at === specs.length) {
      const agrees = agreesSomewhere(legs);
      if (!agrees) context.failed?.(at, legs, used);
      return agrees;
    }
    const spec = specs[at]!;
    const before = [legs.length, unresolved.length, used.length] as const;
    const take = (option: Option): boolean => {
      if (++steps > MAX_STEPS) return true;
      for (const m of option.movements) used.push(m.index);
      legs.push(...option.legs);
      unresolved.push(...option.unresolved);
      if (attempt(at + 1)) return true;
      [legs.length, unresolved.length, used.length] = before;
      return false;
    };
    const leg = resolveLeg(spec, scope, context, { movements: used, asset: forbiddenAsset(spec, legs) });
    const taken = leg !== null && someOption(leg, take);
    // The search was given up.
    if (steps > MAX_STEPS) return false;
    if (taken) return true;
    if (!spec.required) return attempt(at + 1);
    context.failed?.(at, legs, used);
    return false;
  };
  return attempt(0) ? { legs, unresolved } : null;
}

/** False for several stated amounts without an exact match: of another event, or forged. */
function agreesSomewhere(legs: readonly BoundLeg[]): boolean {
  const stating = legs.filter(({ stated }) => stated !== null);
  return stating.length < 2 || stating.some(({ leg }) => leg.exact);
}

/** The asset that a leg cannot have: nothing goes in and comes out as the same asset. */
function forbiddenAsset(spec: PreparedLeg, legs: readonly BoundLeg[]): string | null {
  const other = spec.role === 'out' ? 'in' : spec.role === 'in' ? 'out' : null;
  return other && (only(legs.filter(({ leg }) => leg.role === other))?.leg.asset ?? null);
}
