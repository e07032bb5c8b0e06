// Orders for NFTs at a listed marketplace: what the stranger who fills one takes beside it is no part of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

const SEAPORT = getAddress('0x0000000000000068F116a894984e2DB1123eB395');
const ZERO: Address = '0x0000000000000000000000000000000000000000';
const [ALICE, BOB, CAROL, ME] = ['alice', 'bob', 'carol', ATTACKER].map((name) => addressOf(name)) as [
  Address,
  Address,
  Address,
  Address,
];
const { weth } = MAINNET;

let stage: Stage;
let mask: Address, art: Address;

beforeAll(async () => {
  stage = await startStage();
  const { c, chain } = stage;
  art = c.at('APE');
  mask = await stage.forger('Mask', 'MASK');
  await chain.placeAt(SEAPORT, compile('Forger.sol')['Forger']!, ['Seaport', 'SEAPORT']);
  for (const who of ['alice', 'bob', ATTACKER] as const) {
    await chain.must(who, { to: weth, data: fn('deposit()'), value: 20n * ETHER });
    // The stranger's contract has allowances of old.
    for (const spender of [SEAPORT, mask]) {
      await c.approve(who, 'WETH', spender);
      await chain.must(who, { to: art, data: fn('setApprovalForAll(address,bool)', [spender, true]) });
    }
  }
});
afterAll(() => stage?.stop());

/** A new NFT of this account's. */
async function nftOf(holder: Address): Promise<bigint> {
  const id = await stage.chain.read<bigint>(art, 'nextId() view returns (uint256)');
  await stage.chain.must(ATTACKER, { to: art, data: fn('give(address)', [holder]) });
  return id;
}
const move = (token: Address, from: Address, to: Address, amount: bigint): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [from, to, amount]));
const nft = (identifier: bigint) => ({ itemType: 2, token: art, identifier, amount: 1n });
const money = (amount: bigint) => ({ itemType: 1, token: weth, identifier: 0n, amount });

let hashes = 0;
const fulfilled = (offerer: Address, offered: object, asked: object): Step =>
  event(
    'OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)',
    offerer,
    0n,
    {
      orderHash: `0x${(++hashes).toString(16).padStart(64, '0')}`,
      zone: ZERO,
      recipient: ME,
      offer: [offered],
      consideration: [{ ...asked, recipient: offerer }],
    },
  );
/** Seaport fills orders; the stranger's contract does more around that. */
const filled = (steps: readonly Step[], before: readonly Step[] = [], after: readonly Step[] = []) =>
  stage.play(mask, [...before, call(SEAPORT, fnOf(stage.abi, 'play', [steps]) as Hex), ...after]);
/** Of each sale: id, seller, buyer and payments. */
const salesOf = ({ motifs }: TxReport) =>
  motifs
    .filter(({ kind }) => kind === 'nft_trade')
    .map(({ status, participants, assets_in, assets_out }) => {
      const of = (role: string) => participants.find((one) => one.role === role)?.account;
      return {
        status,
        id: assets_in[0]!.asset.token_id,
        parties: [of('seller'), of('buyer')],
        paid: assets_out.map(({ amount }) => amount),
      };
    });

