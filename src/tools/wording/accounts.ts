import type { ProtocolRef, TxReport } from '../../model/generated/report.ts';
import { shortHex, shown, title, words } from './text.ts';

/** Parts with a shape of their own, most important first. An unknown part is drawn as `other`. */
export const ROLE_NAMES = {
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
} as const satisfies Readonly<Record<string, readonly [one: string, many: string]>>;
export type Role = keyof typeof ROLE_NAMES;
/** Roles that a reader knows by the role alone. */
const OWN: readonly Role[] = ['actor', 'signer'];
export const ROLES = Object.keys(ROLE_NAMES) as readonly Role[];

/** An account's part in the transaction, and its name where the report gives one. */
interface Account {
  readonly address: string;
  readonly role: Role;
  /** `Pool`, or the report's own word. */
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

/** Participant roles that say more than `other`, most telling first. */
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
  'created',
  'recipient',
] as const;

/**
 * A protocol's name by the rules or the address book, else its slug: a contract's own name is none. What only
 * speaks a family's events is a contract: the family's slug is no place.
 */
export function protocolName({ accounts }: Pick<TxReport, 'accounts'>, protocol: ProtocolRef | null): string {
  if (protocol === null) return 'an unlisted contract';
  const named = accounts?.[protocol.contract];
  const given = named && named.source !== 'contract' ? shown(named.name, 60) : '';
  return given || (isListed(protocol) ? title(protocol.slug) : `contract ${shortHex(protocol.contract)}`);
}

/** Whether the rules list the contract, which only speaking a family's events does not make it. */
const isListed = ({ matched_by: by }: ProtocolRef): boolean => by !== 'family';

type Names = ReadonlyMap<string, { readonly name: string; readonly kind?: string }>;

const key = (address: string): string => address.toLowerCase();

/** Accounts of a report: their part in the transaction and their names. The report's own names come first. */
export function accountsOf(report: TxReport): AccountBook {
  const names = namesIn(report);
  const given = givenNames(report);
  const partOf = partsIn(report);
  const of = (address: string): Account => {
    const { part, label } = partOf(key(address));
    const role = (ROLES as readonly string[]).includes(part) ? (part as Role) : 'other';
    const own = given.get(key(address));
    const ownName = OWN.includes(role) ? undefined : names.get(key(address));
    const name = role === 'zero' ? 'Mint and burn' : (own?.name ?? ownName);
    return {
      address,
      role,
      part: label ?? partName(part, role, own?.kind),
      name: name ?? shortHex(address),
      named: name !== undefined,
    };
  };
  return {
    of,
    text(address) {
      const account = of(address);
      return `${account.part} ${account.named ? `${account.name} (${shortHex(address)})` : account.name}`;
    },
  };
}

/** The names of `accounts` and `names` by lower-case address; a name service's carry its name. */
function givenNames({ accounts, names: chosen }: TxReport): Names {
  const names = new Map<string, { readonly name: string; readonly kind?: string }>();
  for (const [address, text] of Object.entries(chosen?.accounts ?? {}))
    names.set(key(address), { name: `${shown(text, 64)} (${shown(chosen!.source, 12).toUpperCase()})` });
  for (const [address, { name, kind }] of Object.entries(accounts ?? {})) {
    const text = shown(name, 60);
    if (text !== '') names.set(key(address), { name: text, kind });
  }
  return names;
}

/** `Pool`; the `kind` of a given name where the account has no part; else the report's own word. */
function partName(part: string, role: Role, kind: string | undefined): string {
  if (part === 'other' && kind !== undefined) return words(kind);
  return role === part ? ROLE_NAMES[role][0] : words(part);
}

/** Tokens by symbol, venues by protocol, and the contracts that submitted for others. */
function namesIn({ inventory_deltas: deltas, motifs, attribution: a }: TxReport): Map<string, string> {
  const names = new Map<string, string>();
  for (const { asset } of deltas)
    if (asset.address !== null && asset.symbol) names.set(key(asset.address), asset.symbol);
  for (const { protocol } of motifs)
    if (protocol && isListed(protocol)) names.set(key(protocol.contract), title(protocol.slug));
  for (const [address, name] of [
    [a.entry_point, 'Entry point'],
    [a.paymaster, 'Paymaster'],
    [a.settlement_contract, 'Settlement'],
  ] as const)
    if (address !== null && !names.has(key(address))) names.set(key(address), name);
  return names;
}

/** The part of an account, and a more telling word for it where a motif or an order gives one. */
function partsIn(report: TxReport): (account: string) => { part: string; label?: string } {
  const { attribution: a, tx, classification } = report;
  const parts = new Map<string, string>();
  const tokens = new Set<string>();
  for (const d of report.inventory_deltas) {
    parts.set(key(d.subject), d.subject_role);
    if (d.asset.address !== null) tokens.add(key(d.asset.address));
  }
  parts.set(key(tx.signer), 'signer');
  if (classification.actor !== null) parts.set(key(classification.actor), 'actor');
  const owners = new Set(a.orders.map((order) => key(order.owner)));
  const inMotifs = new Map<string, string>();
  for (const word of [...TELLING].reverse())
    for (const m of report.motifs)
      for (const p of m.participants) if (p.role === word) inMotifs.set(key(p.account), words(word));
  const labelled = (part: string, label: string | undefined) =>
    label === undefined ? { part } : { part, label };
  return (account) => {
    const given = parts.get(account) ?? 'other';
    if (given === 'counterparty') return labelled(given, inMotifs.get(account));
    if (given !== 'other') return { part: given };
    if (owners.has(account)) return { part: 'counterparty', label: 'Order owner' };
    return tokens.has(account) ? { part: 'token_contract' } : labelled('other', inMotifs.get(account));
  };
}
