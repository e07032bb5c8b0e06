import type { Address } from '../../model/hex.ts';
import type { RoleBinding } from '../../model/primitive.ts';

/** Up to so many are looked through, which is quicker than sorting them by account. */
const FEW = 16;

/** Roles given to accounts, each pair once, in the order in which they were first given. */
export class Bindings {
  readonly #all: RoleBinding[] = [];
  /** Only where there are many. */
  #roles: Map<Address, string[]> | null = null;

  add(role: string, account: Address): void {
    if (!this.#isKnown(role, account)) this.#push({ role, account });
  }

  /** One that stands already: there are as many as roles of acts. */
  take(binding: RoleBinding): void {
    if (!this.#isKnown(binding.role, binding.account)) this.#push(binding);
  }

  #push(binding: RoleBinding): void {
    this.#all.push(binding);
    if (this.#roles) note(this.#roles, binding.role, binding.account);
    else if (this.#all.length > FEW) {
      this.#roles = new Map();
      for (const known of this.#all) note(this.#roles, known.role, known.account);
    }
  }

  get all(): readonly RoleBinding[] {
    return this.#all;
  }

  /** To keep: `same` where it holds just these, else a copy, which takes less than a list that grew, with room for many more. */
  list(same: readonly RoleBinding[]): readonly RoleBinding[] {
    return same.length === this.#all.length && same.every((binding, i) => binding === this.#all[i])
      ? same
      : this.#all.slice();
  }

  #isKnown(role: string, account: Address): boolean {
    if (this.#roles) return this.#roles.get(account)?.includes(role) ?? false;
    for (const known of this.#all) if (known.role === role && known.account === account) return true;
    return false;
  }
}

function note(roles: Map<Address, string[]>, role: string, account: Address): void {
  const own = roles.get(account);
  if (own) own.push(role);
  else roles.set(account, [role]);
}