describe('a bid', () => {
  /** Alice bids 1 WETH, of which the seller gets 0.9. */
  const accepted = async (before: readonly Step[] = [], after: readonly Step[] = [], early = false) => {
    const id = await nftOf(ME);
    const told = fulfilled(ALICE, money(ETHER), nft(id));
    const moved = [
      move(art, ME, ALICE, id),
      move(weth, ALICE, ME, (ETHER / 10n) * 9n),
      move(weth, ALICE, CAROL, ETHER / 10n),
    ];
    const report = await filled(early ? [told, ...moved] : [...moved, told], before, after);
    return [report, { status: 'Proven', id: String(id), parties: [ME, ALICE], paid: ['1'] }] as const;
  };

  it.each([false, true])('that is accepted is Proven at its price; told of first: %s', async (early) => {
    const [report, sale] = await accepted([], [], early);
    expect(salesOf(report)).toEqual([sale]);
    expect(report.classification).toMatchObject({
      status: 'Proven',
      intent_label: expect.stringMatching(/^Sell .* #\d+ for 0\.9 WETH on .*Seaport/) as string,
    });
  });

  it.each([false, true])('is no price for what its owner is robbed of; told of first: %s', async (early) => {
    const robbed = [move(weth, ALICE, ME, ETHER / 2n)];
    for (const [report, sale] of [await accepted(robbed, [], early), await accepted([], robbed, early)]) {
      expect(salesOf(report)).toEqual([sale]);
      expect(report.classification).toMatchObject({ actor: ME, status: 'Suspected' });
    }
  });
});

describe('a listing', () => {
  it.each([false, true])('sells its own NFT, not one taken beside it; told of first: %s', async (early) => {
    const [id, stolen] = [await nftOf(BOB), await nftOf(BOB)];
    const told = fulfilled(BOB, nft(id), money(ETHER));
    const moved = [move(art, BOB, ME, id), move(weth, ME, BOB, ETHER)];
    const robbed = [move(art, BOB, CAROL, stolen)];
    for (const [before, after] of [
      [robbed, []],
      [[], [move(art, CAROL, BOB, stolen)]],
    ]) {
      if (after!.length > 0) {
        await stage.chain.must('carol', {
          to: art,
          data: fn('setApprovalForAll(address,bool)', [mask, true]),
        });
        await stage.chain.must(ATTACKER, {
          to: mask,
          data: fnOf(stage.abi, 'play', [[move(art, ME, BOB, id)]]),
          gas: 900_000n,
        });
      }
      const report = await filled(early ? [told, ...moved] : [...moved, told], before, after);
      expect(salesOf(report)).toEqual([
        { status: 'Proven', id: String(id), parties: [BOB, ME], paid: ['1'] },
      ]);
    }
  });

  it('of each of two NFTs has its own price', async () => {
    const [one, other] = [await nftOf(BOB), await nftOf(BOB)];
    const report = await filled([
      move(art, BOB, ME, one),
      move(weth, ME, BOB, ETHER),
      move(art, BOB, CAROL, other),
      move(weth, ME, BOB, ETHER / 10n),
      fulfilled(BOB, nft(one), money(ETHER)),
      fulfilled(BOB, nft(other), money(ETHER / 10n)),
    ]);
    expect(salesOf(report)).toEqual([
      { status: 'Proven', id: String(one), parties: [BOB, ME], paid: ['1'] },
      { status: 'Proven', id: String(other), parties: [BOB, ME], paid: ['0.1'] },
    ]);
  });

  it.each(['money', 'ether'])(
    'has the account that paid as its buyer, for the other one: %s',
    async (kind) => {
      const id = await nftOf(BOB);
      const asked = kind === 'money' ? money(ETHER) : { ...money(ETHER), itemType: 0, token: ZERO };
      const paid = kind === 'money' ? move(weth, ME, BOB, ETHER) : call(BOB, '0x', ETHER);
      const steps = [move(art, BOB, CAROL, id), paid, fulfilled(BOB, nft(id), asked)];
      const data = fnOf(stage.abi, 'play', [steps]);
      const value = kind === 'money' ? 0n : ETHER;
      const report = await stage.report(
        await stage.chain.send(ATTACKER, { to: SEAPORT, data, value, gas: 3_000_000n }),
      );
      expect(salesOf(report)).toEqual([
        { status: 'Proven', id: String(id), parties: [BOB, ME], paid: ['1'] },
      ]);
      expect(report.classification).toMatchObject({
        status: 'Proven',
        actor: ME,
        intent_label: expect.stringMatching(
          new RegExp(`^Buy Devnet Apes #${id} for 1 W?ETH on .*, sent to ${CAROL.slice(0, 6)}`),
        ) as string,
      });
      expect(report.economics.nft_sales).toMatchObject([{ buyer: ME, price_usd: { available: false } }]);
    },
  );

  it('is no trade where its owner sells to itself', async () => {
    const id = await nftOf(ME);
    const told = fulfilled(ME, nft(id), money(ETHER));
    const report = await filled([move(art, ME, ME, id), move(weth, ME, ME, ETHER), told]);
    expect(salesOf(report)).toEqual([]);
    expect(report.classification.intent_kind).not.toBe('NftTrade');
  });
});

describe('an NFT bought with money that a stranger’s contract took', () => {
  it.each([false, true])('is no purchase of its owner’s; passed on: %s', async (later) => {
    const allow = call(weth, fn('approve(address,uint256)', [SEAPORT, ETHER]));
    const id = await nftOf(ME);
    const to = later ? mask : ALICE;
    const report = await filled(
      [move(art, ME, to, id), move(weth, mask, ME, ETHER), fulfilled(ME, nft(id), money(ETHER))],
      [allow, move(weth, ALICE, mask, ETHER)],
      later ? [move(art, mask, ALICE, id)] : [],
    );
    const [sale] = salesOf(report);
    expect(sale).toMatchObject({ id: String(id), paid: ['1'] });
    expect(sale!.parties[1]).not.toBe(ALICE);
    const [trade] = report.motifs.filter(({ kind }) => kind === 'nft_trade');
    expect(trade!.participants).not.toContainEqual(
      expect.objectContaining({ role: 'owner', account: ALICE }),
    );
  });
});
