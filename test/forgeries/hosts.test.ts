// A stranger submits an account's real act together with movements of its own tokens: the act's verdict must not change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { fields, typed } from '../devnet/scenarios/delegated.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { artifact } from '../devnet/artifacts.ts';
import { decodeFunctionData } from 'viem';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
let plain: Address, other: Address, mask: Address, trap: Address, doorbell: Address;
let trapAbi: ReturnType<typeof compile>[string]['abi'];

beforeAll(async () => {
  stage = await startStage();
  plain = await stage.forger('Plain', 'PLAIN');
  other = await stage.forger('Other', 'OTHER');
  mask = await stage.forger('Mask', 'MASK');
  const { Trap, Doorbell } = compile('Forger.sol');
  trap = await stage.chain.deploy(Trap!);
  doorbell = await stage.chain.deploy(Doorbell!);
  trapAbi = Trap!.abi;
}, 120_000);
afterAll(() => stage?.stop());

const FRIEND = addressOf('bob');
const MILLION = 1_000_000_000_000n;
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)';

const pull = (token: Address, from: Address, to: Address): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [from, to, MILLION]));
const shout = (token: Address, from: Address, to: Address): Step =>
  call(token, fnOf(stage.abi, 'play', [[event(TRANSFER, from, MILLION, { from, to, value: MILLION })]]));
const swapped = (): Step =>
  event(
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    mask,
    0n,
    { amount0In: MILLION, amount1Out: MILLION },
  );

/** Movements and events the stranger adds in the name of an account. */
const additions: Record<string, (victim: Address) => Step[]> = {
  'a payment that its token makes': (victim) => [pull(plain, victim, FRIEND)],
  'a payment that its token only logs': (victim) => [shout(plain, victim, FRIEND)],
  'an approval and a payment': (victim) => [
    call(
      plain,
      fnOf(stage.abi, 'play', [
        [event(APPROVAL, victim, MILLION), event(TRANSFER, victim, MILLION, { to: FRIEND })],
      ]),
    ),
  ],
  'a trade at a contract that speaks as a pool': (victim) => [
    pull(plain, victim, mask),
    pull(other, mask, victim),
    call(mask, fnOf(stage.abi, 'play', [[swapped()]])),
  ],
  'what an allowance of old lets it take': (victim) => [
    call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [victim, FRIEND, 3_000_007n])),
  ],
  'a gift': (victim) => [pull(other, mask, victim)],
};
const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';

/** An account's real act: how it is submitted together with the additions. */
interface Host {
  victim(): Address;
  run(added: readonly Step[]): Promise<TxReport>;
}

const through = (request: { to?: Address | null; data?: Hex }, added: readonly Step[]) =>
  stage.play(mask, [...added, call(request.to!, request.data!), ...added]);
const grace = addressOf('grace');

