import { classesIn, symbolsIn } from './assetFacts.ts';
import {
  accountRoles,
  assetClasses,
  count,
  kinds,
  motifTags,
  protocols,
  tokenSymbols,
  type FactSpec,
} from './factSpec.ts';
import { amountsOf } from '../../../value/sides.ts';
import type { SubjectView } from './subjectView.ts';
import type { Motif } from '../../../model/motif.ts';
import type { Asset } from '../../../model/valueFlow.ts';

/** The family of facts every motif kind of the vocabulary has. */
export function motifFacts(kind: string): readonly FactSpec[] {
  return [
    count(
      `motif.${kind}.count`,
      `Motifs of kind ${kind} anywhere in the transaction.`,
      (v) => v.byKind.get(kind)?.length ?? 0,
    ),
    count(
      `motif.${kind}.own`,
      `Motifs of kind ${kind} that are the actor's: it takes part, or the value it sent or received does.`,
      (v) => v.ownOf(kind).length,
    ),
    count(
      `motif.${kind}.top`,
      `The actor's motifs of kind ${kind} that are part of no larger motif.`,
      (v) => v.ownOf(kind).filter((m) => m.parent === null).length,
    ),
    count(
      `motif.${kind}.direct`,
      `Motifs of kind ${kind} that name the actor as owner.`,
      (v) =>
        v.ownOf(kind).filter((m) => m.participants.some((p) => p.role === 'owner' && v.entity.has(p.account)))
          .length,
    ),
    count(
      `motif.${kind}.venues`,
      `Distinct venues of the actor's motifs of kind ${kind}.`,
      (v) => new Set(v.ownOf(kind).map((m) => m.poolId ?? m.venue)).size,
    ),
    count(
      `motif.${kind}.proven`,
      `The actor's motifs of kind ${kind} with status Proven.`,
      (v) => v.ownOf(kind).filter((m) => m.status === 'Proven').length,
    ),
    protocols(`motif.${kind}.protocols`, `Protocols of the actor's motifs of kind ${kind}.`, (v) =>
      protocolsOf(v.ownOf(kind)),
    ),
    motifTags(`motif.${kind}.tags`, `Tags of the actor's motifs of kind ${kind}.`, (v) =>
      tagsOf(v.ownOf(kind)),
    ),
    accountRoles(`motif.${kind}.roles`, `Roles the actor has in its motifs of kind ${kind}.`, (v) =>
      v
        .ownOf(kind)
        .flatMap(({ participants }) => participants)
        .flatMap(({ role, account }) => (v.entity.has(account) ? [role] : [])),
    ),
    assetClasses(
      `motif.${kind}.classes`,
      `Classes of what moved in the actor's motifs of kind ${kind}.`,
      (v) => classesIn(v, assetsOf(v, kind)),
    ),
    tokenSymbols(
      `motif.${kind}.symbols`,
      `Well-known tokens that moved in the actor's motifs of kind ${kind}.`,
      (v) => symbolsIn(v, assetsOf(v, kind)),
    ),
    kinds(
      `motif.${kind}.followed_by`,
      `Kinds of the actor's motifs that come after its first of kind ${kind}.`,
      (v) => kindsAfter(v, kind),
    ),
    kinds(
      `motif.${kind}.same_venue`,
      `Kinds of the actor's other motifs at the contract of one of kind ${kind}.`,
      (v) => kindsSharing(v, kind, ({ venue }) => venue),
    ),
    kinds(
      `motif.${kind}.same_market`,
      `Kinds of the actor's other motifs in the market (pool id, else the contract) of one of kind ${kind}.`,
      (v) => kindsSharing(v, kind, ({ venue, poolId }) => poolId ?? venue),
    ),
  ];
}

function assetsOf(view: SubjectView, kind: string): Asset[] {
  const amounts = view.ownOf(kind).flatMap((motif) => amountsOf(motif, view.input.rulebook));
  return amounts.flatMap(({ asset }) => view.flow.assets.get(asset) ?? []);
}

function kindsAfter(view: SubjectView, kind: string): string[] {
  const [first] = view.ownOf(kind);
  return first === undefined ? [] : view.own.filter(({ seq }) => seq > first.seq).map((m) => m.kind);
}

function kindsSharing(view: SubjectView, kind: string, placeOf: (motif: Motif) => string): string[] {
  const mine = view.ownOf(kind);
  return view.own
    .filter((other) => mine.some((motif) => motif !== other && placeOf(motif) === placeOf(other)))
    .map((m) => m.kind);
}

/** Over all kinds. */
export const MOTIF_FACTS: readonly FactSpec[] = [
  count('motifs.own', "Motifs of any kind that are the actor's.", (v) => v.own.length),
  kinds('motifs.kinds', "Kinds of the actor's motifs.", (v) => v.own.map((m) => m.kind)),
  kinds(
    'motifs.top_kinds',
    "Kinds of the actor's motifs that are part of no larger motif, contracts created on the way left out.",
    (v) => topKinds(v.own),
  ),
  protocols('motifs.protocols', "Protocols of the actor's motifs.", (v) => protocolsOf(v.own)),
  motifTags('motifs.tags', "Tags of the actor's motifs.", (v) => tagsOf(v.own)),
];

/** Tag of contracts that an inner call created. */
const INNER_CREATION = 'inner';

function topKinds(motifs: readonly Motif[]): string[] {
  const top = motifs.filter(({ parent, tags }) => parent === null && !tags.includes(INNER_CREATION));
  return top.map(({ kind }) => kind);
}

/** Slugs of the protocols of motifs. */
export function protocolsOf(motifs: readonly Motif[]): string[] {
  return motifs.flatMap(({ protocol }) => protocol?.slug ?? []);
}

/** Tags of motifs. */
export function tagsOf(motifs: readonly Motif[]): string[] {
  return motifs.flatMap(({ tags }) => tags);
}
