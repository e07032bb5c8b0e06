// Requests that a listed exchange executes for who signed them (EIP-712): their signer acted, whoever brings them, and nobody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encodeAbiParameters,
  getAddress,
  hexToSignature,
  parseAbiParameters,
  type Address,
  type Hex,
} from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf, type Person } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn } from '../devnet/chain.ts';
import { fields } from '../devnet/scenarios/delegated.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const EXCHANGE = getAddress('0xDef1C0ded9bec7F1a1670819833240f027b25EfF');
const ALICE = addressOf('alice');
const BOB = addressOf('bob');
const FIVE = 5_000_000n;
const NOBODY: Address = '0x0000000000000000000000000000000000000000';

let stage: Stage;
let mask: Address, copy: Address, lie: Address;

beforeAll(async () => {
  stage = await startStage();
  const { chain, c } = stage;
  const { SignedExchange, LyingToken } = compile('Forwarded.sol');
  await chain.placeAt(EXCHANGE, SignedExchange!, [false]);
  copy = await chain.deploy(SignedExchange!, [true]);
  lie = await chain.deploy(LyingToken!, [ALICE]);
  mask = await stage.forger('Mask', 'MASK');
  for (const owner of ['alice', 'bob'] as const) {
    const data = fn('transfer(address,uint256)', [addressOf(owner), 100n * FIVE]);
    await chain.must('maker', { to: MAINNET.usdc, data });
    // The stranger's contracts have allowances of old.
    for (const spender of [EXCHANGE, copy, mask]) await c.approve(owner, 'USDC', spender);
  }
  const { dai: to } = MAINNET;
  await chain.must('maker', { to, data: fn('transfer(address,uint256)', [mask, 100n * ETHER]) });
});
afterAll(() => stage?.stop());

const FEE = '(address,uint256)';
const REQUEST = `(address,address,uint256,uint256,bytes,address,${FEE}[])`;
const SIGNATURE = '(uint8,uint8,bytes32,bytes32)';
const TYPES = {
  MetaTransactionDataV2: fields(
    'address signer, address sender, uint256 expirationTimeSeconds, uint256 salt, bytes callData, address feeToken, MetaTransactionFeeData[] fees',
  ),
  MetaTransactionFeeData: fields('address recipient, uint256 amount'),
};
let salts = 0n;

/** A sale of 5 USDC for WETH, less a fee of 0.5 USDC to the relayer, and its signature. */
async function sale(owner: Person, by: Person = owner, token: Address = MAINNET.usdc) {
  const sold = encodeAbiParameters(parseAbiParameters('address,address,uint256,uint256,bytes'), [
    token,
    token === lie ? lie : MAINNET.weth,
    FIVE,
    1n,
    '0x',
  ]);
  const message = {
    signer: addressOf(owner),
    sender: NOBODY,
    expirationTimeSeconds: 4_000_000_000n,
    salt: ++salts,
    callData: `0x415565b0${sold.slice(2)}` as Hex,
    feeToken: token,
    fees: [{ recipient: addressOf('relayer'), amount: FIVE / 10n }],
  };
  const signature = await account(by).signTypedData({
    domain: { name: 'ZeroEx', version: '1.0.0', chainId: 1, verifyingContract: EXCHANGE },
    types: TYPES,
    primaryType: 'MetaTransactionDataV2',
    message,
  } as never);
  const { v, r, s } = hexToSignature(signature);
  const fees = message.fees.map(({ recipient, amount }) => [recipient, amount]);
  return { request: [...Object.values(message).slice(0, 6), fees], signature: [2, Number(v), r, s] };
}

async function execute(made: ReturnType<typeof sale>): Promise<Hex> {
  const { request, signature } = await made;
  return fn(`executeMetaTransactionV2(${REQUEST},${SIGNATURE})`, [request, signature]);
}

const send = async (by: Person, to: Address, data: Hex): Promise<TxReport> =>
  stage.report(await stage.chain.send(by, { to, data, gas: 2_000_000n }));
const pull = (from: Address): Step =>
  call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [from, addressOf(ATTACKER), FIVE]));
