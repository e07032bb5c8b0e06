import { create2Address, createAddress } from '../evm/address.ts';
import { wordOf } from '../evm/hex.ts';
import { lazy } from '../lib/lazy.ts';
import { memoize } from '../lib/memo.ts';
import type { Address, Hash } from '../model/hex.ts';
import type { CreationSpec } from '../model/membership.ts';
import type { ProtocolSpec } from '../model/rulebook.ts';

/** Bytes kept of each address: a match is computed anew before it counts. */
const PREFIX_BYTES = 4;

interface Row {
  readonly slug: string;
  readonly spec: CreationSpec;
  /** Place of its first contract among those of all rows. */
  readonly first: number;
}

/** The n-th contract of a row, from 1 on: after each made by the deployer come those that it made in turn. */
export function createdAddress(spec: CreationSpec, n: number): Address {
  const { children, deployer, shim } = spec;
  const [made, child] = [Math.ceil(n / (children + 1)), (n - 1) % (children + 1)];
  if (child > 0) return createAddress(createdAddress(spec, n - child), child);
  if (!shim) return createAddress(deployer, made);
  const salt: Hash = `0x${wordOf(BigInt(shim.salt) + BigInt(made))}`;
  return createAddress(create2Address(deployer, salt, shim.initCodeHash), 1);
}

const sizeOf = ({ count, children }: CreationSpec): number => count * (children + 1);

/** The index of a row: base64 of the first bytes of each address. 20 µs per contract. */
export function indexOfRow(spec: CreationSpec): string {
  const size = sizeOf(spec);
  const bytes = Buffer.alloc(size * PREFIX_BYTES);
  for (let n = 1; n <= size; n++)
    bytes.write(createdAddress(spec, n).slice(2, 2 + 2 * PREFIX_BYTES), (n - 1) * PREFIX_BYTES, 'hex');
  return bytes.toString('base64').replace(/=+$/, '');
}

/**
 * Finds the protocol that created a contract, within the row's count. The address is a hash over the
 * deployer: no other contract can have it.
 */
export function protocolOfCreated(
  protocols: Iterable<ProtocolSpec>,
): (contract: Address) => string | undefined {
  const all = lazy(() => rowsOf(protocols));
  const rowsLike = (contract: string): readonly number[] =>
    all().placesLike(parseInt(contract.slice(2, 2 + 2 * PREFIX_BYTES), 16));
  const creator = memoize((contract) => {
    const places = rowsLike(contract).map((place) => ({
      place,
      row: all().rows.findLast(({ first }) => first <= place)!,
    }));
    const own = places.find(({ place, row }) => createdAddress(row.spec, place - row.first + 1) === contract);
    return { slug: own?.row.slug };
  }, REMEMBERED);
  return (contract) => (rowsLike(contract).length > 0 ? creator(contract).slug : undefined);
}

/** Created contracts remembered: a match costs up to three hashes. */
const REMEMBERED = 2_048;

/** Lists that the contracts are spread over by the first bytes of their addresses. */
const LISTS = 1 << 18;

/** All rows, and the places of contracts by the first bytes of their addresses. */
function rowsOf(protocols: Iterable<ProtocolSpec>) {
  const specs = [...protocols].flatMap(({ slug, created }) => created.map((spec) => ({ slug, spec })));
  const size = specs.reduce((sum, { spec }) => sum + sizeOf(spec), 0);
  const prefixes = new Uint32Array(size);
  // Each list is a chain from its last place to the one before it: such arrays load in milliseconds.
  const [last, before] = [new Int32Array(LISTS).fill(-1), new Int32Array(size)];
  let first = 0;
  const rows = specs.map(({ slug, spec }): Row => {
    const row = { slug, spec, first };
    const bytes = Buffer.from(indexIn(spec) ?? indexOfRow(spec), 'base64').swap32();
    prefixes.set(new Uint32Array(bytes.buffer, bytes.byteOffset, sizeOf(spec)), first);
    first += sizeOf(spec);
    return row;
  });
  for (let place = 0; place < size; place++) {
    const list = prefixes[place]! & (LISTS - 1);
    before[place] = last[list]!;
    last[list] = place;
  }
  const placesLike = (prefix: number): number[] => {
    const found: number[] = [];
    for (let one = last[prefix & (LISTS - 1)]!; one >= 0; one = before[one]!)
      if (prefixes[one] === prefix) found.push(one);
    return found;
  };
  return { rows, placesLike };
}

/** The stored index, unless it was made for another count. */
function indexIn(spec: CreationSpec): string | null {
  const { index } = spec;
  return index !== null && Buffer.byteLength(index, 'base64') === sizeOf(spec) * PREFIX_BYTES ? index : null;
}
