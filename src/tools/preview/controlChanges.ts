import { keccak256 } from '../../evm/keccak.ts';
import { fromString } from 'ox/Hex';
import { checksumAddress } from '../../evm/address.ts';
import { addressOfWord, lowerAddress, wordOf } from '../../evm/hex.ts';
import { isRecord } from '../../lib/shape.ts';
import type { Address, Hash } from '../../model/hex.ts';
import type { StateChange } from '../../model/simulation.ts';

/** An account that is controlled otherwise, or runs other code, after the calls. */
export interface ControlChange {
  readonly text: string;
  /** First the account, then the code it runs or its administrator, where the state says. */
  readonly accounts: readonly string[];
}

const slotBefore = (name: string): string => `0x${wordOf(BigInt(keccak256(fromString(name))) - 1n)}`;

const RUNS = 'runs the code of';
/** Where proxies keep code and administrator: EIP-1967, EIP-1822, and OpenZeppelin before them. */
const PROXY_SLOTS: ReadonlyMap<string, string> = new Map([
  [slotBefore('eip1967.proxy.implementation'), RUNS],
  [slotBefore('eip1967.proxy.beacon'), 'runs the code chosen by'],
  [slotBefore('eip1967.proxy.admin'), 'is administered by'],
  [keccak256(fromString('PROXIABLE')), RUNS],
  [keccak256(fromString('org.zeppelinos.proxy.implementation')), RUNS],
  [keccak256(fromString('org.zeppelinos.proxy.admin')), 'is administered by'],
]);
/** Where Safes keep their code, and owned contracts their owner: an address in place of another counts. */
const FIRST_SLOT = `0x${wordOf(0n)}`;
/** Code of an account delegated by EIP-7702. */
const DELEGATION = '0xef0100';

/** Control that changes hands by the state difference, logged or not, of contracts not just created. */
export function controlChanges(changes: readonly StateChange[]): ControlChange[] {
  const found = new Map<string, ControlChange>();
  for (const { key, before, after } of accountsIn(changes)) {
    const lower = lowerAddress(key);
    if (lower === null || !isRecord(before) || !isRecord(after)) continue;
    const account = checksumAddress(lower);
    for (const [does, by] of [...codeChange(before, after), ...slotChanges(before, after)])
      found.set(`${key} ${does}`, {
        text: `${account} ${does} ${by ?? 'nobody'} from then on`,
        accounts: [account, by ?? []].flat(),
      });
  }
  return [...found.values()];
}

/** Changed accounts, and those that were only read, in the states before and after. */
const accountsIn = (changes: readonly StateChange[]) =>
  changes.flatMap(({ pre, post }) =>
    Object.keys({ ...post, ...pre }).map((key) => ({ key, before: pre[key], after: post[key] })),
  );

/** The slots of an account in a state. */
const storageOf = (account: unknown): Record<string, unknown> =>
  isRecord(account) && isRecord(account['storage']) ? account['storage'] : {};

/** A verb phrase for the account from then on, and the account named in its new state. */
type Change = readonly [does: string, by: string | null];

function codeChange(before: Record<string, unknown>, { code }: Record<string, unknown>): Change[] {
  if (typeof code !== 'string') return [];
  if (code.startsWith(DELEGATION)) return [[RUNS, namedIn(code)]];
  return hasCode(before) ? [[RUNS, null]] : [];
}

function slotChanges(before: Record<string, unknown>, after: Record<string, unknown>): Change[] {
  if (!hasCode(before)) return [];
  const [old, now] = [storageOf(before), storageOf(after)];
  const [was, is] = [addressIn(old[FIRST_SLOT]), addressIn(now[FIRST_SLOT])];
  const first: Change[] = was && is ? [['obeys', checksumAddress(is)]] : [];
  const proxied = [...PROXY_SLOTS].filter(([slot]) => slot in now || slot in old);
  return [...first, ...proxied.map(([slot, does]): Change => [does, namedIn(now[slot])])];
}

const hasCode = ({ code }: Record<string, unknown>): boolean => typeof code === 'string' && code !== '0x';

/** Slots of a contract that change. */
export function slotsOf(changes: readonly StateChange[], contract: Address): Hash[] {
  const own = accountsIn(changes).filter(({ key }) => key.toLowerCase() === contract);
  const slots = own.flatMap(({ before, after }) =>
    Object.keys({ ...storageOf(before), ...storageOf(after) }),
  );
  return [...new Set(slots)] as Hash[];
}

/** A word that is an address and no small number. */
const addressIn = (word: unknown): Address | null =>
  typeof word === 'string' && word.length === 66 && !/^0x0{36}/.test(word) ? addressOfWord(word) : null;

/** The address in the last 20 bytes of a word or a delegation. */
function namedIn(word: unknown): string | null {
  const address = typeof word === 'string' ? lowerAddress(`0x${word.slice(-40)}`) : null;
  return address === null ? null : checksumAddress(address);
}

/** Lower-case: earlier accounts with a change of storage or code, and contracts created. */
export function changedAccounts(changes: readonly StateChange[]): Record<'written' | 'created', Set<string>> {
  const found = { written: new Set<string>(), created: new Set<string>() };
  const has = (value: unknown, field: string): boolean => isRecord(value) && value[field] !== undefined;
  for (const { key, before, after } of accountsIn(changes))
    if (isRecord(before) && (hasCode(before) || !has(after, 'code'))) {
      if (has(before, 'storage') || has(after, 'storage') || has(after, 'code'))
        found.written.add(key.toLowerCase());
    } else if (has(after, 'code')) found.created.add(key.toLowerCase());
  return found;
}
