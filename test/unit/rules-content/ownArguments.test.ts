import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { functionCalled } from '../../../src/evm/decodeArguments.ts';
import { functionsOf, readSignature } from '../../../src/evm/signatures.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';
import { ownArguments } from '../../../src/value/argumentText.ts';
import { shippedRules } from './scene.ts';

const rulebook = shippedRules();
const namesAt = (contract: string, signature: string, args: readonly unknown[]): readonly string[] => {
  const input: Hex = encodeFunctionData({
    abi: parseAbi([`function ${signature}` as 'function f()']),
    args,
  } as never);
  const called = functionCalled(rulebook.signatures, input)!;
  return ownArguments(called, contract.toLowerCase() as Address, rulebook).map(({ name }) => name);
};

const SOMEBODY = '0x00000000000000000000000000000000000000aa';

describe('names of arguments', () => {
  it('are those of the called contract: StarkGate, Aave v3', () => {
    const starkGate = '0xae0Ee0A63A2cE6BaeEFFE56e7714FB4EFE48D419';
    expect(namesAt(starkGate, 'deposit(uint256 a, uint256 b)', [1n, 2n])).toEqual(['amount', 'l2Recipient']);
    const pool = '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2';
    const withdraw = 'withdraw(address a, uint256 b, address c)';
    expect(namesAt(pool, withdraw, [SOMEBODY, 1n, SOMEBODY])).toEqual(['asset', 'amount', 'to']);
  });

  it('are left out where only the selector tells them', () => {
    expect(namesAt(SOMEBODY, 'deposit(uint256 a, uint256 b)', [1n, 2n])).toEqual(['arg0', 'arg1']);
  });

  it('are those of the standard for a token', () => {
    expect(namesAt(SOMEBODY, 'approve(address a, uint256 b)', [SOMEBODY, 1n])).toEqual(['spender', 'amount']);
  });

  it('stand for known protocols, entities and functions', () => {
    const slugs = new Set([
      ...rulebook.protocols.keys(),
      ...[...rulebook.entities.values()].map((e) => e.slug),
    ]);
    const wrong = rulebook.signatures.own.text
      .trim()
      .split('\n')
      .filter((line) => {
        const { named, hash } = readSignature(line.slice(line.indexOf(' ') + 1));
        const known = functionsOf(rulebook.signatures, `0x${hash.slice(0, 8)}`);
        return !slugs.has(line.split(' ')[0]!) || !known.some((one) => one.canonical === named.canonical);
      });
    expect(wrong).toEqual([]);
  });
});
