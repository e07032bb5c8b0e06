import { addressOf } from '../devnet/accounts.ts';
import { fn, initCode } from '../devnet/chain.ts';
import { NotNow, TOKENS, TRADERS, type Action } from './dice.ts';

const transfer = 'transfer(address,uint256)';

/** Moving, allowing, minting, burning: what tokens do by themselves. */
export const tokenActions: Record<string, Action> = {
  native: async (d) => ({
    from: d.who(),
    to: d.receiver(),
    value: d.chance(0.1) ? 0n : d.wei(),
    gas: 100_000n,
    ...(d.chance(0.2) ? { legacy: true } : {}),
  }),
  'native to oneself': async (d) => {
    const from = d.who();
    return { from, to: addressOf(from), value: d.chance(0.5) ? d.wei() : 0n };
  },
  'blob carrier': async (d) => d.c.chain.sendBlob(d.who(), { to: d.receiver(), value: d.wei() }),
  token: async (d) => {
    const [from, asset] = [d.who(), d.pick(TOKENS)];
    return {
      from,
      to: d.c.at(asset),
      data: fn(transfer, [d.receiver(), d.chance(0.05) ? 0n : await d.some(asset, from)]),
    };
  },
  'token to oneself': async (d) => {
    const [from, asset] = [d.who(), d.pick(TOKENS)];
    return { from, to: d.c.at(asset), data: fn(transfer, [addressOf(from), await d.some(asset, from)]) };
  },
  'token, too much': async (d) => {
    const [from, asset] = [d.who(), d.pick(TOKENS)];
    return {
      from,
      to: d.c.at(asset),
      data: fn(transfer, [d.receiver(), (await d.balance(asset, from)) + 1n]),
    };
  },
  'token pulled': async (d) => {
    const [owner, from, asset] = [d.who(), d.who(), d.pick(['USDC', 'DAI', 'ACORN', 'WETH'] as const)];
    await d.c.approve(owner, asset, from);
    return {
      from,
      to: d.c.at(asset),
      data: fn('transferFrom(address,address,uint256)', [
        addressOf(owner),
        d.receiver(),
        await d.some(asset, owner),
      ]),
    };
  },
  'fee on transfer': async (d) => {
    const from = d.who();
    return { from, to: d.c.at('TOLL'), data: fn(transfer, [d.receiver(), await d.some('TOLL', from, 3n)]) };
  },
  'fee on transfer, dust': async (d) => {
    const from = d.who();
    if ((await d.balance('TOLL', from)) < 200n) throw new NotNow();
    return { from, to: d.c.at('TOLL'), data: fn(transfer, [d.receiver(), BigInt(1 + d.below(199))]) };
  },
  'rebasing, in': async (d) => ({ from: d.who(), to: d.c.at('rbETH'), value: d.wei(), data: fn('submit()') }),
  'rebasing, sent': async (d) => {
    const from = d.who();
    return { from, to: d.c.at('rbETH'), data: fn(transfer, [d.receiver(), await d.some('rbETH', from, 3n)]) };
  },
  rebase: async (d) => ({
    from: 'house',
    to: d.c.at('rbETH'),
    data: fn('rebase(uint256)', [d.wei() / 100n]),
  }),
  allow: async (d) => ({
    from: d.who(),
    to: d.c.at(d.pick(['USDC', 'DAI', 'ACORN'])),
    data: fn('approve(address,uint256)', [d.c.at(d.pick(['disperse', 'novel', 'oddPool'])), d.amount()]),
  }),
  mint: async (d) => ({
    from: d.who(),
    to: d.c.at(d.pick(['ACORN', 'TRUFFLE', 'TOLL', 'USDC'])),
    data: fn('mint(address,uint256)', [d.receiver(), d.wei()]),
  }),
  burn: async (d) => {
    const from = d.who();
    return { from, to: d.c.at('ACORN'), data: fn('burn(uint256)', [await d.some('ACORN', from)]) };
  },
  wrap: async (d) => ({
    from: d.who(),
    to: d.c.at('WETH'),
    value: d.wei(),
    data: d.chance(0.5) ? fn('deposit()') : '0x',
  }),
  unwrap: async (d) => {
    const from = d.who();
    return { from, to: d.c.at('WETH'), data: fn('withdraw(uint256)', [await d.some('WETH', from, 2n)]) };
  },
  'pay many, native': async (d) => {
    const to = Array.from({ length: 1 + d.below(12) }, () => d.receiver());
    const values = to.map(() => d.wei() / 20n);
    return {
      from: d.who(),
      to: d.c.at('disperse'),
      gas: 3_000_000n,
      value: values.reduce((a, b) => a + b, 0n) + (d.chance(0.5) ? d.wei() / 10n : 0n),
      data: fn('disperseEther(address[],uint256[])', [to, values]),
    };
  },
  'pay many, token': async (d) => {
    const [from, asset] = [d.who(), d.pick(['DAI', 'USDC', 'ACORN', 'TOLL', 'WETH'] as const)];
    const total = await d.some(asset, from);
    const to = Array.from({ length: 1 + d.below(12) }, () => d.receiver());
    await d.c.approve(from, asset, 'disperse');
    return {
      from,
      to: d.c.at('disperse'),
      gas: 3_000_000n,
      data: fn('disperseToken(address,address[],uint256[])', [
        d.c.at(asset),
        to,
        to.map(() => total / BigInt(to.length + 1)),
      ]),
    };
  },
  'nft mint': async (d) => {
    const count = BigInt(1 + d.below(4));
    return {
      from: d.who(),
      to: d.c.at('APE'),
      value: count * 5n * 10n ** 16n,
      data: fn('mint(uint256)', [count]),
    };
  },
  'nft sent': async (d) => {
    const next = await d.c.chain.read<bigint>(d.c.at('APE'), 'nextId() view returns (uint256)');
    const id = BigInt(1 + d.below(Number(next) - 1));
    const owner = await d.c.chain
      .read<string>(d.c.at('APE'), 'ownerOf(uint256) view returns (address)', [id])
      .catch(() => {
        throw new NotNow('burnt');
      });
    const from = TRADERS.find((name) => addressOf(name) === owner);
    if (!from) throw new NotNow();
    return d.chance(0.8)
      ? {
          from,
          to: d.c.at('APE'),
          data: fn('transferFrom(address,address,uint256)', [owner, d.receiver(), id]),
        }
      : { from, to: d.c.at('APE'), data: fn('burn(uint256)', [id]) };
  },
  'items minted': async (d) => ({
    from: d.who(),
    to: d.c.at('ITEM'),
    data: fn('mint(address,uint256,uint256)', [
      addressOf(d.who()),
      BigInt(1 + d.below(5)),
      BigInt(1 + d.below(50)),
    ]),
  }),
  'items sent': async (d) => {
    const ids = [1n, 2n, 3n].slice(0, 1 + d.below(3));
    const held = await Promise.all(
      ids.map((id) =>
        d.c.chain.read<bigint>(d.c.at('ITEM'), 'balanceOf(address,uint256) view returns (uint256)', [
          addressOf('carol'),
          id,
        ]),
      ),
    );
    if (held.some((n) => n < 2n)) throw new NotNow();
    const to = addressOf(d.who());
    return {
      from: 'carol',
      to: d.c.at('ITEM'),
      data: fn('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', [
        addressOf('carol'),
        to,
        ids,
        held.map((n) => d.share(n, 2n)),
        '0x',
      ]),
    };
  },
  "a token of one's own": async (d) => {
    const receipt = await d.c.prepare(d.who(), {
      data: initCode(d.c.own.DevToken!, [`Token ${d.below(1e6)}`, `T${d.hex(3)}`, d.below(31)]),
      gas: 4_000_000n,
    });
    return {
      from: d.who(),
      to: receipt.contractAddress!,
      data: fn('mint(address,uint256)', [d.receiver(), d.amount() % 2n ** 200n]),
    };
  },
  poison: async (d) => ({
    from: 'spammer',
    to: d.c.at('poisoner'),
    data: fn('poison(address,address[],address[])', [
      d.c.at(d.pick(['USDC', 'DAI'])),
      [addressOf(d.who()), addressOf(d.who())],
      [d.receiver(), d.receiver()],
    ]),
  }),
  forge: async (d) => ({
    from: 'spammer',
    to: d.c.at('FAKE'),
    data: fn('forge(address[],address[],uint256[])', [[addressOf(d.who())], [d.receiver()], [d.wei()]]),
  }),
};
