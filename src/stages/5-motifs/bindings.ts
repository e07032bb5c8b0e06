import type { Address } from '../../model/hex.ts';
import type { RoleBinding } from '../../model/primitive.ts';

/** Roles given to accounts, each pair once, in the order in which they were first given. */
export class Bindings {
  readonly #all: RoleBinding[] = [];
  readonly #roles = new Map<Address, string[]>();

  add(binding: RoleBinding): void {
    const { role, account } = binding;
    const roles = this.#roles.get(account);
    if (!roles) this.#roles.set(account, [role]);
    else if (roles.includes(role)) return;
    else roles.push(role);
    this.#all.push(binding);
  }

  /** As long as it is: a list that grows has room for many more. */
  get all(): RoleBinding[] {
    return this.#all.slice();
  }
}
