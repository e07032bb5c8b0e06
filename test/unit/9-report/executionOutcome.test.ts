import fc from 'fast-check';
import { encodeAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Hex } from '../../../src/model/hex.ts';
import { executionOutcome } from '../../../src/value/frames.ts';
import { canonicalTx, frame } from '../../support/builders.ts';

const errors = new Map<Hex, { name: string; signature: string }>([
  ['0x5bf6f916', { name: 'TransactionDeadlinePassed', signature: 'TransactionDeadlinePassed()' }],
]);
const outcome = (output: string, error: string | null = 'execution reverted') =>
  executionOutcome(
    canonicalTx({
      succeeded: false,
      logs: [],
      frames: [frame({ output: output as Hex, error, effective: false })],
    }),
    errors,
  );
const errorString = (text: string) =>
  `0x08c379a0${encodeAbiParameters([{ type: 'string' }], [text]).slice(2)}`;
const panic = (code: bigint) => `0x4e487b71${encodeAbiParameters([{ type: 'uint256' }], [code]).slice(2)}`;

describe('executionOutcome', () => {
  it('is Success for what succeeded', () => expect(executionOutcome(canonicalTx(), errors)).toBe('Success'));

  it.each([
    ['Error(string)', errorString('UniswapV2: K'), 'Reverted: UniswapV2: K'],
    ['an empty Error(string)', errorString(''), 'Reverted without a reason'],
    ['hostile text', errorString('a\u202eb\n\u0000c'), 'Reverted: ab c'],
    ['a panic', panic(0x11n), 'Reverted: arithmetic overflow or underflow'],
    ['an unlisted panic', panic(0x99n), 'Reverted: panic code 0x99'],
    ['a known custom error', '0x5bf6f916', 'Reverted: TransactionDeadlinePassed'],
    ['an unknown custom error', `0xdeadbeef${'00'.repeat(32)}`, 'Reverted: custom error 0xdeadbeef'],
    ['no data', '0x', 'Reverted without a reason'],
    ['three bytes', '0x010203', 'Reverted: undecodable data'],
    ['a truncated Error(string)', '0x08c379a0', 'Reverted: undecodable data'],
    ['a lying length', `0x08c379a0${'20'.padStart(64, '0')}${'f'.repeat(64)}`, 'Reverted: undecodable data'],
    ['a lying offset', `0x08c379a0${'f'.repeat(64)}`, 'Reverted: undecodable data'],
    ['a truncated panic', '0x4e487b7100', 'Reverted: undecodable data'],
  ])('decodes %s', (_, output, text) => expect(outcome(output)).toBe(text));

  it('says why the EVM stopped when there is no data', () => {
    expect(outcome('0x', 'out of gas')).toBe('Reverted: out of gas');
    expect(outcome('0x', 'failed')).toBe('Reverted without a reason');
    expect(executionOutcome(canonicalTx({ succeeded: false, frames: [] }), errors)).toBe(
      'Reverted without a reason',
    );
  });

  it('is the reason of the frame it failed on, or of its cause, where the root has none', () => {
    const failed = { output: '0x' as Hex, error: 'execution reverted', effective: false };
    const inner = (error: string, output: string = '0x') =>
      executionOutcome(
        canonicalTx({
          succeeded: false,
          logs: [],
          frames: [
            frame({ ...failed, end: 2 }),
            frame({ ...failed, index: 1, end: 2, parent: 0, path: [0], error, output: output as Hex }),
          ],
        }),
        errors,
      );
    expect(inner('out of gas')).toBe('Reverted: out of gas');
    expect(inner('execution reverted', errorString('TRANSFER_FAILED'))).toBe('Reverted: TRANSFER_FAILED');
  });

  it('is bounded and prints for any data', () => {
    expect(outcome(errorString('x'.repeat(100_000))).length).toBeLessThan(300);
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('0x08c379a0', '0x4e487b71', '0x'),
        (bytes, head) => {
          expect(outcome(head + Buffer.from(bytes).toString('hex'))).toMatch(
            /^Reverted[: ][^\p{Cc}]{1,250}$/u,
          );
        },
      ),
    );
  });
});
