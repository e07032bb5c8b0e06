import { offerOptions, type LegContext } from './legOptions.ts';
import type { BoundLeg, Option, Unresolved } from './boundLeg.ts';
import type { BindScope } from './bindWord.ts';
import type { ReadyLeg } from '../match/meaning.ts';

/** What one event's legs came to. `unresolved`: stated amounts of an asset that neither event nor flow names. */
export interface Binding {
  readonly legs: readonly BoundLeg[];
  readonly unresolved: readonly Unresolved[];
}

/** Combinations tried before an event is given up: only contradictory amounts need more than one. */
const MAX_STEPS = 64;

/**
 * Ties every leg of a meaning to movements. Legs are bound in order, into the scope's own list, so that later ones may speak
 * of earlier ones; where a later leg fails because of an earlier choice the next choice is tried. Null when a required leg
 * binds nothing: an event that moved no value proves nothing.
 */
export function bindLegs(
  specs: readonly ReadyLeg[],
  scope: BindScope & { readonly legs: BoundLeg[] },
  context: LegContext,
): Binding | null {
  const { legs } = scope;
  const unresolved: Unresolved[] = [];
  const claimed: number[] = [];
  let steps = 0;
  const attempt = (at: number): boolean => {
    if (at === specs.length) return agreesSomewhere(legs);
    const spec = specs[at]!;
    let outcome: 'bound' | 'given up' | null = null;
    const tryOption = (option: Option): boolean => {
      if (++steps > MAX_STEPS) {
        outcome = 'given up';
        return true;
      }
      const [legsBefore, unresolvedBefore, claimedBefore] = [legs.length, unresolved.length, claimed.length];
      for (const m of option.movements) claimed.push(m.index);
      for (const leg of option.legs) legs.push(leg);
      for (const open of option.unresolved) unresolved.push(open);
      if (attempt(at + 1)) {
        outcome = 'bound';
        return true;
      }
      legs.length = legsBefore;
      unresolved.length = unresolvedBefore;
      claimed.length = claimedBefore;
      return false;
    };
    offerOptions(spec, scope, context, claimed, forbiddenAsset(spec, legs), tryOption);
    return outcome === null ? !spec.required && attempt(at + 1) : outcome === 'bound';
  };
  return attempt(0) ? { legs, unresolved } : null;
}

/** Legs with stated amounts of which not one is carried exactly: another event's movements, or a forged event. */
function agreesSomewhere(legs: readonly BoundLeg[]): boolean {
  let stated = 0;
  for (const bound of legs) {
    if (bound.stated === null) continue;
    if (bound.leg.exact) return true;
    stated++;
  }
  return stated < 2;
}

/** What goes in never comes out as the same asset. */
function forbiddenAsset(spec: ReadyLeg, legs: readonly BoundLeg[]): string | null {
  const other = spec.role === 'out' ? 'in' : spec.role === 'in' ? 'out' : null;
  if (other === null) return null;
  let found: string | null = null;
  for (const { leg } of legs) {
    if (leg.role !== other) continue;
    if (found !== null) return null;
    found = leg.asset;
  }
  return found;
}
