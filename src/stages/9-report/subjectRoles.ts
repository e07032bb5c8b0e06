import { kindOf } from '../../lib/motifKinds.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { ReportInput } from './buildReport.ts';
import type { Address } from '../../model/hex.ts';
import type { Entity, Rulebook } from '../../model/rulebook.ts';
import { carriersOf, feeTakersOf, tokensOf } from '../../value/parties.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import type { InventoryDelta } from '../../model/generated/report.ts';

export type SubjectRole = InventoryDelta['subject_role'];

export type RoleInput = Pick<
  ReportInput,
  'tx' | 'header' | 'flow' | 'suspects' | 'motifs' | 'attribution'
> & {
  readonly rulebook: Pick<Rulebook, 'entities' | 'motifKinds' | 'intentKinds' | 'wrappedNative'>;
};

/** Roles of an address by its rule tags; first match wins. */
const TAG_ROLES: readonly (readonly [string, SubjectRole])[] = [
  ['wrapped_native', 'token_contract'],
  ['router', 'router'],
  ['aggregator', 'router'],
  ['settlement', 'router'],
  ['exchange_proxy', 'router'],
  ['entry_point', 'router'],
  ['forwarder', 'router'],
  ['position_manager', 'router'],
  ['pool', 'pool'],
  ['pool_manager', 'pool'],
  ['vault', 'vault'],
  ['staking', 'vault'],
  ['bridge', 'vault'],
  ['fee_recipient', 'fee_recipient'],
  ['paymaster', 'fee_recipient'],
  ['builder', 'builder'],
];
/** Role of a motif's venue, by the category of the motif. */
const CATEGORY_ROLES: ReadonlyMap<string, SubjectRole> = new Map([
  ['trade', 'pool'],
  ['liquidity', 'pool'],
  ['lending', 'vault'],
  ['staking', 'vault'],
  ['vault', 'vault'],
  ['bridge', 'vault'],
]);

function venueRoles({ motifs, rulebook }: RoleInput): Map<Address, SubjectRole> {
  const roles = new Map<Address, SubjectRole>();
  for (const motif of motifs) {
    if (roles.has(motif.venue)) continue;
    const { fragment, trade } = kindOf(rulebook, motif.kind);
    // The venue of a chain or of an order settled for others only passes value on.
    if (fragment === null || trade === 'chain' || trade === 'order') continue;
    const role = CATEGORY_ROLES.get(rulebook.intentKinds.get(fragment)?.category ?? '');
    if (role) roles.set(motif.venue, role);
  }
  return roles;
}

/** Whether value went from one account to the other, or back. */
function dealtWith(account: Address, other: Address, { movements, outgoing, incoming }: ValueFlow): boolean {
  for (const index of outgoing.get(other) ?? []) if (movements[index]!.to === account) return true;
  for (const index of incoming.get(other) ?? []) if (movements[index]!.from === account) return true;
  return false;
}

/**
 * Roles of accounts from the transaction itself: those that precede the rules' roles, and those that follow
 * them.
 */
function namedRoles({ tx, header, attribution, rulebook }: RoleInput): {
  readonly first: ReadonlyMap<Address | null, SubjectRole>;
  readonly last: ReadonlyMap<Address | null, SubjectRole>;
} {
  // Of several roles of one account the last entry counts.
  return {
    first: new Map<Address | null, SubjectRole>([
      ...[...rulebook.wrappedNative].map((token) => [token, 'token_contract'] as const),
      [header.coinbase, 'builder'],
      [tx.from, 'signer'],
      [attribution.actor, 'actor'],
      [ZERO_ADDRESS, 'zero'],
    ]),
    last: new Map<Address | null, SubjectRole>([
      [attribution.paymaster, 'fee_recipient'],
      [attribution.entryPoint, 'router'],
      [attribution.settlementContract, 'router'],
    ]),
  };
}

function tagRole(entity: Pick<Entity, 'tags'> | undefined): SubjectRole | undefined {
  return TAG_ROLES.find(([tag]) => entity?.tags.includes(tag))?.[1];
}

/** The part every account that value touched plays in the transaction: one each, the most telling. */
export function subjectRoles(input: RoleInput): (account: Address) => SubjectRole {
  const { tx, flow, attribution, rulebook } = input;
  const venues = venueRoles(input);
  const fees = feeTakersOf(input.motifs, rulebook);
  const principal = attribution.actor ?? tx.from;
  const named = namedRoles(input);
  return (account) => {
    const tagged = tagRole(rulebook.entities.get(account));
    const role = named.first.get(account) ?? tagged ?? named.last.get(account) ?? venues.get(account);
    if (role) return role;
    if (fees.has(account)) return 'fee_recipient';
    if (tokensOf(flow).has(account)) return 'token_contract';
    if (carriersOf(flow, rulebook.wrappedNative).has(account)) return 'router';
    return dealtWith(principal, account, flow) ? 'counterparty' : 'other';
  };
}
