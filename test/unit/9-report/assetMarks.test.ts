import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pad, toEventSelector } from 'viem';
import { loadRules } from '../../../src/service/loadRules.ts';
import { examine, read } from '../../../src/analyze.ts';
import { findRecording } from '../../../src/tools/cli/rules/recordings.ts';
import { SHARE_TOPICS } from '../../../src/evm/tokenTopics.ts';
import { erc20Asset } from '../../../src/stages/3-flow/readStandardTransfer.ts';
import { withTaxes } from '../../../src/stages/3-flow/tokenTaxes.ts';
import { account, txOf } from '../../support/builders.ts';
import { assetMarks } from '../../../src/stages/9-report/inventoryDeltas.ts';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import type { FlowEntry } from '../../../src/stages/3-flow/rawTransfer.ts';

const FOLDER = join(import.meta.dirname, '../../recordings');
const rulebook = loadRules();

function marksOf(name: string): string[] {
  const { raw, context } = findRecording(name, [FOLDER]);
  const { tx, flow } = examine(read(raw, context), context, rulebook);
  return [...assetMarks(tx, flow).values()].flatMap((marks) => [...marks]);
}

describe('what a transaction shows about its tokens', () => {
  it.each([
    ['fee-on-transfer', ['fee_on_transfer']],
    ['swap-fee-on-transfer', ['fee_on_transfer']],
    ['rebase-transfer', ['rebasing']],
    ['liquid-stake', ['rebasing']],
    ['aave-supply', ['rebasing']],
    ['token-transfer', []],
    ['batch-token', []],
    ['swap-v2-eth-usdc', []],
    ['vault-deposit', []],
    ['permit-relayed', []],
    ['swap-split', []],
  ])('%s: %j', (name, marks) => expect(marksOf(name)).toEqual(marks));

  it('looks at few entries of calls within calls', () => {
    const [token, payer, payee] = [account('70'), account('a1'), account('e0')];
    const depth = 1_000;
    const input = `0xa9059cbb${pad(payee, { size: 32 }).slice(2)}${'1'.padStart(64, '0')}` as const;
    const call = { from: payer, to: token, input, end: depth + 1 };
    const { frames } = txOf(Array.from({ length: depth }, () => ({ call })));
    let looks = 0;
    const entries = new Proxy(
      Array.from({ length: depth }, (_, index): FlowEntry => {
        const evidence = { kind: 'log', frame: 0, log: index, contract: token } as const;
        const seq = depth + 1 + index;
        return {
          kind: 'transfer',
          from: payer,
          to: payee,
          asset: erc20Asset(token),
          amount: 1n,
          seq,
          evidence,
        };
      }),
      {
        get(list, key, self): unknown {
          looks++;
          return Reflect.get(list, key, self);
        },
      },
    );
    const { taxes } = withTaxes({ frames } as CanonicalTx, entries);
    expect(taxes.size).toBe(0);
    // Of each call a search by halves and 32 entries.
    expect(looks).toBeLessThan(128 * depth);
  });

  it('knows the events by their signatures', () => {
    const signatures = [
      'TransferShares(address,address,uint256)',
      'BalanceTransfer(address,address,uint256,uint256)',
      'Mint(address,address,uint256,uint256,uint256)',
      'Burn(address,address,uint256,uint256,uint256)',
    ];
    expect([...SHARE_TOPICS]).toEqual(signatures.map((signature) => toEventSelector(signature)));
  });
});
