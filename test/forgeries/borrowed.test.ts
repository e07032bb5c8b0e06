// Code that runs for a stranger (DELEGATECALL): neither the words of its caller nor the checks it passes are an account's.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatHex, encodeAbiParameters, getAddress, parseAbiParameters, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { ATTACKER, call, compile, startStage, type Stage } from './stage.ts';

const ALICE = addressOf('alice');

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.stop());

describe('the code of a listed contract, run by a stranger’s', () => {
  const EXCHANGE = getAddress('0x61935CbDd02287B511119DDb11Aeb42F1593b7Ef');
  const FORWARDER = getAddress('0xAa3E82b4c4093b4bA13Cb5714382C99ADBf750cA');
  const WORD: Hex = `0x${'11'.repeat(32)}`;
  const requests: Record<string, [Address, Hex]> = {
    'an exchange': [
      EXCHANGE,
      fn('executeTransaction((uint256,uint256,uint256,address,bytes),bytes)', [
        [1n, 4_000_000_000n, 1n, ALICE, '0x'],
        '0x1234',
      ]),
    ],
    'a forwarder': [
      FORWARDER,
      fn('execute((address,address,uint256,uint256,uint256,bytes,uint256),bytes32,bytes32,bytes,bytes)', [
        [ALICE, MAINNET.usdc, 0n, 100_000n, 7n, '0x', 0n],
        WORD,
        WORD,
        '0x',
        '0x',
      ]),
    ],
  };
  let borrower: Address;
  const { Borrower, Obliging } = compile('Borrowed.sol');
  beforeAll(async () => {
    borrower = await stage.chain.deploy(Borrower!);
    for (const at of [EXCHANGE, FORWARDER]) await stage.chain.placeAt(at, Obliging!);
  });

  for (const [name, [code, request]] of Object.entries(requests))
    for (const value of [0n, ETHER / 2n])
      it(`makes no request of the account that it names: ${name}’s, paying it ${value} wei`, async () => {
        const data = fnOf(Borrower!.abi, 'borrow', [code, request, ALICE]);
        const hash = await stage.chain.send(ATTACKER, { to: borrower, data, value });
        const { classification, motifs } = await stage.report(hash);
        expect(classification.actor).toBe(addressOf(ATTACKER));
        expect(motifs.map(({ kind }) => kind)).not.toContain('account_execution');
      });
});

describe('words that its executor adds to a Safe’s signed transaction', () => {
  /** The Safe pays a trap of the stranger's, which takes the amount by an allowance of old. */
  const robbed = async (trap: Address, words: boolean): Promise<TxReport> => {
    const { chain, c } = stage;
    const { usdc } = MAINNET;
    const safe = c.at('treasury');
    const amount = 3_000_007n;
    await chain.rpc('anvil_setBalance', [safe, '0xde0b6b3a7640000']);
    await chain.must('maker', { to: usdc, data: fn('transfer(address,uint256)', [safe, amount]) });
    await chain.as(safe, { to: usdc, data: fn('approve(address,uint256)', [trap, 10n * amount]) });
    const request = await safeTransaction(c, { to: trap, value: ETHER / 100n, data: '0x' });
    const added = encodeAbiParameters(parseAbiParameters('address,uint256'), [usdc, amount]);
    const data = words ? concatHex([request.data!, added]) : request.data!;
    return stage.report(await chain.send('relayer', { ...request, data, gas: 3_000_000n }));
  };
  let trap: Address;
  beforeAll(async () => {
    const { Trap } = compile('Forger.sol');
    trap = await stage.chain.deploy(Trap!);
    const args = [stage.c.at('treasury'), addressOf('bob'), 3_000_007n];
    const pull = call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', args));
    const data = fnOf(Trap!.abi, 'set', [[pull]]);
    await stage.chain.must(ATTACKER, { to: trap, data, gas: 5_000_000n });
  });

  it.each([false, true])('ask for nothing (%s)', async (words) => {
    const { classification } = await robbed(trap, words);
    expect(classification.status).toBe('Suspected');
    expect(classification.caveats!.map(({ code }) => code)).toContain('unasked_pull');
  });
});
