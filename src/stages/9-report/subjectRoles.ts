import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { ReportInput } from './buildReport.ts';
import type { Address } from '../../model/hex.ts';
import type { Entity, Rulebook } from '../../model/rulebook.ts';
import { carriersOf, feeRecipientsOf, tokensOf } from '../../value/parties.ts';
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
const TAG_ROLES: readonly (readonly [tags: readonly string[], SubjectRole])[] = [
  [['wrapped_native'], 'token_contract'],
  [
    ['router', 'aggregator', 'settlement', 'exchange_proxy', 'entry_point', 'forwarder', 'position_manager'],
    'router',
  ],
  [['pool', 'pool_manager'], 'pool'],
  [['vault', 'staking', 'bridge'], 'vault'],
  [['fee_recipient', 'paymaster'], 'fee_recipient'],
  [['builder'], 'builder'],
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

const PASSING: ReadonlySet<string> = new Set(['chain', 'order', 'summary']);

function venueRoles({ motifs, rulebook }: RoleInput): Map<Address, SubjectRole> {
  const roles = new Map<Address, SubjectRole>();
  for (const motif of motifs) {
    if (roles.has(motif.venue)) continue;
    const { fragment, trade } = motif.traits;
    // The venue of a chain, of a router's summary or of an order settled for others only passes value on.
    if (fragment === null || (trade !== null && PASSING.has(trade))) continue;
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

/** Role of an account in the transaction itself that precedes the rules' roles. */
function ownRole(account: Address, { tx, header, attribution, rulebook }: RoleInput): SubjectRole | null {
  if (account === ZERO_ADDRESS) return 'zero';
  if (account === attribution.actor) return 'actor';
  if (account === tx.from) return 'signer';
  if (account === header.coinbase) return 'builder';
  return rulebook.wrappedNative.has(account) ? 'token_contract' : null;
}

function tagRole(entity: Entity | undefined): SubjectRole | undefined {
  return entity && TAG_ROLES.find(([tags]) => tags.some((tag) => entity.tags.includes(tag)))?.[1];
}

/** Role that follows the rules' roles. */
function helperRole(account: Address, { attribution }: RoleInput): SubjectRole | null {
  if (account === attribution.settlementContract || account === attribution.entryPoint) return 'router';
  return account === attribution.paymaster ? 'fee_recipient' : null;
}

/** The part every account that value touched plays in the transaction: one each, the most telling. */
export function subjectRoles(input: RoleInput): (account: Address) => SubjectRole {
  const { tx, flow, attribution, rulebook } = input;
  const venues = venueRoles(input);
  const fees = feeRecipientsOf(input.motifs);
  const principal = attribution.actor ?? tx.from;
  return (account) => {
    const role =
      ownRole(account, input) ??
      tagRole(rulebook.entities.get(account)) ??
      helperRole(account, input) ??
      venues.get(account);
    if (role) return role;
    if (fees.has(account)) return 'fee_recipient';
    if (tokensOf(flow).has(account)) return 'token_contract';
    if (carriersOf(flow).has(account)) return 'router';
    return dealtWith(principal, account, flow) ? 'counterparty' : 'other';
  };
}
