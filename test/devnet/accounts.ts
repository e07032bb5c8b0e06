// The people of the story. Keys come from their names, so addresses and signatures never change.
import { keccak256, stringToHex, type Address, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

/** Who they are: users, a deployer, service operators, and the builder every block pays. */
export const PEOPLE = [
  'alice',
  'bob',
  'carol',
  'dave',
  'erin',
  'frank',
  'grace',
  'heidi',
  'ivan',
  'judy',
  'deployer',
  'maker',
  'bundler',
  'solver',
  'relayer',
  'searcher',
  'liquidator',
  'spammer',
  'house',
  'builder',
] as const;
export type Person = (typeof PEOPLE)[number];

export const keyOf = (name: string): Hex => keccak256(stringToHex(`txreport devnet ${name}`));

const known = new Map<string, PrivateKeyAccount>();

/** The account (with its key) of a name; any name will do, the known ones are funded by the set-up. */
export function account(name: string): PrivateKeyAccount {
  let found = known.get(name);
  if (!found) known.set(name, (found = privateKeyToAccount(keyOf(name))));
  return found;
}

export const addressOf = (name: string): Address => account(name).address;
