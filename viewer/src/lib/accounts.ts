import type { TxReport } from '../../../src/model/generated/report.ts';
import { shortHex, title, words } from './text.ts';

/** Parts that are drawn apart, most telling first. A part the viewer does not know is drawn as `other`. */
export const ROLES = [
  'actor',
  'signer',
  'counterparty',
  'pool',
  'router',
  'vault',
  'token_contract',
  'fee_recipient',
  'builder',
  'zero',
  'other',
] as const;
export type Role = (typeof ROLES)[number];

export const ROLE_NAMES: Readonly<Record<Role, readonly [one: string, many: string]>> = {
  actor: ['Actor', 'actors'],
  signer: ['Signer', 'signers'],
  counterparty: ['Counterparty', 'counterparties'],
  pool: ['Pool', 'pools'],
  router: ['Router', 'routers'],
  vault: ['Vault', 'vaults'],
  token_contract: ['Token contract', 'token contracts'],
  fee_recipient: ['Fee recipient', 'fee recipients'],
  builder: ['Block builder', 'block builders'],
  zero: ['Zero address', 'zero addresses'],
  other: ['Other account', 'other accounts'],
};

/** What the viewer knows about an account: its part, and a name where the report gives one. */
export interface Account {
  readonly address: string;
  readonly role: Role;
  /** `Pool`, or the part as the report words it. */
  readonly part: string;
  /** `Uniswap V3`, `WETH`, or the shortened address. */
  readonly name: string;
  readonly named: boolean;
}

export interface AccountBook {
  of(address: string): Account;
  /** `Pool Uniswap V3 (0x88e6…5640)`, for texts. */
  text(address: string): string;
}

/** Parts motifs give to accounts that say more than `other`, most telling first. */
const TELLING = [
  'borrower',
  'liquidator',
  'seller',
  'buyer',
  'maker',
  'taker',
  'depositor',
  'lender',
  'beneficiary',
  'recipient',
] as const;

export function accountsOf(report: TxReport): AccountBook {
  const parts = new Map<string, string>();
  const names = new Map<string, string>();
  const tokens = new Set<string>();
  const key = (address: string): string => address.toLowerCase();
  for (const d of report.inventory_deltas) {
    parts.set(key(d.subject), d.subject_role);
    if (d.asset.address === null) continue;
    tokens.add(key(d.asset.address));
    if (d.asset.symbol) names.set(key(d.asset.address), d.asset.symbol);
  }
  for (const m of report.motifs) if (m.protocol) names.set(key(m.protocol.contract), title(m.protocol.slug));
  const { attribution: a, tx, classification } = report;
  for (const [address, name] of [
    [a.entry_point, 'Entry point'],
    [a.paymaster, 'Paymaster'],
    [a.settlement_contract, 'Settlement'],
  ] as const) {
    if (address !== null && !names.has(key(address))) names.set(key(address), name);
  }
  const owners = new Set(a.orders.map((order) => key(order.owner)));
  const told = new Map<string, string>();
  for (const word of [...TELLING].reverse())
    for (const m of report.motifs)
      for (const p of m.participants) if (p.role === word) told.set(key(p.account), word);
  parts.set(key(tx.signer), 'signer');
  if (classification.actor !== null) parts.set(key(classification.actor), 'actor');

  const known = new Map<string, Account>();
  const of = (address: string): Account => {
    const found = known.get(key(address));
    if (found) return found;
    const given = parts.get(key(address)) ?? 'other';
    const part =
      given !== 'other'
        ? given
        : owners.has(key(address))
          ? 'counterparty'
          : tokens.has(key(address))
            ? 'token_contract'
            : 'other';
    const better =
      part === given
        ? part === 'other' || part === 'counterparty'
          ? told.get(key(address))
          : undefined
        : part === 'counterparty'
          ? 'order owner'
          : undefined;
    const role = (ROLES as readonly string[]).includes(part) ? (part as Role) : 'other';
    const name =
      role === 'zero'
        ? 'Mint and burn'
        : role === 'actor' || role === 'signer'
          ? undefined
          : names.get(key(address));
    const account = {
      address,
      role,
      part: better !== undefined ? words(better) : role === part ? ROLE_NAMES[role][0] : words(part),
      name: name === undefined ? shortHex(address) : name,
      named: name !== undefined,
    };
    known.set(key(address), account);
    return account;
  };
  return {
    of,
    text(address) {
      const account = of(address);
      return `${account.part} ${account.named ? `${account.name} (${shortHex(address)})` : account.name}`;
    },
  };
}
