import { addTo, lowerBound } from '../../lib/lists.ts';
import { kindOf, isRecognised } from '../../lib/motifKinds.ts';
import { isParty, roleOf } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { MotifKindSpec } from '../../model/vocabulary.ts';
import type { MotifDraft } from './draftMotif.ts';

/** A motif that is part of no other one, with its traits. */
export interface Act {
  readonly motif: Motif;
  readonly kind: MotifKindSpec;
  /** Accounts the motif was done by or for, and those of its parts. */
  readonly own: readonly Address[];
  readonly parties: ReadonlySet<Address>;
  readonly owner: Address | null;
  /** The account this brought into being. */
  readonly created: Address | null;
}

/** The motifs that are part of no other one, with the accounts of their parts. */
export function actsOf(motifs: readonly Motif[], rulebook: Rulebook): Act[] {
  const parties = new Map<number, Set<Address>>();
  for (const motif of motifs) {
    let top = motif;
    while (top.parent !== null) top = motifs[top.parent]!;
    const found = parties.get(top.index) ?? new Set();
    parties.set(top.index, found);
    for (const account of partiesOf(motif)) found.add(account);
  }
  return motifs
    .filter(({ parent }) => parent === null)
    .map((motif) => {
      const kind = kindOf(rulebook, motif.kind);
      const owner = roleOf(motif, 'owner');
      const created = roleOf(motif, 'created') ?? (motif.tags.includes('creation') ? owner : null);
      return { motif, kind, own: partiesOf(motif), parties: parties.get(motif.index)!, owner, created };
    });
}

function partiesOf({ participants }: Motif): Address[] {
  return participants.filter(({ role }) => isParty(role)).map(({ account }) => account);
}

/** Contracts of the assets that an act received or sent. */
export function tokensOf({ assetsIn, assetsOut }: Motif): string[] {
  return [...assetsIn, ...assetsOut].map(({ asset }) => /0x[0-9a-f]{40}/.exec(asset)?.[0] ?? 'native');
}

/**
 * Acts in execution order by party, by party and token, by any participant (`at …`); `any` means every
 * party.
 */
export class ActIndex {
  readonly #lists = new Map<string, Act[]>();

  constructor(acts: readonly Act[]) {
    for (const act of acts) for (const key of keysOf(act)) addTo(this.#lists, key, act);
  }

  first(key: string): Act | null {
    return this.#lists.get(key)?.[0] ?? null;
  }

  /** The nearest act under any of the keys, on the side asked for if there is one. */
  nearest(index: number, keys: readonly string[], side: 'before' | 'after'): Act | null {
    let before: Act | null = null;
    let after: Act | null = null;
    for (const key of keys) {
      const list = this.#lists.get(key) ?? [];
      const at = lowerBound(list, ({ motif }) => motif.index > index);
      before = nearer(index, before, list[at - 1]);
      after = nearer(index, after, list[at]);
    }
    return side === 'before' ? (before ?? after) : (after ?? before);
  }
}

/** The act closer to the index, of two on one side of it. */
function nearer(index: number, known: Act | null, other: Act | undefined): Act | null {
  if (!known || !other) return known ?? other ?? null;
  return Math.abs(other.motif.index - index) < Math.abs(known.motif.index - index) ? other : known;
}

function keysOf({ motif, parties }: Act): Set<string> {
  const keys = new Set(['any', ...parties]);
  for (const token of tokensOf(motif)) for (const party of ['any', ...parties]) keys.add(`${party} ${token}`);
  for (const account of [motif.venue, ...motif.participants.map((p) => p.account)]) keys.add(`at ${account}`);
  return keys;
}

/**
 * Acts that are but a part of another one, and which: a liquidation's repayment, a second event for the same
 * deposit. A part happened at the same venue and moved nothing that the whole does not speak of as well.
 */
export function partsOfActs(drafts: readonly MotifDraft[]): ReadonlyMap<MotifDraft, MotifDraft> {
  const byMovement = new Map<number, MotifDraft[]>();
  const wholes = new Map<MotifDraft, MotifDraft>();
  const acts = drafts.filter((d) => d.basis !== 'structure' && d.movements.length > 0);
  if (acts.length < 2) return wholes;
  for (const draft of acts) for (const m of draft.movements) addTo(byMovement, m, draft);
  for (const draft of acts) {
    const rivals = byMovement.get(draft.movements[0]!)!;
    const whole =
      rivals.length === 1
        ? undefined
        : rivals.find(
            (other) =>
              other !== draft &&
              other.venue === draft.venue &&
              !wholes.has(other) &&
              (other.movements.length > draft.movements.length || outranks(other, draft)) &&
              draft.movements.every((m) => other.movements.includes(m)),
          );
    if (whole) wholes.set(draft, whole);
  }
  return wholes;
}

/** Of two that speak of the very same movements the better known one is the act, else the earlier one. */
function outranks(other: MotifDraft, draft: MotifDraft): boolean {
  const known = (d: MotifDraft): number => (isRecognised(d.protocol) ? 2 : 0) + (d.basis === 'event' ? 1 : 0);
  return known(other) > known(draft) || (known(other) === known(draft) && other.seq < draft.seq);
}
