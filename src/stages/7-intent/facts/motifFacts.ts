import { classesIn, symbolsIn } from './assetFacts.ts';
import {
  accountRoles,
  assetClasses,
  count,
  kinds,
  motifTags,
  protocols,
  tokenSymbols,
  type Facts,
} from './factSpec.ts';
import { isRecognised, protocolOf } from '../../../lib/motifKinds.ts';
import { accountsWith } from '../../../lib/roles.ts';
import { amountsOf } from '../../../value/sides.ts';
import type { SubjectView } from './subjectView.ts';
import type { FrameType } from '../../../model/canonicalTx.ts';
import type { Motif } from '../../../model/motif.ts';
import type { Asset } from '../../../model/valueFlow.ts';

/** The family of facts every motif kind of the vocabulary has. */
export function factsOfKind(kind: string): Facts {
  const own = (v: SubjectView): readonly Motif[] => v.ownOf(kind);
  const assets = (v: SubjectView): Asset[] =>
    own(v)
      .flatMap((motif) => amountsOf(motif))
      .flatMap(({ asset }) => v.flow.assets.get(asset) ?? []);
  return {
    count: count(
      `Motifs of kind ${kind} anywhere in the transaction.`,
      (v) => v.byKind.get(kind)?.length ?? 0,
    ),
    own: count(
      `Motifs of kind ${kind} that are the actor's: it takes part, or the value it sent or received does.`,
      (v) => own(v),
    ),
    top: count(`The actor's motifs of kind ${kind} that are part of no larger motif.`, (v) =>
      own(v).filter(({ parent }) => parent === null),
    ),
    direct: count(`Motifs of kind ${kind} that name the actor as owner.`, (v) =>
      own(v).filter((motif) => rolesIn(motif, v).includes('owner')),
    ),
    venues: count(
      `Distinct venues of the actor's motifs of kind ${kind}.`,
      (v) => new Set(own(v).map(marketOf)),
    ),
    proven: count(`The actor's motifs of kind ${kind} with status Proven.`, (v) => provenAmong(own(v))),
    protocols: protocols(`Protocols of the actor's motifs of kind ${kind}.`, (v) => protocolsOf(own(v))),
    code: protocols(
      `Protocols of the code that owners of the actor's motifs of kind ${kind} run: that of delegates, ` +
        'and all that they delegate calls to. `unknown` for code that no rule lists.',
      (v) => own(v).flatMap((motif) => codeOf(motif, v)),
    ),
    tags: motifTags(`Tags of the actor's motifs of kind ${kind}.`, (v) => tagsOf(own(v))),
    roles: accountRoles(`Roles the actor has in its motifs of kind ${kind}.`, (v) =>
      own(v).flatMap((motif) => rolesIn(motif, v)),
    ),
    classes: assetClasses(`Classes of what moved in the actor's motifs of kind ${kind}.`, (v) =>
      classesIn(v, assets(v)),
    ),
    symbols: tokenSymbols(`Well-known tokens that moved in the actor's motifs of kind ${kind}.`, (v) =>
      symbolsIn(v, assets(v)),
    ),
    followed_by: kinds(`Kinds of the actor's motifs that come after its first of kind ${kind}.`, (v) => {
      const start = own(v)[0]?.seq ?? Infinity;
      return kindsOf(v.own.filter(({ seq }) => seq > start));
    }),
    same_venue: kinds(`Kinds of the actor's other motifs at the contract of one of kind ${kind}.`, (v) =>
      kindsSharing(v, kind, ({ venue }) => venue),
    ),
    same_market: kinds(
      `Kinds of the actor's other motifs in the market (pool id, else the contract) of one of kind ${kind}.`,
      (v) => kindsSharing(v, kind, marketOf),
    ),
  };
}

function rolesIn({ participants }: Motif, { entity }: SubjectView): string[] {
  return participants.filter(({ account }) => entity.has(account)).map(({ role }) => role);
}

/** Protocols of the code that runs on the storage of a motif's owners. */
function codeOf({ participants }: Motif, { tx, input: { rulebook } }: SubjectView): string[] {
  const owners = accountsWith(participants, 'owner');
  const run = tx.frames.flatMap(({ effective, type, context, to }) =>
    effective && CODE_OF_OTHERS.has(type) && owners.includes(context!) ? (to ?? []) : [],
  );
  return [...accountsWith(participants, 'delegate'), ...run].map((account) => {
    const protocol = protocolOf(account, undefined, rulebook) ?? null;
    return isRecognised(protocol) ? protocol.slug : 'unknown';
  });
}

/** Calls that run the code of another account on the caller's storage. */
const CODE_OF_OTHERS: ReadonlySet<FrameType> = new Set(['DELEGATECALL', 'CALLCODE']);

function kindsSharing(view: SubjectView, kind: string, placeOf: (motif: Motif) => string): string[] {
  const mine = view.ownOf(kind);
  return kindsOf(
    view.own.filter((other) => mine.some((motif) => motif !== other && placeOf(motif) === placeOf(other))),
  );
}

/** Over all kinds. */
export const MOTIF_FACTS: Facts = {
  'motifs.own': count("Motifs of any kind that are the actor's.", (v) => v.own),
  'motifs.kinds': kinds("Kinds of the actor's motifs.", (v) => kindsOf(v.own)),
  'motifs.top_kinds': kinds(
    "Kinds of the actor's motifs that are part of no larger motif, contracts created on the way left out.",
    (v) => kindsOf(v.own.filter(({ parent, tags }) => parent === null && !tags.includes(INNER_CREATION))),
  ),
  'motifs.protocols': protocols("Protocols of the actor's motifs.", (v) => protocolsOf(v.own)),
  'motifs.tags': motifTags("Tags of the actor's motifs.", (v) => tagsOf(v.own)),
};

/** Tag of contracts that an inner call created. */
const INNER_CREATION = 'inner';

const kindsOf = (motifs: readonly Motif[]): string[] => motifs.map(({ kind }) => kind);

/** The pool of a singleton, else the contract. */
export const marketOf = ({ poolId, venue }: Motif): string => poolId ?? venue;

export const provenAmong = (motifs: readonly Motif[]): number =>
  motifs.filter(({ status }) => status === 'Proven').length;

/** Slugs of the protocols of motifs. */
export function protocolsOf(motifs: readonly Motif[]): string[] {
  return motifs.flatMap(({ protocol }) => protocol?.slug ?? []);
}

/** Tags of motifs. */
export function tagsOf(motifs: readonly Motif[]): string[] {
  return motifs.flatMap(({ tags }) => tags);
}
