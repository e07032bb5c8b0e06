import type { Address } from '../../model/hex.ts';
import type { Movement, MovementLists, ValueFlow } from '../../model/valueFlow.ts';
import { AccountLedger } from './accountLedger.ts';

/**
 * Double entry over the movements: each is one account's outflow and another's inflow of the same amount, so every
 * asset's deltas sum to zero. Accounts and assets stand in the order value first touched them.
 */
export class Ledgers {
  readonly accounts = new Map<Address, AccountLedger>();

  /** The account's own: one text stands for it in all movements, so that comparing it is comparing a reference. */
  of(account: Address): AccountLedger {
    let ledger = this.accounts.get(account);
    if (!ledger) this.accounts.set(account, (ledger = new AccountLedger(account)));
    return ledger;
  }

  /** What `ValueFlow` tells of each account. */
  told(movements: readonly Movement[]): Pick<ValueFlow, 'ledgers' | 'outgoing' | 'incoming'> {
    return {
      ledgers: this.accounts,
      outgoing: new Lists(this.accounts, movements, 'outgoing'),
      incoming: new Lists(this.accounts, movements, 'incoming'),
    };
  }
}

const END = { outgoing: 'from', incoming: 'to' } as const;

/** One side of all ledgers. */
class Lists implements MovementLists {
  readonly #ledgers: ReadonlyMap<Address, AccountLedger>;
  readonly #movements: readonly Movement[];
  readonly #side: 'outgoing' | 'incoming';

  constructor(
    ledgers: ReadonlyMap<Address, AccountLedger>,
    movements: readonly Movement[],
    side: 'outgoing' | 'incoming',
  ) {
    this.#ledgers = ledgers;
    this.#movements = movements;
    this.#side = side;
  }

  get(account: Address): readonly number[] | undefined {
    return this.#ledgers.get(account)?.[this.#side];
  }

  has(account: Address): boolean {
    return this.get(account) !== undefined;
  }

  *keys(): Generator<Address, void> {
    // Each account where it stands first.
    for (const movement of this.#movements) {
      const account = movement[END[this.#side]];
      if (this.get(account)![0] === movement.index) yield account;
    }
  }
}
