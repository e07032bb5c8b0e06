/** The call tree of a transaction, and its calls and logs in words. */
import { counted, shortHex, shown } from './text.ts';
import type { Sentence } from './sentences.ts';

/** A contract or account with its name, where there is one. */
export interface Target {
  readonly address: string;
  readonly name: string | null;
}

/** A function or event with arguments that fit the data. */
export interface Decoded {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly value: string | null }[];
}

/** Parts of a report at a call or log: positions in `movements`, ids of motifs. */
interface Anchors {
  readonly movements: readonly number[];
  readonly motifs: readonly string[];
}

export interface LogItem extends Anchors {
  readonly kind: 'log';
  /** The receipt's `logIndex`. */
  readonly log_index: number;
  readonly contract: Target;
  readonly topic0: string | null;
  readonly event: Decoded | null;
}

export interface Call extends Anchors {
  readonly kind: 'call';
  /** The report's `frame_path`. */
  readonly path: readonly number[];
  readonly type: string;
  readonly from: Target;
  /** Null for a creation that failed. */
  readonly to: Target | null;
  /** Implementations that a proxy handed the same calldata to. */
  readonly via: readonly Target[];
  readonly selector: string | null;
  readonly function: Decoded | null;
  /** Ether that moved, decimal. */
  readonly value: string;
  readonly gas_used: number | null;
  /** Why the call failed; null where it did not. */
  readonly failed: string | null;
  /** The call or one around it failed: nothing of it remains. */
  readonly undone: boolean;
  /** Calls and logs in execution order. */
  readonly items: readonly (Call | LogItem)[];
}

export interface CallTree {
  readonly hash: string;
  readonly calls: number;
  /** Calls left out of a very large tree. */
  readonly omitted: number;
  readonly root: Call;
}

const VERBS: Readonly<Record<string, string>> = {
  DELEGATECALL: 'runs the code of ',
  CALLCODE: 'runs the code of ',
  STATICCALL: 'reads ',
  CREATE: 'creates ',
  CREATE2: 'creates ',
  SELFDESTRUCT: 'destroys itself, for ',
};

/** `name value, name value`, each shortened to `most` characters; addresses short. */
export function argumentsText({ arguments: list }: Decoded, most: number): string {
  return list
    .slice(0, 12)
    .map(({ name, value }) => {
      const text = (value ?? 'hashed')
        .replaceAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (address) => shortHex(address))
        .replaceAll(/["…]$|"/g, '');
      return `${shown(name, 40)} ${shown(text, most)}`;
    })
    .concat(list.length > 12 ? [`and ${list.length - 12} more`] : [])
    .join(', ');
}

/** That the call failed, or that it was undone with the one that made it. */
function outcomeOf({ failed, undone }: Call): Sentence {
  if (failed !== null) return [' failed: ', { said: shown(failed, 200) }];
  return undone ? [', undone'] : [];
}

/** `reads USDC balanceOf(account 0x12…)`, `Router swap(…) with 1 ETH`, and why it failed. */
export function callText(call: Call, most = 66): Sentence {
  const { to, function: called, selector, via } = call;
  const name = called ? `${shown(called.name, 60)}(${argumentsText(called, most)})` : selector;
  return [
    VERBS[call.type] ?? '',
    to === null ? 'a contract' : { account: to.address },
    ...(via.length > 0 ? [' by ', { account: via.at(-1)!.address }] : []),
    ...(name === null ? [] : [' ', { code: name }]),
    ...(call.value === '0' ? [] : [` with ${call.value} ETH`]),
    ...outcomeOf(call),
  ];
}

/** `emits Transfer(from 0x12…, to 0x34…, value 5)`. */
export function logText({ event, contract, topic0 }: LogItem, most = 66): Sentence {
  const code = event
    ? `${shown(event.name, 60)}(${argumentsText(event, most)})`
    : topic0 === null
      ? 'a log without topics'
      : shortHex(topic0, 10, 4);
  return [{ account: contract.address }, ' emits ', { code }];
}

/** A run of calls that only read, folded. */
export interface Reads {
  readonly kind: 'reads';
  readonly calls: readonly Call[];
}

const onlyReads = (item: Call | LogItem): item is Call =>
  item.kind === 'call' && item.type === 'STATICCALL' && item.failed === null && item.motifs.length === 0;

/** The items of a call, runs of calls that only read joined. */
export function foldReads(items: readonly (Call | LogItem)[]): (Call | LogItem | Reads)[] {
  const folded: (Call | LogItem | { kind: 'reads'; calls: Call[] })[] = [];
  for (const item of items) {
    const last = folded.at(-1);
    if (!onlyReads(item)) folded.push(item);
    else if (last?.kind === 'reads') last.calls.push(item);
    else folded.push({ kind: 'reads', calls: [item] });
  }
  return folded;
}

/** `3 reads: balanceOf × 2, getReserves`. */
export function readsText({ calls }: Reads): string {
  const names = counted(
    calls.map((call) => shown(call.function?.name ?? call.selector ?? 'a call', 60)),
    (name, count) => `${name} × ${count}`,
  );
  const more = names.length > 8 ? ` and ${names.length - 8} more` : '';
  return `${calls.length === 1 ? 'Reads' : `${calls.length} reads`}: ${names.slice(0, 8).join(', ')}${more}`;
}

/** Every name the tree gives an address, by address. */
export function namesIn({ root }: CallTree): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = ({ address, name }: Target): void => void (name !== null && names.set(address, name));
  const open: (Call | LogItem)[] = [root];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item.kind === 'log') add(item.contract);
    else {
      for (const one of [item.from, ...item.via]) add(one);
      if (item.to) add(item.to);
      open.push(...item.items);
    }
  }
  return names;
}
