// Witness transfers at the real Permit2: its signer acted, by the field that it signed; what is written beside it did not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAbiParameters, keccak256, parseAbiParameters, toHex, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn } from '../devnet/chain.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import {
  ATTACKER,
  call,
  compile,
  event,
  signForPermit2,
  startStage,
  type Stage,
  type Step,
} from './stage.ts';

const SIGNER = addressOf('alice');
const FRIEND = addressOf('bob');
const ME = addressOf(ATTACKER);
const FIVE = 5_000_000n;
const UNTIL = 4_000_000_000n;

let stage: Stage;
let mask: Address;
let plain: Address;
let usdt: Address;
let nonces = 100n;

beforeAll(async () => {
  stage = await startStage();
  mask = await stage.forger('Mask', 'MASK');
  plain = await stage.forger('Plain', 'PLAIN');
  usdt = await stage.forger('Tether USD', 'USDT');
  await stage.c.approve('alice', 'USDC', MAINNET.permit2);
  await stage.c.approve('alice', 'DAI', MAINNET.permit2);
  // The signer once let the stranger's contract take its USDC.
  await stage.c.approve('alice', 'USDC', mask);
});
afterAll(() => stage?.stop());

const WITNESS =
  'Order witness)Order(address recipient,uint256 minimum)TokenPermissions(address token,uint256 amount)';
const ORDER_TYPE = keccak256(toHex('Order(address recipient,uint256 minimum)'));
const order = { recipient: FRIEND, minimum: 3n };
const witness = keccak256(
  encodeAbiParameters(parseAbiParameters('bytes32,address,uint256'), [ORDER_TYPE, FRIEND, 3n]),
);
const fields = (list: string) =>
  list.split(',').map((field) => {
    const [type, name] = field.trim().split(' ');
    return { type: type!, name: name! };
  });

interface Made {
  readonly spender: Address;
  readonly nonce: bigint;
  readonly tokens?: readonly (readonly [Address, bigint])[];
  readonly taken?: bigint;
  readonly by?: 'alice' | typeof ATTACKER;
  readonly witness?: Hex;
}

/** Calldata of a witness transfer out of the signer's account to its friend; of several tokens, where given. */
async function transfer(made: Made): Promise<Hex> {
  const { spender, nonce, tokens, taken = FIVE, by = 'alice' } = made;
  const permitted = (tokens ?? [[MAINNET.usdc, FIVE]]).map(([token, amount]) => ({ token, amount }));
  const list = tokens === undefined ? '' : '[]';
  const primaryType = `Permit${list === '' ? '' : 'Batch'}WitnessTransferFrom`;
  const types = {
    [primaryType]: fields(
      `TokenPermissions${list} permitted,address spender,uint256 nonce,uint256 deadline,Order witness`,
    ),
    Order: fields('address recipient,uint256 minimum'),
  };
  const signature = await signForPermit2(by, primaryType, types, {
    permitted: tokens === undefined ? permitted[0]! : permitted,
    spender,
    nonce,
    deadline: UNTIL,
    witness: order,
  });
  const details = permitted.map(({ amount }) => ({
    to: FRIEND,
    requestedAmount: tokens === undefined ? taken : amount,
  }));
  const word = made.witness ?? witness;
  const one = list === '';
  return fn(
    `permitWitnessTransferFrom(((address token,uint256 amount)${list} permitted,uint256 nonce,uint256 deadline) permit,(address to,uint256 requestedAmount)${list} details,address owner,bytes32 witness,string typeString,bytes signature)`,
    [
      { permitted: one ? permitted[0] : permitted, nonce, deadline: UNTIL },
      one ? details[0] : details,
      SIGNER,
      word,
      WITNESS,
      signature,
    ],
  );
}

const pull = (of: Address, amount: bigint): Step =>
  call(of, fn('transferFrom(address,address,uint256)', [SIGNER, FRIEND, amount]));

/** Nothing beyond the payment it signed is Proven of the signer. */
function expectNoMore(report: TxReport, honest: string | null): void {
  const { status, actor, intent_label: label } = report.classification;
  if (status === 'Proven' && actor === SIGNER) expect(label).toBe(honest);
}
const PAID = `Send 5 USDC to ${FRIEND.slice(0, 6)}…${FRIEND.slice(-4)}`;

