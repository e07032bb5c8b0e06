import { count, kinds, motifTags, protocols, type FactSpec } from './factSpec.ts';
import type { Motif } from '../../../model/motif.ts';

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
  ];
}

/** Over all kinds. */
export const MOTIF_FACTS: readonly FactSpec[] = [
  count('motifs.own', "Motifs of any kind that are the actor's.", (v) => v.own.length),
  kinds('motifs.kinds', "Kinds of the actor's motifs.", (v) => v.own.map((m) => m.kind)),
  kinds('motifs.top_kinds', "Kinds of the actor's motifs that are part of no larger motif.", (v) =>
    topKinds(v.own),
  ),
  protocols('motifs.protocols', "Protocols of the actor's motifs.", (v) => protocolsOf(v.own)),
  motifTags('motifs.tags', "Tags of the actor's motifs.", (v) => tagsOf(v.own)),
];

function topKinds(motifs: readonly Motif[]): string[] {
  const kinds: string[] = [];
  for (const { kind, parent } of motifs) if (parent === null) kinds.push(kind);
  return kinds;
}

/** Slugs of the protocols of motifs. */
export function protocolsOf(motifs: readonly Motif[]): string[] {
  const slugs: string[] = [];
  for (const { protocol } of motifs) if (protocol) slugs.push(protocol.slug);
  return slugs;
}

/** Tags of motifs. */
export function tagsOf(motifs: readonly Motif[]): string[] {
  const tags: string[] = [];
  for (const motif of motifs) for (const tag of motif.tags) tags.push(tag);
  return tags;
}
