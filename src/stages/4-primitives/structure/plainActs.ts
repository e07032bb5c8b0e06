import { isIssuance, mergeNative, NATIVE_ASSET } from '../../../value/asset.ts';
import { frameEvidence } from '../../../lib/evidence.ts';
import { deploymentsIn } from '../../../value/frames.ts';
import { evaluate, indexesOf, issueClaim, structural, claim, legOf } from '../../../value/claims.ts';
import { addTo, groupBy } from '../../../lib/lists.ts';
import { legsByAsset, contractOf, endOf, isFungible, type StructureContext } from './context.ts';
import type { Address } from '../../../model/hex.ts';
import type { Movement, Allowance } from '../../../model/valueFlow.ts';
import type { DraftPrimitive } from '../../../model/primitive.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';

/** Tokens and NFTs made or destroyed that no other primitive accounts for, one per asset and holder. */
export function findIssuance(context: StructureContext): DraftPrimitive[] {
  const { movements, taxes } = context.flow;
  const left = movements.filter((m) => isIssuance(m) && !context.claimed.has(m.index) && !taxes.has(m.index));
  if (left.length === 0) return [];
  const groups = new Map<string, Movement[]>();
  for (const m of left) {
    const holder = holderOf(context, m);
    const contract = contractOf(context.flow, m.asset);
    // Other mints and burns of a share token (fees taken in shares) belong to the venue's own primitives.
    if (contract !== null && (context.venues.has(contract) || context.shareAssets.has(m.asset))) continue;
    // So do tokens that a venue took and burns.
    if (m.kind === 'burn' && context.venues.has(m.from)) continue;
    addTo(groups, `${m.kind}|${holder}|${contract}`, m);
  }
  return [...groups.values()].map((group) => issuanceOf(context, group));
}

/** The account that received or sent the tokens, through pass-through accounts but not into a venue. */
function holderOf(context: StructureContext, m: Movement): Address {
  const side = m.kind === 'mint' ? 'to' : 'from';
  const end = endOf(context, m, side);
  return end === null || context.venues.has(end) ? m[side] : end;
}

function issuanceOf(context: StructureContext, group: readonly Movement[]): DraftPrimitive {
  const first = group[0]!;
  const minted = first.kind === 'mint';
  const holder = holderOf(context, first);
  const fungible = isFungible(context.flow, first.asset);
  return structural({
    kind: `${fungible ? 'token' : 'nft'}_${minted ? 'mint' : 'burn'}`,
    seq: first.seq,
    venue: contractOf(context.flow, first.asset) ?? first.to,
    roles: [{ role: 'owner', account: holder }],
    legs: legsByAsset(group, holder, () => (minted ? 'out' : 'in')),
    claims: [issueClaim(context.flow, indexesOf(group))],
    evidence: group.slice(0, 16).map((m) => m.evidence),
  });
}

/** Contracts created, with code at the end. */
export function findDeployments(context: StructureContext): DraftPrimitive[] {
  return deploymentsIn(context.tx.frames).map((f) =>
    structural({
      kind: 'deployment',
      seq: f.seq,
      venue: f.to!,
      roles: [{ role: 'owner', account: f.from }],
      claims: [evaluate('code_created', f, [{ frame: f.index }])],
      tags: f.parent === null ? [] : ['inner'],
      evidence: [frameEvidence(f, f.to!)],
    }),
  );
}

/** Wraps and unwraps of the native asset: its token side and its native side, equal in amount. */
export function findWraps(context: StructureContext): DraftPrimitive[] {
  const { flow } = context;
  const tokens = flow.movements.filter(
    (m) => (m.kind === 'wrap' || m.kind === 'unwrap') && mergeNative(m.asset, flow) === NATIVE_ASSET,
  );
  if (tokens.length === 0) return [];
  const natives = groupBy(flow.movements, ({ asset, from, to, amount }) =>
    asset === NATIVE_ASSET && (flow.wrappedNative.has(from) || flow.wrappedNative.has(to)) ? amount : null,
  );

  return tokens.map((token) => {
    const contract = flow.assets.get(token.asset)!.address!;
    const wrapping = token.kind === 'wrap';
    const account = wrapping ? token.to : token.from;
    const [from, to] = wrapping ? [account, contract] : [contract, account];
    const alike = natives.get(token.amount) ?? [];
    const at = alike.findIndex((m) => m.from === from && m.to === to);
    const ether = at < 0 ? [] : alike.splice(at, 1);
    const [taken, given] = wrapping ? [ether, [token]] : [[token], ether];
    return structural({
      kind: token.kind,
      seq: token.seq,
      venue: contract,
      roles: [{ role: 'owner', account }],
      legs: [...taken.map((m) => legOf('in', [m], account)), ...given.map((m) => legOf('out', [m], account))],
      claims: [claim('both_sides_equal', flow, [token.index], indexesOf(ether))],
      evidence: [token, ...ether].map(({ evidence }) => evidence),
    });
  });
}

/** Allowances that tokens log as granted, lowered by their owner or revoked. */
export function findApprovals({ tx, flow }: StructureContext): DraftPrimitive[] {
  const transfers = new Map(
    flow.movements.map(({ evidence, from }) => [evidence.log, [evidence.contract, from]]),
  );
  // Many tokens log an allowance again when `transferFrom` used it up, next to the transfer that it paid for.
  const isUsed = (index: number, { token, owner }: Allowance): boolean => {
    const beside = transfers.get(index);
    return beside?.[0] === token && beside[1] === owner;
  };
  const isSpent = ({ token, owner, kind }: Allowance): boolean =>
    kind === 'decreased' && !tx.frames.some(({ from, to }) => from === owner && to === token);
  const approves = (one: Allowance): boolean => {
    const { log, contract } = one.evidence;
    if (contract !== one.token || one.isCredit || isSpent(one)) return false;
    return !isUsed(log! - 1, one) && !isUsed(log! + 1, one);
  };
  return flow.allowances.filter(approves).map((one) => approvalOf(one, tx));
}

function approvalOf({ token, owner, spender, kind, evidence }: Allowance, tx: CanonicalTx): DraftPrimitive {
  return structural({
    kind: 'approval',
    seq: tx.logs[evidence.log!]!.seq,
    venue: token,
    roles: [
      { role: 'owner', account: owner },
      { role: 'spender', account: spender },
    ],
    tags: [kind === 'revoked' ? kind : 'granted'],
    evidence: [evidence],
  });
}