const hosts: Record<string, Host> = {
  'a Safe\u2019s signed payment': {
    victim: () => stage.c.at('treasury'),
    run: async (added) => through(await safeTransaction(stage.c, pay('bob')), added),
  },
  'a payment signed for EIP-3009': {
    victim: () => grace,
    run: async (added) => through({ to: MAINNET.usdc, data: await authorized() }, added),
  },
  'a permit that the stranger saw in the mempool': {
    victim: () => grace,
    run: async (added) => through({ to: MAINNET.usdc, data: await permitted() }, added),
  },
  'a user operation whose bundler names a trap as beneficiary': {
    victim: () => stage.c.at('erinAccount'),
    run: async (added) => {
      await stage.chain.must(ATTACKER, { to: trap, data: fnOf(trapAbi, 'set', [added]), gas: 5_000_000n });
      const calls = [{ to: MAINNET.usdc, data: transfer() }];
      const deployed = (await stage.chain.code(stage.c.at('erinAccount'))) !== '0x';
      const { data } = await handleOps(stage.c, [{ owner: 'erin', calls, create: !deployed }]);
      const { abi } = artifact('EntryPoint');
      const { args } = decodeFunctionData({ abi, data: data! });
      return stage.report(
        await stage.chain.send(ATTACKER, {
          to: MAINNET.entryPoint,
          data: fnOf(abi, 'handleOps', [args![0], trap]),
          gas: 6_000_000n,
        }),
      );
    },
  },
  'an order settled by a solver with interactions of its own': {
    victim: () => grace,
    run: async (added) => {
      await stage.c.approve('grace', 'USDC', MAINNET.cowRelayer);
      await stage.chain.must('maker', {
        to: MAINNET.dai,
        data: fn('transfer(address,uint256)', [MAINNET.cowSettlement, 10n ** 20n]),
      });
      orders++;
      const request = await settle(
        stage.c,
        ['USDC', 'DAI'],
        [10n ** 12n, 1n],
        [{ owner: 'grace', sell: ['USDC', `${orders}`], buy: ['DAI', '0'] }],
        added.map(({ to, value, data }) => [to, value, data]),
      );
      return stage.report(await stage.chain.send('solver', { ...request, gas: 5_000_000n }));
    },
  },
  'a delegated account whose code tells of every call': {
    victim: () => addressOf('judy'),
    run: async (added) => {
      if (!replayed) {
        const nonce = (await stage.chain.nonce('judy')) + 1;
        replayed = await account('judy').signAuthorization({ chainId: 1, address: doorbell, nonce });
        await stage.chain.must('judy', { to: FRIEND, authorizationList: [replayed] });
        await stage.chain.spendNonce('judy');
      }
      const steps = [...added, call(addressOf('judy'), '0x12345678')];
      const request = { to: mask, data: fnOf(stage.abi, 'play', [steps]), gas: 3_000_000n };
      // The account's authorisation of old comes along once more: it has no effect, and makes the account looked at.
      return stage.report(await stage.chain.send(ATTACKER, { ...request, authorizationList: [replayed] }));
    },
  },
};
let replayed: unknown;
/** The victim once let the stranger's contract, and the solver's, take its tokens; it has some. */
async function allow(victim: Address): Promise<void> {
  const { chain } = stage;
  await chain.rpc('anvil_setBalance', [victim, '0xde0b6b3a7640000']);
  const transferred = fn('transfer(address,uint256)', [victim, 100_000_000n]);
  await chain.must('maker', { to: MAINNET.usdc, data: transferred });
  for (const spender of [mask, trap, MAINNET.cowSettlement])
    await chain.as(victim, {
      to: MAINNET.usdc,
      data: fn('approve(address,uint256)', [spender, 1_000_000_000n]),
      gas: 200_000n,
    });
}

let orders = 0;
let nonces = 0;

const transfer = (): Hex => fn('transfer(address,uint256)', [FRIEND, 5_000_000n]);
const pay = (_to: string) => ({ to: MAINNET.usdc, data: transfer() });
const domain = { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: MAINNET.usdc };

async function authorized(): Promise<Hex> {
  const message = {
    from: grace,
    to: FRIEND,
    value: 5_000_000n,
    validAfter: 0n,
    validBefore: 4_000_000_000n,
    nonce: `0x${(++nonces).toString(16).padStart(64, '0')}`,
  };
  const list =
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce';
  const types = { TransferWithAuthorization: fields(list) };
  const signature = await typed('grace', domain, 'TransferWithAuthorization', types, message);
  return fn(
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    [...Object.values(message), ...signature],
  );
}

async function permitted(): Promise<Hex> {
  const nonce = await stage.chain.read<bigint>(MAINNET.usdc, 'nonces(address) view returns (uint256)', [
    grace,
  ]);
  const message = { owner: grace, spender: MAINNET.v2Router, value: 7n, nonce, deadline: 4_000_000_000n };
  const types = {
    Permit: fields('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline'),
  };
  const signature = await typed('grace', domain, 'Permit', types, message);
  return fn('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', [
    grace,
    MAINNET.v2Router,
    7n,
    4_000_000_000n,
    ...signature,
  ]);
}

for (const [hostName, host] of Object.entries(hosts))
  describe(hostName, () => {
    for (const [name, added] of Object.entries(additions))
      it(`with ${name}`, async () => {
        const victim = host.victim();
        if (name.includes('allowance of old')) await allow(victim);
        const report = await host.run(added(victim));
        const { classification: said, movements } = report;
        if (process.env['SHOW'])
          console.log(
            hostName,
            '|',
            name,
            '|',
            said.intent_kind,
            said.status,
            said.confidence,
            said.intent_label,
            report.attribution.ground,
            said.actor === victim ? 'VICTIM' : said.actor,
            JSON.stringify(said.caveats?.map((c) => c.code)),
            'flags',
            movements!.map(({ flags }) => flags?.[0] ?? '-').join(' '),
          );
        const forged = said.status === 'Proven' && said.actor === victim;
        expect(
          forged && (name.includes('allowance of old') || /PLAIN|OTHER/.test(said.intent_label)),
          JSON.stringify(said),
        ).toBe(false);
      });
  });
