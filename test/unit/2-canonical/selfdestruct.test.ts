import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../../src/stages/2-canonical/canonicalize.ts';
import { EOA, ROOT, address, rawTransaction } from './execution.ts';

describe('SELFDESTRUCT', () => {
  // revm's inspectors, and with them anvil and reth, name the caller's caller when an account names itself as beneficiary.
  it.each(['call_tracer', 'parity'] as const)(
    "is its caller's own, whoever the tracer names: %s",
    (dialect) => {
      const raw = rawTransaction(
        { value: 7n, steps: [{ type: 'SELFDESTRUCT', from: EOA, to: ROOT, value: 7n }] },
        dialect,
      );
      expect(canonicalize(raw).frames[1]).toMatchObject({
        type: 'SELFDESTRUCT',
        from: ROOT,
        to: ROOT,
        context: ROOT,
        value: 7n,
      });
    },
  );

  it("inside borrowed code is the borrower's", () => {
    const library = address('1b');
    const raw = rawTransaction(
      {
        value: 7n,
        steps: [{ type: 'DELEGATECALL', to: library, steps: [{ type: 'SELFDESTRUCT', to: EOA, value: 7n }] }],
      },
      'call_tracer',
    );
    expect(canonicalize(raw).frames[2]).toMatchObject({ from: ROOT, to: EOA, value: 7n });
  });
});
