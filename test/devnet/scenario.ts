// One transaction of the story: what is done, and what an honest report must say about it.
import { getAddress, isAddress, type Address, type Hex } from 'viem';
import { addressOf, type Person, PEOPLE } from './accounts.ts';
import { MAINNET, NATIVE } from './addresses.ts';
import { fn, type Chain, type Receipt, type Request } from './chain.ts';
import type { Contracts } from './compile.ts';
import { contract, type World } from './world.ts';

/** A person, a contract's role on the devnet, or a plain address. */
export type Who = string;

/**
 * Net change of one account in one asset, gas excluded. The amount is in whole units (`-1.5`), or only a sign where a
 * pool decides the amount; the exact figure is then the one measured on the chain. Assets are names of the
 * world, with `#id` for one token of a collection.
 */
export type Net = readonly [who: Who, asset: string, delta: string];

export interface Expectation {
  signer: Who;
  /** Who the transaction is about; null when several are equal. */
  actor: Who | null;
  /** Where the actor is one entity with several addresses (a bot and its owner), its others. */
  alsoActors?: readonly Who[];
  reverted?: boolean;
  /** Complete for the actor: a change of the actor's that is not listed fails the test. */
  nets: readonly Net[];
  /** Recognisable building blocks, one entry for each occurrence. */
  motifs: readonly string[];
}

export interface Scenario {
  name: string;
  title: string;
  /** The intent_kind a report must give; `alsoAcceptable` names others that would not be wrong. */
  intent: string;
  alsoAcceptable?: readonly string[];
  /** Intents that would be a plain error: what this scenario only looks like. */
  never?: readonly string[];
  expect: Expectation;
  /** False where the trace holds another project's bytecode: that stays out of the repository. */
  recorded?: false;
  /** Approvals and the like: transactions that are no part of the story. */
  setup?(ctx: Ctx): Promise<void>;
  run(ctx: Ctx): Promise<Hex>;
}

/** What a scenario has in its hands. */
export class Ctx {
  readonly chain: Chain;
  readonly world: World;
  readonly own: Contracts;
  /** Notes from an earlier scenario to a later one (a position's id). */
  readonly notes = new Map<string, bigint>();
  private readonly approved = new Set<string>();

  constructor(chain: Chain, world: World, own: Contracts) {
    this.chain = chain;
    this.world = world;
    this.own = own;
  }

  /** The address of a person or contract. */
  at = (who: Who): Address => {
    if (who === 'zero') return NATIVE;
    if (isAddress(who)) return getAddress(who);
    if ((PEOPLE as readonly string[]).includes(who)) return addressOf(who);
    return getAddress(
      this.world.contracts[who] ?? (MAINNET as Record<string, Address>)[who] ?? contract(this.world, who),
    );
  };

  send = (from: Person, request: Request): Promise<Hex> => this.chain.send(from, request);
  prepare = (from: Person, request: Request): Promise<Receipt> => this.chain.must(from, request);

  /** Lets a spender take a person's tokens, once, before the story's own transaction. */
  async approve(owner: Person, asset: string, spender: Who): Promise<void> {
    const key = `${owner} ${asset} ${spender}`;
    if (this.approved.has(key)) return;
    this.approved.add(key);
    await this.prepare(owner, {
      to: this.at(asset),
      data: fn('approve(address,uint256)', [this.at(spender), 2n ** 256n - 1n]),
    });
  }

  /** Approval to Permit2 and from Permit2 to the spender. */
  async permit2(owner: Person, asset: string, spender: Who): Promise<void> {
    await this.approve(owner, asset, 'permit2');
    await this.prepare(owner, {
      to: MAINNET.permit2,
      data: fn('approve(address,address,uint160,uint48)', [
        this.at(asset),
        this.at(spender),
        2n ** 160n - 1n,
        281_474_976_710_655,
      ]),
    });
  }

  /** Raw amount of a decimal string in the asset's units: `units('USDC', '1.5')` is 1500000n. */
  units = (asset: string, amount: string): bigint => toUnits(amount, this.world.assets[asset]?.decimals ?? 0);
}

/** Exact: digits only, never through a float. */
export function toUnits(amount: string, decimals: number): bigint {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(amount);
  const fraction = match?.[3] ?? '';
  if (!match || fraction.length > decimals)
    throw new Error(`${amount} is no amount with ${decimals} decimals`);
  const magnitude = BigInt(match[2]! + fraction.padEnd(decimals, '0'));
  return match[1] === '-' ? -magnitude : magnitude;
}
