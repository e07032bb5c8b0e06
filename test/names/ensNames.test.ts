import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  concatHex,
  encodeAbiParameters,
  keccak256,
  namehash,
  padHex,
  stringToHex,
  toHex,
  type Address,
  type Hex,
} from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { fn } from '../devnet/chain.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { accountsOf } from '../../src/tools/wording/accounts.ts';
import { renderReport } from '../../src/tools/cli/renderReport.ts';
import { summarize } from '../../src/tools/mcp/summarize.ts';
import { contractsOf, startStage, type Stage } from '../prices/stage.ts';

const REGISTRY: Address = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e';
const UNIVERSAL_RESOLVER: Address = '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe';
const ON = { names: ['ens'] as const };

let stage: Stage;
let resolver: Address;
let contracts: ReturnType<typeof contractsOf>;
let next = 0;
/** Accounts without code that never occur elsewhere. */
const fresh = (): Address =>
  padHex(toHex(0xacc0000 + next++), { size: 20 }).replace('0x00', '0x5e') as Address;
const same = (a: Address): string => a.toLowerCase();

const set = (to: Address, signature: string, args: unknown[]): Promise<unknown> =>
  stage.devnet.chain.as(addressOf('deployer'), { to, data: fn(signature, args) });

/** The node of an account's reverse record, ENSIP-3. */
const reverseNode = (account: Address): Hex => namehash(`${account.slice(2).toLowerCase()}.addr.reverse`);

/** EIP-137 over bytes, without any normalisation. */
function nodeOf(text: string | Hex): Hex {
  const bytes = text.startsWith('0x') ? (text as Hex) : stringToHex(text);
  const labels = Buffer.from(bytes.slice(2), 'hex').toString('latin1').split('.').reverse();
  return labels.reduce<Hex>(
    (node, label) => keccak256(concatHex([node, keccak256(toHex(Buffer.from(label, 'latin1')))])),
    padHex('0x', { size: 32 }),
  );
}

/** Writes the reverse record of an account, and a forward record that points where it is told. */
async function name(account: Address, text: string | Hex, forward: Address = account): Promise<Address> {
  const bytes = text.startsWith('0x') ? text : stringToHex(text);
  await set(REGISTRY, 'setResolver(bytes32,address)', [reverseNode(account), resolver]);
  await set(resolver, 'setName(bytes32,bytes)', [reverseNode(account), bytes]);
  await set(REGISTRY, 'setResolver(bytes32,address)', [nodeOf(text), resolver]);
  await set(resolver, 'setAddr(bytes32,address)', [nodeOf(text), forward]);
  return account;
}

/** One transaction of alice that pays each account one wei. */
async function pay(accounts: readonly Address[]): Promise<Hex> {
  const payer = await stage.devnet.chain.deploy(contracts['Payer']!);
  const data = fn('pay(address[])', [accounts]);
  return stage.c.send('alice', { to: payer, data, value: BigInt(accounts.length), gas: 5_000_000n });
}

/** The report with names, after checking that it differs from the one without in nothing else. */
async function asked(hash: Hex): Promise<TxReport> {
  const report = await stage.ask(hash, ON);
  const { names, ...rest } = report;
  expect(names).toBeDefined();
  expect(JSON.stringify(rest)).toBe(JSON.stringify(await stage.ask(hash)));
  return report;
}

const lower = (names: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([account, text]) => [account.toLowerCase(), text]));

beforeAll(async () => {
  stage = await startStage();
  const { chain } = stage.devnet;
  contracts = contractsOf(new URL('../names/Names.sol', import.meta.url).href);
  await chain.placeAt(REGISTRY, contracts['Registry']!);
  resolver = await chain.deploy(contracts['Resolver']!);
});
afterAll(() => stage?.stop());