describe('a witness transfer', () => {
  it('proves its signer the actor, whoever brings it', async () => {
    for (const [spender, run] of [
      [
        ME,
        async (data: Hex) => stage.report(await stage.chain.send(ATTACKER, { to: MAINNET.permit2, data })),
      ],
      [mask, (data: Hex) => stage.play(mask, [call(MAINNET.permit2, data)])],
    ] as const) {
      const report = await run(await transfer({ spender, nonce: spender === ME ? 1n : 2n }));
      expect(report.attribution).toMatchObject({ actor: SIGNER, ground: 'authorised' });
      expect(report.classification).toMatchObject({
        status: 'Proven',
        intent_kind: 'TokenTransfer',
        intent_label: PAID,
      });
    }
  });

  it('of two tokens states both', async () => {
    const tokens = [
      [MAINNET.usdc, FIVE],
      [MAINNET.dai, 7n * 10n ** 18n],
    ] as const;
    const data = await transfer({ spender: mask, nonce: 3n, tokens });
    const report = await stage.play(mask, [call(MAINNET.permit2, data)]);
    expect(report.attribution).toMatchObject({ actor: SIGNER, ground: 'authorised' });
    expect(report.classification.intent_label).toBe(PAID.replace('Send 5 USDC', 'Pay 5 USDC and 7 DAI'));
  });

  it.each<[string, (nonce: bigint) => Promise<Step[]>]>([
    [
      'as much again by an allowance of old',
      async (nonce) => [
        call(MAINNET.permit2, await transfer({ spender: mask, nonce })),
        pull(MAINNET.usdc, FIVE),
      ],
    ],
    [
      'the rest of what was permitted by an allowance of old',
      async (nonce) => [
        call(MAINNET.permit2, await transfer({ spender: mask, nonce, taken: 2_000_000n })),
        pull(MAINNET.usdc, 3_000_000n),
      ],
    ],
    [
      'a token that logs a payment of its signer',
      async (nonce) => [
        call(MAINNET.permit2, await transfer({ spender: mask, nonce })),
        pull(plain, 10n ** 12n),
      ],
    ],
    [
      'a token under another name that logs the same payment',
      async (nonce) => [call(MAINNET.permit2, await transfer({ spender: mask, nonce })), pull(usdt, FIVE)],
    ],
    [
      'an order that a stranger’s contract says was filled',
      async (nonce) => [
        pull(plain, FIVE),
        call(MAINNET.permit2, await transfer({ spender: mask, nonce })),
        event(
          'Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
          SIGNER,
          1n,
        ),
      ],
    ],
  ])('covers nothing else: %s', async (_, steps) => {
    nonces++;
    expectNoMore(await stage.play(mask, await steps(nonces)), null);
  });

  it.each<[string, () => Promise<Step[]>]>([
    [
      'shown to a contract of the stranger’s own',
      async () => [call(mask, await transfer({ spender: mask, nonce: 50n })), pull(plain, FIVE)],
    ],
    [
      'shown to the token itself',
      async () => [call(plain, await transfer({ spender: mask, nonce: 51n })), pull(plain, FIVE)],
    ],
    [
      'refused by Permit2 for another’s signature, the refusal swallowed',
      async () => [
        tried(await transfer({ spender: MAINNET.multicall3, nonce: 52n, by: ATTACKER })),
        pull(plain, FIVE),
      ],
    ],
    [
      'refused by Permit2 for another witness, the refusal swallowed',
      async () => [
        tried(await transfer({ spender: MAINNET.multicall3, nonce: 53n, witness: `0x${'11'.repeat(32)}` })),
        pull(plain, FIVE),
      ],
    ],
    [
      'refused by Permit2 for another spender, the refusal swallowed',
      async () => [tried(await transfer({ spender: mask, nonce: 54n })), pull(plain, FIVE)],
    ],
  ])('%s authorises nothing', async (_, steps) => {
    const report = await stage.play(mask, await steps());
    expect(report.attribution.ground).not.toBe('authorised');
    expect(report.classification.actor).not.toBe(SIGNER);
  });
});

/** Permit2 is called by Multicall3, which goes on if it refuses. */
const tried = (data: Hex): Step =>
  call(
    MAINNET.multicall3,
    fn('aggregate3((address target,bool allowFailure,bytes callData)[] calls)', [
      [{ target: MAINNET.permit2, allowFailure: true, callData: data }],
    ]),
  );

describe('an allowance of old at Permit2, spent by its call for several transfers', () => {
  const robbed = (of: Address, amount: bigint): Step =>
    call(
      MAINNET.permit2,
      fn('transferFrom((address from,address to,uint160 amount,address token)[])', [
        [[of, FRIEND, amount, MAINNET.usdc]],
      ]),
    );
  const allow = fn('approve(address,uint256)', [MAINNET.permit2, 1n << 255n]);
  const expectDoubted = ({ classification, movements }: TxReport, of: Address) => {
    expect(movements).toMatchObject([{ from: of, to: FRIEND, amount_raw: '90000000' }]);
    expect(classification).not.toMatchObject({ actor: of, status: 'Proven', intent_kind: 'TokenTransfer' });
    expect(classification.fragments!.find(({ kind }) => kind === 'TokenTransfer')?.status).not.toBe('Proven');
  };
  async function funded(of: Address): Promise<void> {
    const { chain } = stage;
    const { usdc, permit2 } = MAINNET;
    await chain.must('maker', { to: usdc, data: fn('transfer(address,uint256)', [of, 900_000_000n]) });
    const old = fn('approve(address,address,uint160,uint48)', [usdc, mask, 1n << 150n, Number(UNTIL)]);
    for (const [to, data] of [
      [permit2, old],
      [usdc, allow],
    ] as const)
      await chain.as(of, { to, data });
  }

  it('is not what a wallet allowed another by its signature (EIP-1271)', async () => {
    const wallet = await stage.chain.deploy(compile('Forwarded.sol')['YesWallet']!);
    await stage.chain.rpc('anvil_setBalance', [wallet, '0xde0b6b3a7640000']);
    await funded(wallet);
    const details = [MAINNET.usdc, FIVE, Number(UNTIL), 0];
    const permit = fn(
      'permit(address owner,((address,uint160,uint48,uint48),address,uint256) permitted,bytes signature)',
      [wallet, [details, MAINNET.universalRouter, UNTIL], '0x'],
    );
    expectDoubted(
      await stage.play(mask, [call(MAINNET.permit2, permit), robbed(wallet, 90_000_000n)]),
      wallet,
    );
  });

  it('is not what a Safe allows Permit2 itself', async () => {
    const safe = stage.c.at('treasury');
    await stage.chain.rpc('anvil_setBalance', [safe, '0xde0b6b3a7640000']);
    await funded(safe);
    const { to, data } = await safeTransaction(stage.c, { to: MAINNET.usdc, data: allow });
    expectDoubted(await stage.play(mask, [call(to!, data!), robbed(safe, 90_000_000n)]), safe);
  });
});
