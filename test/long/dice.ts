// What a random transaction is made of: who, which asset, how much.
import type { Address, Hex } from 'viem';
import { account, addressOf, type Person } from '../devnet/accounts.ts';
import type { Request } from '../devnet/chain.ts';
import type { Ctx } from '../devnet/scenario.ts';
import { Random } from '../fuzz/random.ts';

/** The people who trade; all of them are funded alike. */
export const TRADERS = [
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
] as const satisfies readonly Person[];
export const STABLES = ['USDC', 'USDT', 'DAI'] as const;
export const TOKENS = [...STABLES, 'WETH', 'ACORN', 'TOLL', 'TRUFFLE'] as const;

/** Cannot be done just now (nothing to spend, say): another action is tried in its place. */
export class NotNow extends Error {}

/** A transaction still to be sent. */
export interface Planned extends Request {
  readonly from: Person;
}

/** Makes a transaction of its kind, sent or to be sent. */
export type Action = (d: Dice) => Promise<Planned | Hex>;

export class Dice extends Random {
  readonly c: Ctx;
  constructor(seed: number, c: Ctx) {
    super(seed);
    this.c = c;
  }

  who(): Person {
    return this.pick(TRADERS);
  }

  /** Mostly somebody known, now and then nobody ever seen, a contract, or the zero address' neighbour. */
  receiver(): Address {
    const roll = this.below(10);
    if (roll < 7) return addressOf(this.who());
    return roll < 9
      ? account(`stranger ${this.below(1_000_000)}`).address
      : this.c.at(this.pick(['piggybank', 'aggregator', 'batchDelegate', 'treasury']));
  }

  /** Up to a `part`-th of what there is, with odd digits down to the last unit. */
  share(of: bigint, part: bigint): bigint {
    const most = of / part;
    if (most < 1n) throw new NotNow('nothing to spend');
    return (BigInt(`0x${this.hex(60)}`) % most) + 1n;
  }

  async balance(asset: string, who: string): Promise<bigint> {
    return this.c.chain.read<bigint>(this.c.at(asset), 'balanceOf(address) view returns (uint256)', [
      this.c.at(who),
    ]);
  }

  /** Some of a token's balance. */
  async some(asset: string, who: string, part = 20n): Promise<bigint> {
    return this.share(await this.balance(asset, who), part);
  }

  /** Up to half an ether, to the wei. */
  wei(): bigint {
    return this.share(10n ** 18n, 2n);
  }
}
