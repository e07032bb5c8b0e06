import type { Hex } from '../../model/hex.ts';
import { decodeArguments, type Decoded } from '../../evm/decodeArguments.ts';
import { functionNamed } from '../../evm/signatures.ts';
import type { TxReport } from '../../model/generated/report.ts';
import { checksumAddress } from '../../evm/address.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import { authoritiesOf } from '../../evm/signing.ts';
import { lowerAddress, uintAt } from '../../evm/hex.ts';
import { only } from '../../lib/lists.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import type { Asset } from '../../model/valueFlow.ts';
import type { Rulebook, SignatureTables } from '../../model/rulebook.ts';
import type { SimulatedCall, SimulationRequest, StateChange } from '../../model/simulation.ts';
import { controlChanges, changedAccounts, slotsOf } from './controlChanges.ts';
import { isGrant } from './environment.ts';
import type { Exchange } from './exchange.ts';
import { accountsOf } from '../wording/accounts.ts';
import { amountText } from '../wording/sentences.ts';
import { timeText } from '../wording/text.ts';

/** A danger that a signer should see first. Codes are stable; the list may grow. */
export interface PreviewWarning {
  readonly code: WarningCode;
  readonly text: string;
  /** Accounts and tokens it is about. */
  readonly accounts: readonly string[];
}

type WarningCode =
  | 'depends_on_environment'
  | 'reverts'
  | 'gas_limit_reached'
  | 'nonce'
  | 'unknown_contract'
  | 'unlimited_allowance'
  | 'unknown_spender'
  | 'resembles_known_address'
  | 'impersonating_token'
  | 'nothing_received'
  | 'control_changes'
  | 'slippage';

/** Everything a preview's warnings are drawn from. */
export interface Preview {
  readonly report: TxReport;
  readonly request: SimulationRequest;
  readonly known: readonly string[];
  readonly rulebook: Rulebook;
  /** The state changes of each call; null where the node does not say. */
  readonly changes: readonly StateChange[] | null;
  /** The sender's, in the state used. */
  readonly nextNonce: bigint;
  /** It fails with the gas limit of the request and not with a higher one. */
  readonly lacksGas: boolean;
  /** Differences under another fee, gas limit or fee recipient, a text each. */
  readonly differences: readonly string[];
  readonly exchange: Exchange;
  /** The accounts of the signer's side, checksummed. */
  readonly own: ReadonlySet<string>;
}

/** The dangers that a report shows to its signer, gravest first. */
export function warningsOf(given: Omit<Preview, 'own'>): PreviewWarning[] {
  const { classification, tx } = given.report;
  const own = new Set([tx.signer, classification.actor ?? tx.signer]);
  return CHECKS.flatMap((check) => check({ ...given, own }));
}

type Check = (preview: Preview) => readonly PreviewWarning[];

const warning = (code: WarningCode, text: string, accounts: readonly string[] = []): PreviewWarning => ({
  code,
  text,
  accounts,
});

const environment: Check = ({ differences, report }) => {
  if (differences.length === 0) return [];
  const text = `Run twice, with another fee, gas limit and fee recipient, ${differences.join('; ')}`;
  return [warning('depends_on_environment', text, report.tx.to === null ? [] : [report.tx.to])];
};

const reverts: Check = ({ report: { execution }, request, lacksGas }) => {
  if (!execution.reverted) return [];
  const { failure } = execution;
  const at = failure?.contract ? [failure.contract] : [];
  // The holder of a signature brings it when it works.
  const when = request.typed === null ? 'It would fail' : 'It fails now, and may work later';
  const found = [warning('reverts', `${when}: ${failure?.reason ?? execution.outcome}`, at)];
  const limit = request.gas;
  if (limit !== null && BigInt(execution.gas_used) >= limit)
    found.push(warning('gas_limit_reached', `It uses all of its gas limit of ${limit}`));
  else if (lacksGas)
    found.push(warning('gas_limit_reached', `It fails with its gas limit of ${limit} and not with more`));
  return found;
};

/** The effect of a signature is known where the contract is. */
const unlisted: Check = ({ request: { typed }, rulebook }) => {
  if (typed === null || !typed.isListedKind || isListedAddress(typed.contract, rulebook)) return [];
  const contract = checksumAddress(typed.contract);
  const text = `${contract} asks for a signature and is not listed in the rules`;
  return [warning('unknown_contract', text, [contract])];
};

