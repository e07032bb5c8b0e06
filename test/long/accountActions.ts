import { concatHex, toHex, type Address, type Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { fn, initCode } from '../devnet/chain.ts';
import { authorize, batch, fields, typed } from '../devnet/scenarios/delegated.ts';
import { multiSend, safeTransaction } from '../devnet/scenarios/safe.ts';
import { handleOps } from '../devnet/scenarios/smartAccounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { NotNow, type Action, type Dice } from './dice.ts';

interface Inner {
  to: Address;
  value: bigint;
  data: Hex;
}

/** What an account might do by way of another: pay, pay in tokens, or call what fails. */
async function inner(d: Dice, payer: string): Promise<Inner> {
  const roll = d.below(4);
  if (roll === 0) return { to: d.receiver(), value: d.wei() / 100n, data: '0x' };
  if (roll === 1 && d.chance(0.2)) return { to: d.c.at('reverter'), value: 0n, data: fn('withString()') };
  const asset = d.pick(['USDC', 'DAI'] as const);
  const held = await d.balance(asset, payer);
  return {
    to: d.c.at(asset),
    value: 0n,
    data: fn('transfer(address,uint256)', [d.receiver(), held === 0n ? 0n : d.share(held, 200n)]),
  };
}

async function several(d: Dice, payer: string): Promise<Inner[]> {
  const calls: Inner[] = [];
  for (let n = 1 + d.below(4); n > 0; n--) calls.push(await inner(d, payer));
  return calls;
}

const asTuples = (calls: Inner[]): unknown[][] => calls.map(({ to, value, data }) => [to, value, data]);

/** Wallets that are contracts, relayers, delegated accounts, and the corners of the machine. */
export const accountActions: Record<string, Action> = {
  safe: async (d) => ({
    from: d.pick(['relayer', 'alice', 'bob']),
    gas: 2_000_000n,
    ...(await safeTransaction(d.c, {
      ...(await inner(d, 'treasury')),
      safeTxGas: d.chance(0.5) ? 100_000n : 0n,
    })),
  }),
  'safe, several': async (d) => ({
    from: 'alice',
    gas: 2_000_000n,
    ...(await safeTransaction(d.c, multiSend(d.c, await several(d, 'treasury')))),
  }),
  'safe, refunding': async (d) => ({
    from: 'relayer',
    gas: 2_000_000n,
    ...(await safeTransaction(d.c, {
      ...(await inner(d, 'treasury')),
      safeTxGas: 100_000n,
      baseGas: 50_000n,
      gasPrice: 10n ** 9n,
    })),
  }),
  'user operations': async (d) => {
    const owners = d.pick([['erin'], ['frank'], ['erin', 'frank']] as const);
    const ops = [];
    for (const owner of owners) {
      const exists = (await d.c.chain.code(d.c.at(`${owner}Account`))) !== '0x';
      ops.push({
        owner,
        create: !exists,
        calls: await several(d, `${owner}Account`),
        ...(d.chance(0.3) ? { paymaster: d.c.at('paymaster') } : {}),
      });
    }
    return { from: 'bundler', ...(await handleOps(d.c, ops)) };
  },
  'delegated account': async (d) => {
    const who = d.pick(['ivan', 'judy'] as const);
    const hash = await d.c.send(who, {
      to: addressOf(who),
      authorizationList: [await authorize(d.c, who, true)],
      gas: 2_000_000n,
      data: batch(asTuples(await several(d, who))),
    });
    await d.c.chain.spendNonce(who);
    return hash;
  },
  'delegated account, sponsored': async (d) => {
    const who = d.pick(['heidi', 'grace'] as const);
    const hash = await d.c.send('relayer', {
      to: addressOf(who),
      authorizationList: [await authorize(d.c, who)],
      gas: 2_000_000n,
      data: batch(asTuples(await several(d, who))),
    });
    await d.c.chain.spendNonce(who);
    return hash;
  },
  'signed payment, relayed': async (d) => {
    const owner = d.who();
    const message = {
      from: addressOf(owner),
      to: d.receiver(),
      value: await d.some('USDC', owner),
      validAfter: 0n,
      validBefore: 4_000_000_000n,
      nonce: `0x${d.hex(64)}`,
    };
    const signature = await typed(
      owner,
      { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: MAINNET.usdc },
      'TransferWithAuthorization',
      {
        TransferWithAuthorization: fields(
          'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
        ),
      },
      message,
    );
    return {
      from: 'relayer',
      to: MAINNET.usdc,
      data: fn(
        'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
        [...Object.values(message), ...signature],
      ),
    };
  },
  'calls at random': async (d) => {
    const calls = await several(d, 'aggregator');
    const value = calls.reduce((sum, call) => sum + call.value, d.wei() / 10n);
    return {
      from: d.who(),
      to: d.c.at('aggregator'),
      value,
      gas: 2_000_000n,
      data: fn('swap(address,uint256,address,uint256,(address,uint256,bytes)[])', [
        d.c.at('zero'),
        0n,
        d.c.at('zero'),
        0n,
        asTuples(calls),
      ]),
    };
  },
  'inner failure': async (d) => {
    const from = d.who();
    await d.c.approve(from, 'USDC', 'reverter');
    return {
      from,
      to: d.c.at('reverter'),
      value: d.wei(),
      data: fn('tryInner(address,uint256)', [d.c.at('USDC'), await d.some('USDC', from)]),
    };
  },
  failure: async (d) => ({
    from: d.who(),
    to: d.c.at('reverter'),
    value: d.wei(),
    gas: 200_000n,
    data: d.pick([
      fn('withString()'),
      fn('withCustom()'),
      fn('withPanic(uint256)', [0n]),
      fn('withNothing()'),
      fn('afterLogging()'),
      fn('burnAllGas()'),
    ]),
  }),
  'out of gas': async (d) => {
    const from = d.who();
    return {
      from,
      to: d.c.at('USDC'),
      gas: 30_000n + BigInt(d.below(8_000)),
      data: fn('transfer(address,uint256)', [d.receiver(), await d.some('USDC', from)]),
    };
  },
  'value through a library': async (d) => ({
    from: d.who(),
    to: d.c.at('valueForwarder'),
    value: d.wei(),
    data: fn('forward(address)', [d.receiver()]),
  }),
  selfdestruct: async (d) => ({
    from: d.who(),
    to: d.c.at('bomb'),
    value: d.wei(),
    data: fn('blow(address)', [d.receiver()]),
  }),
  // A blob carrier, because blobs tell that this chain, whose blocks have low numbers, spares contracts that destroy themselves.
  'selfdestruct to itself': async (d) =>
    d.c.chain.sendBlob(d.who(), {
      to: d.c.at('bomb'),
      value: d.wei(),
      data: fn('blow(address)', [d.c.at('bomb')]),
      gas: 200_000n,
    }),
  'creation with value': async (d) => ({
    from: d.who(),
    value: d.chance(0.7) ? d.wei() : 0n,
    data: initCode(d.c.own.Bomb!),
    gas: 2_000_000n,
  }),
  // PUSH20 beneficiary SELFDESTRUCT: gone before it was there (EIP-6780 deletes it, value and all when it names itself).
  'creation and selfdestruct at once': async (d) => ({
    from: d.who(),
    value: d.wei(),
    data: concatHex(['0x73', d.receiver(), '0xff']),
    gas: 200_000n,
  }),
  // ADDRESS SELFDESTRUCT: the value is burnt.
  'creation that burns its value': async (d) => ({
    from: d.who(),
    value: d.wei(),
    data: '0x30ff',
    gas: 200_000n,
  }),
  // PUSH1 0 PUSH1 0 REVERT.
  'creation that fails': async (d) => ({
    from: d.who(),
    value: d.wei(),
    data: '0x60006000fd',
    gas: 200_000n,
  }),
  // Runs CREATE with value inside the constructor: PUSH1 0 PUSH1 0 PUSH3 wei CREATE, then stops.
  'creation within creation': async (d) => ({
    from: d.who(),
    value: d.wei(),
    data: concatHex(['0x6000600062', toHex(1 + d.below(0xffffff), { size: 3 }), '0xf000']),
    gas: 200_000n,
  }),
  'value into nowhere': async (d) => {
    if (d.chance(0.5)) throw new NotNow();
    return { from: d.who(), to: d.c.at('zero'), value: d.wei() };
  },
  'value to a precompile': async (d) => ({
    from: d.who(),
    to: `0x${'0'.repeat(39)}${1 + d.below(9)}` as Address,
    value: d.wei() / 1_000n,
    data: d.chance(0.5) ? '0x' : `0x${d.hex(128)}`,
    gas: 300_000n,
  }),
};
