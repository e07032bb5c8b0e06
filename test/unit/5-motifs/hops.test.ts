import { describe, expect, it } from 'vitest';
import { analyse, account, rulebook, transfer, v2Swap, type Step } from '../4-primitives/support.ts';
import { buildMotifs } from '../../../src/stages/5-motifs/buildMotifs.ts';
import { kindOf } from '../../../src/lib/motifKinds.ts';
import { connectedHops, hopOf, type Hop } from '../../../src/stages/5-motifs/hops.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Movement } from '../../../src/model/valueFlow.ts';

const [CALLED, ROUTES, A, B] = [2, 3, 4, 5].map(account) as [Address, Address, Address, Address];

/** The called contract sells through a router that deals with each pool and passes everything on. */
function routed(trades: number) {
  const steps: Step[] = [];
  for (let i = 0; i < trades; i++) {
    const pool = account(100 + i);
    steps.push(
      transfer(A, CALLED, ROUTES, 5n),
      transfer(A, ROUTES, pool, 5n),
      transfer(B, pool, ROUTES, 7n),
      v2Swap(pool, ROUTES, [5n, 0n, 0n, 7n]),
      transfer(B, ROUTES, CALLED, 7n),
    );
  }
  const { tx, flow, primitives } = analyse(steps, { to: CALLED });
  const input = { tx, flow, primitives, rulebook, coinbase: null };
  const [motif] = buildMotifs(input);
  const hops = primitives.flatMap(
    (one) =>
      hopOf(one, { ...motif!, traits: kindOf(rulebook, one.kind), venue: one.venue, movements: [] }, input) ??
      [],
  );
  expect(hops).toHaveLength(trades);
  return { hops, input };
}

/** How often connecting the hops looks at a movement. */
function looks({ hops, input }: ReturnType<typeof routed>): number {
  let count = 0;
  const movements = new Proxy(input.flow.movements as Movement[], {
    get: (list, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) count++;
      return Reflect.get(list, key) as unknown;
    },
  });
  const groups: readonly Hop[][] = connectedHops(hops, { ...input, flow: { ...input.flow, movements } });
  expect(groups).toHaveLength(1);
  return count;
}

describe('hops through a router of the called contract', () => {
  it('are connected by looks at movements that grow as their number does', () => {
    const [few, many] = [routed(20), routed(80)].map(looks) as [number, number];
    expect(many).toBeLessThanOrEqual(4 * few + 8);
  });
});