describe('names of accounts, asked of the universal resolver', () => {
  it('are none where the node has no such contract, and nothing fails', async () => {
    const { names } = await asked(await pay([fresh()]));
    expect(names).toMatchObject({ source: 'ens', accounts: {}, refused: [], limits: [] });
  });

  it('are shown with their source where the name points back, and change nothing else', async () => {
    await stage.devnet.chain.placeAt(UNIVERSAL_RESOLVER, contracts['UniversalResolver']!);
    const alice = await name(addressOf('alice'), 'alice.eth');
    const bob = await name(fresh(), 'bob.people.eth');
    const fox = await name(fresh(), '🦊.eth');
    const hash = await stage.c.send('alice', { to: bob, value: 5n * 10n ** 18n });
    const report = await asked(hash);
    expect(report.names).toEqual({
      source: 'ens',
      contract: UNIVERSAL_RESOLVER,
      asked: 2,
      not_asked: 0,
      accounts: report.names!.accounts,
      refused: [],
      limits: [],
    });
    expect(lower(report.names!.accounts)).toEqual({
      [same(alice)]: 'alice.eth',
      [same(bob)]: 'bob.people.eth',
    });
    expect(report.classification.intent_label).toMatch(/^Send 5 ETH to 0x/);
    expect(report.accounts).toEqual({});
    const book = accountsOf(report);
    expect([book.of(alice).name, book.of(bob).name]).toEqual(['alice.eth (ENS)', 'bob.people.eth (ENS)']);
    expect(renderReport(report, { verbose: false })).toContain('alice.eth (ENS)');
    expect(summarize(report)).toContain(`Names that accounts chose (ens): ${alice} "alice.eth"`);
    const { names } = await asked(await pay([fox]));
    expect(lower(names!.accounts)).toMatchObject({ [same(fox)]: '🦊.eth' });
  });

  it('are those of the block: a name given up later still stands in it', async () => {
    const carol = await name(fresh(), 'carol.eth');
    const hash = await stage.c.send('alice', { to: carol, value: 1n });
    await set(resolver, 'setName(bytes32,bytes)', [reverseNode(carol), '0x']);
    expect(lower((await asked(hash)).names!.accounts)[same(carol)]).toBe('carol.eth');
    const later = await stage.c.send('alice', { to: carol, value: 1n });
    expect(lower((await asked(later)).names!.accounts)[same(carol)]).toBeUndefined();
  });

  it('refuses hostile answers, each by its reason', async () => {
    const hostile: readonly (readonly [text: string | Hex, reason: string | null, forward?: Address])[] = [
      [`${'a'.repeat(100)}.eth`, 'too_long'],
      [`${'字'.repeat(62)}.eth`, 'too_long'],
      ['a\u202ehte.eth', 'not_normalised'],
      ['ali\u200dce.eth', 'not_normalised'],
      ['аррӏе.eth', 'not_normalised'],
      ['vitаlik.eth', 'not_normalised'],
      ['Alice.eth', 'not_normalised'],
      ['alice.eth\u0000', 'not_normalised'],
      ['alice\u001b[31m.eth', 'not_normalised'],
      ['0x616cff2e657468', 'not_normalised'],
      ['admin', 'not_normalised'],
      ['0xd8da6bf2-6045.eth', 'like_an_address'],
      ['uniswap.eth', 'like_a_listed_name'],
      ['un1swap-support.eth', 'like_a_listed_name'],
      ['officialuniswap.eth', 'like_a_listed_name'],
      ['binance-14.eth', 'like_a_listed_name'],
      ['usdc.eth', 'like_a_listed_name'],
      // The forward record names another account: the resolver refuses.
      ['mallory.eth', null, addressOf('carol')],
    ];
    const accounts: Address[] = [];
    for (const [text, , forward] of hostile) {
      const account = fresh();
      accounts.push(await name(account, text.startsWith('0xd8') ? stringToHex(text) : text, forward));
    }
    const { names } = await asked(await pay(accounts));
    expect(lower(names!.accounts)).toEqual({ [same(addressOf('alice'))]: 'alice.eth' });
    const reasons = new Map(names!.refused.map(({ account, reason }) => [same(account as Address), reason]));
    expect(accounts.map((account) => reasons.get(same(account)) ?? null)).toEqual(
      hostile.map(([, reason]) => reason),
    );
  });

  it('takes no name through a gateway, and a resolver that spends all gas hides only later ones', async () => {
    const gateway = await stage.devnet.chain.deploy(contracts['GatewayResolver']!);
    const endless = await stage.devnet.chain.deploy(contracts['EndlessResolver']!);
    const [outside, before, spender] = [fresh(), await name(fresh(), 'before.eth'), fresh()];
    await set(REGISTRY, 'setResolver(bytes32,address)', [reverseNode(outside), gateway]);
    await set(REGISTRY, 'setResolver(bytes32,address)', [reverseNode(spender), endless]);
    const { names } = await asked(await pay([outside, before, spender]));
    expect(lower(names!.accounts)).toEqual({
      [same(addressOf('alice'))]: 'alice.eth',
      [same(before)]: 'before.eth',
    });
    expect(names!.refused).toEqual([]);
  });

  it('asks for 20 accounts at most and says how many it left out', async () => {
    const many = Array.from({ length: 25 }, fresh);
    const { names } = await asked(await pay(many));
    // Signer and paying contract count.
    expect(names).toMatchObject({ asked: 20, not_asked: 7, limits: ['too_many_accounts'] });
  });

  it('shows nothing of what is no answer to the question', async () => {
    const { chain } = stage.devnet;
    await chain.placeAt(UNIVERSAL_RESOLVER, contracts['AnyAnswer']!);
    const string = [{ type: 'string' }, { type: 'address' }, { type: 'address' }] as const;
    const zero = padHex('0x', { size: 20 });
    const answers: readonly (readonly [answer: Hex, reason: string])[] = [
      [toHex('uniswap', { size: 32 }), 'unreadable'],
      ['0x00', 'unreadable'],
      [`0x${'ff'.repeat(96)}`, 'unreadable'],
      [
        concatHex([padHex('0x60', { size: 32 }), padHex('0x', { size: 64 }), `0x${'ff'.repeat(32)}`]),
        'unreadable',
      ],
      [encodeAbiParameters(string, [`${'a'.repeat(6_000)}.eth`, zero, zero]), 'too_long'],
    ];
    for (const [answer, reason] of answers) {
      await set(UNIVERSAL_RESOLVER, 'set(bytes)', [answer]);
      const hash = await stage.c.send('alice', { to: fresh(), value: 1n });
      const { names } = await asked(hash);
      expect(names!.accounts, answer.slice(0, 80)).toEqual({});
      expect(names!.refused.map((one) => one.reason)).toEqual([reason, reason]);
    }
    await set(UNIVERSAL_RESOLVER, 'set(bytes)', [encodeAbiParameters(string, ['', zero, zero])]);
    const { names } = await asked(await stage.c.send('alice', { to: fresh(), value: 1n }));
    expect(names).toMatchObject({ accounts: {}, refused: [] });
  });
});