/** A node takes each number of an account once, and in their order. */
const nonce: Check = ({ request: { nonce: stated, from }, nextNonce: next }) => {
  if (stated === null || stated === next) return [];
  const text =
    stated < next
      ? `Its nonce ${stated} is used already: the next one is ${next}, and no node takes it`
      : `Its nonce ${stated} waits until ${next} to ${stated - 1n} are used, ` +
        'and those may change what it does';
  return [warning('nonce', text, [from])];
};

/** In full, since a short one can be imitated. */
function nameOf(account: string, report: TxReport): string {
  const { name, named } = accountsOf(report).of(account);
  return named ? `${name} (${account})` : account;
}

const isListed = (account: string, { accounts = {} }: TxReport): boolean =>
  accounts[account]?.source === 'rules';

const allowances: Check = ({ report, own }) =>
  (report.allowances ?? [])
    .filter((allowance) => isGrant(allowance) && own.has(allowance.owner))
    .flatMap(({ asset, spender, unlimited, amount_raw: raw, expires_at: end, flags }) => {
      const may = `${nameOf(spender, report)} may ${flags?.includes('credit') ? 'borrow' : 'take'}`;
      const what = amountText(asset, unlimited || raw === null ? undefined : BigInt(raw));
      const until = end == null ? '' : ` until ${timeText(end)}`;
      const all = `${may} all ${what}${until || ', now and later'}`;
      const unknown = `${may} ${what}${until} and is not listed in the rules`;
      return [
        unlimited ? warning('unlimited_allowance', all, [spender, asset.address]) : [],
        isListed(spender, report) ? [] : warning('unknown_spender', unknown, [spender, asset.address]),
      ].flat();
    });

/** Digits at either end that people compare. */
const SEEN = 4;

const looksLike = (a: string, b: string): boolean =>
  a !== b && a.slice(2, 2 + SEEN) === b.slice(2, 2 + SEEN) && a.slice(-SEEN) === b.slice(-SEEN);

/** Address poisoning: a recipient made to look like an earlier one. */
const resembling: Check = ({ report, known, own }) => {
  const paid = new Set((report.movements ?? []).filter(({ from }) => own.has(from)).map(({ to }) => to));
  for (const { spender, owner } of report.allowances ?? []) if (own.has(owner)) paid.add(spender);
  return [...paid].flatMap((to) => {
    const similar = known.find((one) => looksLike(one.toLowerCase(), to.toLowerCase()));
    if (similar === undefined) return [];
    const text = `${to} is not ${similar}, though it begins and ends alike`;
    return [warning('resembles_known_address', text, [to, similar])];
  });
};

const impersonating: Check = ({ report, own }) => {
  const tokens = new Map<string, string | null>();
  for (const { subject, asset } of report.inventory_deltas)
    if (own.has(subject) && asset.address !== null && asset.flags?.includes('impersonates'))
      tokens.set(asset.address, asset.symbol);
  return [...tokens].map(([token, symbol]) =>
    warning('impersonating_token', `${token} carries the symbol ${symbol} of another token`, [token]),
  );
};

/** NFTs are named one by one, also in lists. */
const ANY = 1n << 255n;

/** No warning for plain payments, which ask for nothing in return. */
const unrequited: Check = ({ exchange, request: { calls }, rulebook }) => {
  const stated = ({ address, kind }: Asset): bigint =>
    calls.reduce((sum, { to, data, value }) => {
      if (kind === 'native') return sum + (data === '0x' ? value : 0n);
      const spec = to === address ? rulebook.tokenCalls.get(data.slice(0, 10) as Hex) : undefined;
      if (spec === undefined || spec.spender !== null) return sum;
      const amount = spec.amount === null ? null : uintAt(data, 4 + spec.amount);
      return sum + (kind === 'erc20' ? (amount ?? 0n) : ANY);
    }, 0n);
  const { sent, forNothing } = exchange;
  if (forNothing === null || sent.every(({ asset, net }) => -net <= stated(asset))) return [];
  return [warning('nothing_received', forNothing)];
};

/** Intents that hand over control of an account or a contract. */
const CONTROL = new Set<string | null>(['AccountDelegation', 'AccountAdministration']);

