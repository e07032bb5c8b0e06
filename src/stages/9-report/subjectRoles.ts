import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import type { InventoryDelta } from '../../model/generated/report.ts';

export type SubjectRole = InventoryDelta['subject_role'];

export interface RoleInput {
  readonly tx: CanonicalTx;
  readonly header: BlockHeader;
  readonly flow: ValueFlow;
  readonly motifs: readonly Motif[];
  readonly attribution: Attribution;
  readonly rulebook: Pick<Rulebook, 'entities' | 'motifKinds' | 'intentKinds' | 'wrappedNative'>;
}

/** What the rules say an address is, by tag; first match wins. */
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
/** Part of a motif's venue, by the category of what the motif is. */
const CATEGORY_ROLES: ReadonlyMap<string, SubjectRole> = new Map([
  ['trade', 'pool'],
  ['liquidity', 'pool'],
  ['lending', 'vault'],
  ['staking', 'vault'],
  ['vault', 'vault'],
  ['bridge', 'vault'],
]);
/** Motifs made of others, or settled for others: their venue passes value on. */
const PASSING_KINDS: ReadonlySet<string> = new Set(['route', 'cycle', 'order_settled']);
const FEE_KIND = 'protocol_fee';

const NOBODY: ReadonlySet<Address> = new Set();

function venueRoles({ motifs, rulebook }: RoleInput): Map<Address, SubjectRole> {
  const roles = new Map<Address, SubjectRole>();
  const parents = new Set<number>();
  for (const { parent } of motifs) if (parent !== null) parents.add(parent);
  for (const motif of motifs) {
    if (roles.has(motif.venue) || parents.has(motif.index) || PASSING_KINDS.has(motif.kind)) continue;
    const spec = rulebook.motifKinds.get(motif.kind);
    const category = spec?.fragment ? rulebook.intentKinds.get(spec.fragment)?.category : undefined;
    const role = category === undefined ? undefined : CATEGORY_ROLES.get(category);
    if (role) roles.set(motif.venue, role);
  }
  return roles;
}

function feeRecipients(motifs: readonly Motif[]): ReadonlySet<Address> {
  let recipients: Set<Address> | null = null;
  for (const { kind, participants } of motifs) {
    if (kind !== FEE_KIND) continue;
    for (const { role, account } of participants)
      if (role === 'recipient' || role === 'fee_recipient') (recipients ??= new Set()).add(account);
  }
  return recipients ?? NOBODY;
}

/** Sent away, of every asset, exactly what it received. */
function passesOn(account: Address, flow: ValueFlow): boolean {
  const ledger = flow.ledgers.get(account);
  if (!ledger) return false;
  for (const { inflow, outflow } of ledger.values()) if (inflow !== outflow) return false;
  return ledger.size > 0;
}

function contractsOf({ assets }: ValueFlow): ReadonlySet<Address | null> {
  const contracts = new Set<Address | null>();
  for (const { address } of assets.values()) contracts.add(address);
  return contracts;
}

/** Whether value went from one account to the other, or back. */
function dealtWith(account: Address, other: Address, { movements, outgoing, incoming }: ValueFlow): boolean {
  for (const index of outgoing.get(other) ?? []) if (movements[index]!.to === account) return true;
  for (const index of incoming.get(other) ?? []) if (movements[index]!.from === account) return true;
  return false;
}

/** The part every account that value touched plays in the transaction: one each, the most telling. */
export function subjectRoles(input: RoleInput): (account: Address) => SubjectRole {
  const { tx, header, flow, attribution, rulebook } = input;
  const venues = venueRoles(input);
  const fees = feeRecipients(input.motifs);
  const principal = attribution.actor ?? tx.from;
  // Few accounts are asked about: the others are known by something else.
  let tokens: ReadonlySet<Address | null> | null = null;
  return (account) => {
    if (account === ZERO_ADDRESS) return 'zero';
    if (account === attribution.actor) return 'actor';
    if (account === tx.from) return 'signer';
    if (account === header.coinbase) return 'builder';
    if (rulebook.wrappedNative.has(account)) return 'token_contract';
    const tags = rulebook.entities.get(account)?.tags;
    const tagged = tags && TAG_ROLES.find(([tag]) => tags.includes(tag));
    if (tagged) return tagged[1];
    if (account === attribution.settlementContract || account === attribution.entryPoint) return 'router';
    if (account === attribution.paymaster) return 'fee_recipient';
    const venue = venues.get(account);
    if (venue) return venue;
    if (fees.has(account)) return 'fee_recipient';
    if ((tokens ??= contractsOf(flow)).has(account)) return 'token_contract';
    if (passesOn(account, flow)) return 'router';
    return dealtWith(principal, account, flow) ? 'counterparty' : 'other';
  };
}
