// Names that a stranger's contract gives itself, or has a listed contract emit, prove nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getContractAddress, keccak256, stringToHex, type Address } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, short, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.stop());

const ALICE = addressOf('alice');
const VICTIM = addressOf('grace');
const AMOUNT = 7_000_000n;

/** Alice signs a call of a contract that plays these steps. */
async function signs(to: Address, steps: readonly Step[], value = 0n): Promise<TxReport> {
  const data = fnOf(stage.abi, 'play', [steps]);
  return stage.report(await stage.chain.send('alice', { to, data, value, gas: 3_000_000n }));
}

describe('a symbol', () => {
  it.each(['Coinbase 10', 'vitalik.eth', '0xdAC1…1ec7', 'Aave v3', 'USDC'])(
    '%s of the contract that is paid does not stand for its address',
    async (symbol) => {
      const forger = await stage.forger('Any', symbol);
      const report = await stage.report(
        await stage.chain.send('alice', { to: forger, value: 5n, data: fn('hello()') }),
      );
      const { intent_label: label } = report.classification;
      if (label.includes(symbol)) expect(label).toContain(`${symbol}[${short(forger)}]`);
    },
  );

  it.each([
    ['USDT[0xdAC1…1ec7]', /\]/],
    ['0xdAC1…1ec7', /dAC1/],
    ['0xdAC17F958D2ee523a2206206994597C13D831ec7', /dAC1/],
    ['USDT, 5 WETH', /, 5/],
    ['\u202eTDSU', /\u202e/],
  ])('%j of the token that moves carries no address, list or mark of its own', async (symbol, never) => {
    const token = await stage.forger('Any', symbol);
    const data = fn('transfer(address,uint256)', [addressOf('bob'), AMOUNT]);
    const report = await stage.report(await stage.chain.send('alice', { to: token, data }));
    expect(report.classification.intent_kind).toBe('TokenTransfer');
    const own = report.classification.intent_label.replace(`[${short(token)}]`, '');
    expect(own).not.toMatch(never);
    expect(report.economics.token_out?.replace(`[${short(token)}]`, '') ?? '').not.toMatch(never);
  });
});

describe('a name registered', () => {
  const register = (name: string, owner: Address): Step =>
    event(
      'NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)',
      owner,
      ETHER,
      { name, label: keccak256(stringToHex(name)), premium: 0n, expires: 2_000_000_000n },
    );
  let controller: Address;
  beforeAll(async () => {
    const { Forger } = compile('Forger.sol');
    controller = await stage.chain.placeAt('0x253553366Da8546fC250F225fe3d25d0C782303b', Forger!, ['', '']);
  });
  const label = async (steps: readonly Step[], to = controller) =>
    (await signs(to, steps, ETHER)).classification.intent_label;

  it('for another account is told as that account’s', async () => {
    expect(await label([register('one', ALICE)])).toBe('Register one.eth, paying 1 ETH');
    expect(await label([register('two', VICTIM)])).toBe(
      `Register two.eth, owned by ${short(VICTIM)}, paying 1 ETH`,
    );
  });

  it('beside another is not told as the only one', async () => {
    expect(await label([register('one', ALICE), register('two', ALICE)])).toMatch(
      /^Register one name or more for 1 ETH with ENS/,
    );
  });
});

describe('a listed address', () => {
  /** A contract that says what its caller wants, where the rules list one: as its real code would say it. */
  const placed = (address: Address): Promise<Address> =>
    stage.chain.placeAt(address, compile('Forger.sol')['Forger']!, ['', '']);

  it('that publishes anybody\u2019s message makes no bridge of its sender', async () => {
    const core = await placed('0x98f3c9e6E3fAce36bAAd05FE09d375Ef1464288B');
    const mask = await stage.forger('Mask', 'MASK');
    const message = event(
      'LogMessagePublished(address indexed sender, uint64 sequence, uint32 nonce, bytes payload, uint8 consistencyLevel)',
      mask,
      1n,
    );
    const report = await signs(mask, [call(core, fnOf(stage.abi, 'play', [[message]]))], ETHER);
    const { status, intent_kind: kind } = report.classification;
    expect([kind, status]).not.toEqual(['BridgeDeposit', 'Proven']);
    for (const { kind: of, status: proven } of report.motifs)
      if (of === 'bridge_deposit') expect(proven).toBe('Suspected');
  });

  it('that clones any code for anybody lends its name to no event', async () => {
    const factory: Address = '0xC551dDCE8e5E657503Cd67A39713c06F2c0d2e97';
    const clone = await placed(getContractAddress({ from: factory, nonce: 900n }));
    await stage.chain.must('alice', {
      to: MAINNET.usdc,
      data: fn('approve(address,uint256)', [clone, AMOUNT]),
    });
    const report = await signs(clone, [
      call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [ALICE, clone, AMOUNT])),
      event('Staked(address indexed user, uint256 amount)', ALICE, AMOUNT),
    ]);
    expect(
      report.classification.status,
      JSON.stringify([report.classification, report.motifs.map((m) => [m.kind, m.status, m.protocol])]),
    ).toBe('Suspected');
    for (const { protocol } of report.motifs) expect(protocol).not.toHaveProperty('matched_by');
  });

  it('that fills made-up orders makes no recipient act', async () => {
    const spoke = await placed('0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5');
    const mask = await stage.forger('Mask', 'MASK');
    await stage.chain.must(ATTACKER, { to: mask, value: ETHER });
    const filled = event(FILLED, VICTIM, ETHER / 2n, {
      outputToken: `0x${'00'.repeat(12)}${MAINNET.weth.slice(2)}`,
      recipient: `0x${'00'.repeat(12)}${VICTIM.slice(2)}`,
      relayer: `0x${'00'.repeat(12)}${mask.slice(2)}`,
    });
    const pay: Step[] = [call(VICTIM, '0x', ETHER / 2n), filled];
    const report = await stage.play(mask, [call(spoke, fnOf(stage.abi, 'play', [pay]), ETHER / 2n)]);
    const { status, actor } = report.classification;
    expect([status, actor]).not.toEqual(['Proven', VICTIM]);
  });
});
const FILLED =
  'FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, (bytes32 updatedRecipient, bytes32 updatedMessageHash, uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)';
