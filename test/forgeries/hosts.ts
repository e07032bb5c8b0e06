// Accounts' real acts, each a payment of 5 USDC or a permit, which a stranger submits together with steps of its own.
import { decodeFunctionData, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { account, addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { artifact } from '../devnet/artifacts.ts';
import { fields, typed } from '../devnet/scenarios/delegated.ts';
import { safeTransaction } from '../devnet/scenarios/safe.ts';
import { settle } from '../devnet/scenarios/settlement.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { ATTACKER, call, compile, permit, type Stage, type Step } from './stage.ts';

/** An account's real act: how it is submitted together with the additions. */
export interface Host {
  victim(): Address;
  /** `once`: the additions come after the act only. */
  run(added: readonly Step[], once?: boolean): Promise<TxReport>;
}

export const HOSTS = [
  'a Safe\u2019s signed payment',
  'a Safe\u2019s harmless act',
  'a payment signed for EIP-3009',
  'a permit that the stranger saw in the mempool',
  'a user operation whose bundler names a trap as beneficiary',
  'a harmless user operation whose bundler names a trap as beneficiary',
  'an order settled by a solver with interactions of its own',
  'a delegated account whose code tells of every call',
] as const;

export interface Hosts {
  readonly hosts: Readonly<Record<string, Host>>;
  /** The victim once let the stranger's contracts take its USDC; it has some. */
  allow(victim: Address): Promise<void>;
  /** A contract of the stranger that plays any steps, and one that does when it is paid. */
  readonly mask: Address;
  readonly trap: Address;
}

export async function startHosts(stage: Stage): Promise<Hosts> {
  const mask = await stage.forger('Mask', 'MASK');
  const { Trap, Doorbell } = compile('Forger.sol');
  const trap = await stage.chain.deploy(Trap!);
  const doorbell = await stage.chain.deploy(Doorbell!);
  const trapAbi = Trap!.abi;
  const FRIEND = addressOf('bob');
  let replayed: unknown;
  let orders = 0;
  let nonces = 0;
  const through = (request: { to?: Address | null; data?: Hex }, added: readonly Step[], once = false) =>
    stage.play(mask, [...(once ? [] : added), call(request.to!, request.data!), ...added]);
  const grace = addressOf('grace');
  const PERMIT = { owner: 'grace', spender: MAINNET.v2Router, value: 7n } as const;
  /** A call that does nothing. */
  const greeting = { to: MAINNET.weth, data: fn('balanceOf(address)', [FRIEND]) };

  async function operation(made: { to: Address; data: Hex }, added: readonly Step[]): Promise<TxReport> {
    await stage.chain.must(ATTACKER, { to: trap, data: fnOf(trapAbi, 'set', [added]), gas: 5_000_000n });
    const deployed = (await stage.chain.code(stage.c.at('erinAccount'))) !== '0x';
    const { data } = await handleOps(stage.c, [{ owner: 'erin', calls: [made], create: !deployed }]);
    const { abi } = artifact('EntryPoint');
    const { args } = decodeFunctionData({ abi, data: data! });
    const handle = fnOf(abi, 'handleOps', [args![0], trap]);
    return stage.report(
      await stage.chain.send(ATTACKER, { to: MAINNET.entryPoint, data: handle, gas: 6_000_000n }),
    );
  }

  const hosts: Record<string, Host> = {
    'a Safe\u2019s signed payment': {
      victim: () => stage.c.at('treasury'),
      run: async (added, once) => through(await safeTransaction(stage.c, pay('bob')), added, once),
    },
    'a Safe\u2019s harmless act': {
      victim: () => stage.c.at('treasury'),
      run: async (added, once) => through(await safeTransaction(stage.c, greeting), added, once),
    },
    'a payment signed for EIP-3009': {
      victim: () => grace,
      run: async (added, once) => through({ to: MAINNET.usdc, data: await authorized() }, added, once),
    },
    'a permit that the stranger saw in the mempool': {
      victim: () => grace,
      run: async (added, once) => through(await permit(stage, PERMIT), added, once),
    },
    'a user operation whose bundler names a trap as beneficiary': {
      victim: () => stage.c.at('erinAccount'),
      run: (added) => operation({ to: MAINNET.usdc, data: transfer() }, added),
    },
    'a harmless user operation whose bundler names a trap as beneficiary': {
      victim: () => stage.c.at('erinAccount'),
      run: (added) => operation(greeting, added),
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

  return { hosts, allow, mask, trap };
}