/** By the state's own difference; a log alone counts where its contract wrote to its storage. */
const control: Check = ({ report, request, changes, rulebook }) => {
  const states = changes ?? [];
  const found = controlChanges(states).map(({ text, accounts }) =>
    warning('control_changes', text, accounts),
  );
  const changed = changes && changedAccounts(changes);
  const isNew = (account: string): boolean => changed?.created.has(account.toLowerCase()) ?? false;
  const told = report.motifs
    .filter(({ kind }) => CONTROL.has(kindOf(rulebook, kind).fragment))
    .filter(({ participants }) => !participants.some(({ account }) => isNew(account)))
    .flatMap(({ evidence }) => evidence.find(({ contract }) => contract !== null)?.contract ?? [])
    .filter((account) => !changed || changed.written.has(account.toLowerCase()))
    .filter((account) => !found.some(({ accounts }) => accounts[0] === account));
  for (const account of new Set(told))
    found.push(warning('control_changes', `It changes who controls ${account}`, [account]));
  const { typed } = request;
  const account = typed?.counters && checksumAddress(typed.contract);
  if (account && !found.some(({ accounts }) => accounts[0] === account))
    if (slotsOf(states, typed.contract).some((slot) => !typed.counters!.includes(slot)))
      found.push(warning('control_changes', `${account} changes its own storage`, [account]));
  // An authorisation that has no effect now may have one later.
  return found.length > 0 ? found : authorised(request, report);
};

const authorised = ({ authorizationList: list }: SimulationRequest, report: TxReport): PreviewWarning[] =>
  authoritiesOf(list).map((authority, i) => {
    const code = (list[i] as { readonly address?: unknown }).address;
    const accounts = [authority, lowerAddress(code)].flatMap((one) => (one ? checksumAddress(one) : []));
    const who = authority === null ? 'an account' : nameOf(checksumAddress(authority), report);
    return warning('control_changes', `It lets ${who} run the code of ${accounts.at(-1)}`, accounts);
  });

/** Above this share of the result that the calldata leaves open, in percent. */
const WIDE = 5n;

const slippage: Check = ({ report, request, own, rulebook }) => {
  if (report.classification.category !== 'trade' || report.execution.reverted) return [];
  const changes = report.inventory_deltas.filter(({ subject }) => own.has(subject));
  const gain = only(changes.filter(({ delta_raw: raw }) => BigInt(raw) > 0n));
  if (!gain) return [];
  const paid = BigInt(gain.delta_raw);
  const least = leastAccepted(request.calls, rulebook.signatures, paid);
  const open = least === null ? 0n : ((paid - least) * 100n) / paid;
  const what = amountText(gain.asset, paid);
  const text = `The calldata accepts ${open} % less than the ${what} of the simulation`;
  return open < WIDE ? [] : [warning('slippage', text)];
};

const CHECKS: readonly Check[] = [
  environment,
  reverts,
  nonce,
  unlisted,
  control,
  resembling,
  impersonating,
  allowances,
  unrequited,
  slippage,
];

/** Names of arguments that state the least a caller accepts: `amountOutMin`, `minReturn`, `min_dy`. */
const LEAST = /(?:^|_)min(?![a-z])|Min(?![a-z])|[mM]inimum|(?:^|[a-z])Min[A-Z_]/;
/** Calls inside calls, as `multicall(bytes[])` holds them. */
const MOST_DEPTH = 3;

interface Field {
  readonly name: string;
  readonly fields: readonly Field[];
}

/**
 * The least amount that the calldata accepts by the names of its arguments: the largest that is at most the
 * amount received. Null where no argument of a known function is called so.
 */
function leastAccepted(
  calls: readonly SimulatedCall[],
  signatures: SignatureTables,
  received: bigint,
): bigint | null {
  let least: bigint | null = null;
  const note = (amount: bigint): void => {
    if (amount <= received && (least === null || amount > least)) least = amount;
  };
  const readCall = (data: Hex, depth: number): void => {
    const named = data.length >= 10 ? functionNamed(signatures, data.slice(0, 10) as Hex) : null;
    const args = named && decodeArguments(named, { topics: [], data, base: 4 });
    for (const [i, { value }] of (args ?? []).entries())
      if (value !== null) readValue(named!.args[i]!, value, depth);
  };
  const readValue = (field: Field, value: Decoded, depth: number): void => {
    if (isList(value)) {
      // A tuple has named fields; the items of a list share the list's.
      for (const [i, item] of value.entries())
        readValue(isList(item) ? field : (field.fields[i] ?? field), item, depth);
    } else if (value.kind === 'integer' && LEAST.test(field.name)) note(value.value);
    else if (value.kind === 'bytes' && depth < MOST_DEPTH) readCall(value.value, depth + 1);
  };
  for (const { data } of calls) readCall(data, 0);
  return least;
}

function isList(value: Decoded): value is readonly Decoded[] {
  return Array.isArray(value);
}
