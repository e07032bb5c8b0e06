import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toEventSelector } from 'viem';
import { loadRules } from '../../../src/service/loadRules.ts';
import { examine, read } from '../../../src/analyze.ts';
import { findRecording } from '../../../src/tools/cli/rules/recordings.ts';
import { SHARE_TOPICS } from '../../../src/evm/tokenTopics.ts';
import { assetMarks } from '../../../src/stages/9-report/inventoryDeltas.ts';
import type { CanonicalTx } from '../../../src/model/canonicalTx.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { ValueFlow } from '../../../src/model/valueFlow.ts';

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

  it('goes through the payments of calls within calls no further than they tell something', () => {
    const [token, payer, payee] = ['0x70', '0xa1', '0xe0'].map((start) => start.padEnd(42, '0')) as [
      Address,
      Address,
      Address,
    ];
    const word = (value: string): string => value.padStart(64, '0');
    const depth = 1_000;
    const frames = Array.from({ length: depth }, (_, index) => ({
      index,
      end: depth,
      seq: index,
      type: 'CALL',
      effective: true,
      from: payer,
      to: token,
      selector: '0xa9059cbb',
      input: `0xa9059cbb${word(payee.slice(2))}${word('1')}`,
    }));
    let looks = 0;
    const movements = new Proxy(
      Array.from({ length: depth }, (_, index) => ({
        seq: depth + index,
        from: payer,
        to: payee,
        asset: 'it',
        amount: 1n,
      })),
      {
        get(list, key, self): unknown {
          looks++;
          return Reflect.get(list, key, self);
        },
      },
    );
    const outgoing = new Map([[payer, movements.map((_, index) => index)]]);
    looks = 0;
    const marks = assetMarks(
      { frames, logs: [] } as unknown as CanonicalTx,
      {
        movements,
        outgoing,
        assets: new Map([['it', { kind: 'erc20', address: token }]]),
      } as unknown as ValueFlow,
    );
    expect(marks.size).toBe(0);
    // A search by halves and the one payment, per call.
    expect(looks).toBeLessThan(12 * depth);
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
