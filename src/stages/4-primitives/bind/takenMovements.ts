/** Movements a (shape, role) has already accounted for; a movement is used once per such pair. */
export type Taken = Set<number>;

/** One set per shape and role. */
export class TakenMovements {
  readonly #byShape = new Map<string, Map<string, Taken>>();

  of(shape: string, role: string): Taken {
    let byRole = this.#byShape.get(shape);
    if (!byRole) this.#byShape.set(shape, (byRole = new Map()));
    let taken = byRole.get(role);
    if (!taken) byRole.set(role, (taken = new Set()));
    return taken;
  }
}