const executed = (who: Address): Step =>
  event(
    'MetaTransactionExecuted(bytes32 hash, bytes4 indexed selector, address signer, address sender)',
    who,
    FIVE,
  );

function expectNotOf(report: TxReport, ...victims: readonly Address[]): void {
  const { status, actor } = report.classification;
  if (status === 'Proven') expect(victims, JSON.stringify(report.classification)).not.toContain(actor);
}

describe('a request that the listed exchange executes', () => {
  const acted = {
    classification: {
      actor: ALICE,
      status: 'Proven',
      intent_label: expect.stringMatching(
        /^Swap 5 USDC for 0\.00\d+ WETH through (0x Exchange Proxy|0x[0-9A-F]{4}…)/i,
      ) as string,
    },
    attribution: { mode: 'meta_transaction', ground: 'listed', submitter_role: 'relayer' },
  };

  it('is its signer’s act, whoever brings it', async () => {
    expect(await send('relayer', EXCHANGE, await execute(sale('alice')))).toMatchObject(acted);
  });

  it('through a contract of the one who brings it too', async () => {
    const report = await stage.play(mask, [call(EXCHANGE, await execute(sale('alice')))]);
    expect(report).toMatchObject(acted);
  });

  it('of several signers is the act of none alone', async () => {
    const made = [await sale('alice'), await sale('bob')];
    const data = fn(`batchExecuteMetaTransactionsV2(${REQUEST}[],${SIGNATURE}[])`, [
      made.map(({ request }) => request),
      made.map(({ signature }) => signature),
    ]);
    const report = await send('relayer', EXCHANGE, data);
    expect(report.classification.actor).toBeNull();
    expect(report.attribution.ambiguous).toBe(true);
  });

  it('signed by another reverts', async () => {
    const hash = await stage.chain.send(ATTACKER, {
      to: EXCHANGE,
      data: await execute(sale('alice', ATTACKER)),
      gas: 2_000_000n,
    });
    await expect(stage.report(hash)).rejects.toThrow('reverted');
  });

  it.each<[string, () => Step[]]>([
    ['what an allowance of old lets the stranger take', () => [pull(ALICE)]],
    ['the same from another, in its event', () => [pull(BOB), executed(BOB)]],
  ])('proves nothing of %s beside it', async (_, added) => {
    const report = await stage.play(mask, [call(EXCHANGE, await execute(sale('alice'))), ...added()]);
    expectNotOf(
      report,
      BOB,
      ...(report.classification.intent_label.includes('Swap 5 USDC for 0.00') ? [] : [ALICE]),
    );
    if (added().length === 1) expect(report.classification.status).toBe('Suspected');
  });

  it('of the stranger’s own proves nothing of whom its token blames', async () => {
    expectNotOf(await send(ATTACKER, EXCHANGE, await execute(sale(ATTACKER, ATTACKER, lie))), ALICE);
  });
});

describe('at a stranger’s contract', () => {
  it('the same calldata, with a signature for the listed exchange, proves nothing', async () => {
    expectNotOf(await send(ATTACKER, copy, await execute(sale('alice'))), ALICE);
  });

  it('the same calldata without a signature of the account proves nothing', async () => {
    expectNotOf(await send(ATTACKER, copy, await execute(sale('alice', ATTACKER))), ALICE);
  });

  it.each([
    ['the exchange', executed],
    [
      'an EntryPoint',
      (who: Address) =>
        event(
          'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
          who,
          1n,
        ),
    ],
  ])('events of %s about several accounts prove no bundle', async (_, said) => {
    const { classification } = await stage.play(mask, [said(ALICE), said(BOB)]);
    expect(classification.intent_label).not.toContain('of several accounts');
  });

  it('the exchange’s event beside real movements proves nothing', async () => {
    const paid = call(MAINNET.dai, fn('transfer(address,uint256)', [ALICE, 4n * ETHER]));
    expectNotOf(await stage.play(mask, [pull(ALICE), paid, executed(ALICE)]), ALICE);
  });
});
