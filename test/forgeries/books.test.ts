// Books of an unlisted contract are proven only where shares and assets both lie where it says, and never about an
// account that did not call it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getContractAddress, type Address } from 'viem';
import type { TxReport } from '../../src/model/generated/report.ts';
import { fetchRawAnswers } from '../../src/tools/verify/fetchRawAnswers.ts';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, compile, event, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
let venue: Address;
let usdt: Address;
const ALICE = addressOf('alice');
const FIVE = 5_000_000n;
const ZERO: Address = '0x0000000000000000000000000000000000000000';

beforeAll(async () => {
  stage = await startStage();
  venue = await stage.forger('Venue', 'VENUE');
  usdt = await stage.forger('Tether USD', 'USDT');
  for (const who of ['alice', ATTACKER] as const) await stage.c.approve(who, 'USDC', venue);
  await stage.chain.must('alice', {
    to: MAINNET.usdc,
    data: fn('transfer(address,uint256)', [venue, 4n * FIVE]),
  });
});
afterAll(() => stage?.stop());

const pull = (token: Address, from: Address, to: Address = venue): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [from, to, FIVE]));
const pay = (to: Address): Step => call(MAINNET.usdc, fn('transfer(address,uint256)', [to, FIVE]));
const staked = (who: Address): Step => event('Staked(address indexed user, uint256 amount)', who, FIVE);
const withdrawn = (who: Address): Step => event('Withdrawn(address indexed user, uint256 amount)', who, FIVE);
const paid = (who: Address): Step => event('RewardPaid(address indexed user, uint256 reward)', who, FIVE);
const minted = (who: Address): Step =>
  event('Transfer(address indexed from, address indexed to, uint256 value)', who, FIVE - 1n, { from: ZERO });
const deposited = (who: Address): Step =>
  event('Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)', who, FIVE, {
    shares: FIVE - 1n,
  });

const burnt = (from: Address): Step =>
  event('Transfer(address indexed from, address indexed to, uint256 value)', from, FIVE - 1n, { to: ZERO });
const withdrew = (owner: Address, receiver: Address): Step =>
  event(
    'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
    owner,
    FIVE,
    { shares: FIVE - 1n, receiver },
  );
const supplied = (who: Address): Step =>
  event('Mint(address minter, uint256 mintAmount, uint256 mintTokens)', who, FIVE, { mintTokens: FIVE - 1n });
const repaid = (who: Address): Step =>
  event(
    'RepayBorrow(address payer, address borrower, uint256 repayAmount, uint256 accountBorrows, uint256 totalBorrows)',
    who,
    FIVE,
    { accountBorrows: 0n, totalBorrows: 0n },
  );
const borrowed = (who: Address): Step =>
  event(
    'Borrow(address borrower, uint256 borrowAmount, uint256 accountBorrows, uint256 totalBorrows)',
    who,
    FIVE,
  );

/** Acts at the venue that moved real USDC, told in its own events. */
const acts: Record<string, { kind: string; says: RegExp; steps: (who: Address) => Step[] }> = {
  'a stake': { kind: 'stake', says: /^Stake 5 USDC/, steps: (who) => [pull(MAINNET.usdc, who), staked(who)] },
  'an unstake': { kind: 'unstake', says: /^Unstake 5 USDC/, steps: (who) => [pay(who), withdrawn(who)] },
  'a reward': { kind: 'claim', says: /^Claim 5 USDC/, steps: (who) => [pay(who), paid(who)] },
  'a deposit for shares': {
    kind: 'vault_deposit',
    says: /^Deposit 5 USDC/,
    steps: (who) => [pull(MAINNET.usdc, who), minted(who), deposited(who)],
  },
};
const SHOWN = ['a deposit for shares'];

async function playedBy(who: 'alice' | typeof ATTACKER, steps: readonly Step[]): Promise<TxReport> {
  const data = fnOf(stage.abi, 'play', [steps]);
  return stage.report(await stage.chain.send(who, { to: venue, data, gas: 3_000_000n }));
}

const statusOf = (report: TxReport, kind: string) =>
  report.motifs.find((m) => m.kind === kind)?.status ?? 'not told';

describe.each(Object.entries(acts))('%s at an unlisted contract', (act, { kind, says, steps }) => {
  it('is told of the account that called it, and proven, at Medium, by shares alone', async () => {
    const report = await playedBy('alice', steps(ALICE));
    const { status, confidence, actor, caveats, intent_label: label } = report.classification;
    const proven = SHOWN.includes(act) ? 'Proven' : 'Suspected';
    expect([status, confidence, actor, statusOf(report, kind)]).toEqual([proven, 'Medium', ALICE, proven]);
    const codes = proven === 'Proven' ? ['unknown_protocol'] : ['unproven_motif', 'unknown_protocol'];
    expect(caveats?.map(({ code }) => code)).toEqual(codes);
    expect(label).toMatch(says);
    expect(label).toContain(venue.slice(0, 6));
  });

  it('is not proven of a bystander', async () => {
    const report = await playedBy(ATTACKER, steps(ALICE));
    expect(statusOf(report, kind)).not.toBe('Proven');
    expect([report.classification.status, report.classification.actor]).not.toEqual(['Proven', ALICE]);
    for (const effect of report.position_effects)
      expect([effect.owner, effect.status]).not.toEqual([ALICE, 'Proven']);
  });

  it('is not proven beside an act of the bystander elsewhere', async () => {
    const mask = await stage.forger('Mask', 'MASK');
    const data = fnOf(stage.abi, 'play', [[call(venue, fnOf(stage.abi, 'play', [steps(addressOf('bob'))]))]]);
    await stage.c.approve('bob', 'USDC', venue);
    const report = await stage.report(await stage.chain.send('alice', { to: mask, data, gas: 3_000_000n }));
    for (const m of report.motifs.filter((motif) => motif.kind === kind)) {
      const owner = m.participants.find(({ role }) => role === 'owner')?.account;
      expect([owner, m.status]).not.toEqual([addressOf('bob'), 'Proven']);
    }
  });
});

describe('a contract that a protocol of another family made', () => {
  /** The first that the factory of Arrakis made; its vaults log no shares in these words. */
  const vault = getContractAddress({ from: '0xEA1aFf9dbFfD1580F6b81A3ad3589E66652dB7D9', nonce: 1n });
  const { says, kind } = acts['a deposit for shares']!;
  const played = async (who: 'alice' | typeof ATTACKER, made: readonly Step[]) => {
    const before = venue;
    venue = vault;
    try {
      return await playedBy(who, made);
    } finally {
      venue = before;
    }
  };
  const books = (who: Address): Step[] => [pull(MAINNET.usdc, who, vault), minted(who), deposited(who)];
  beforeAll(async () => {
    await stage.chain.placeAt(vault, compile('Forger.sol')['Forger']!, ['Venue', 'VENUE']);
    await stage.c.approve('alice', 'USDC', vault);
  });

  it('is treated no worse where movements show both sides', async () => {
    const { classification } = await played('alice', books(ALICE));
    expect(classification).toMatchObject({ status: 'Proven', confidence: 'Medium', actor: ALICE });
    expect(classification.intent_label).toMatch(says);
  });

  it('is not believed of a bystander, nor what only its event tells', async () => {
    expect(statusOf(await played(ATTACKER, books(ALICE)), kind)).not.toBe('Proven');
    expect(
      statusOf(await played('alice', [pull(MAINNET.usdc, ALICE, vault), deposited(ALICE)]), kind),
    ).not.toBe('Proven');
    expect(statusOf(await played('alice', [...books(ALICE), pay(addressOf('bob'))]), kind)).not.toBe(
      'Proven',
    );
  });
});

describe('the caller itself', () => {
  it.each<[string, () => Step[]]>([
    [
      'is believed no amount that did not move',
      () => [
        pull(MAINNET.usdc, ALICE),
        { ...staked(ALICE), data: `0x${(FIVE + 1n).toString(16).padStart(64, '0')}` },
      ],
    ],
    [
      'is believed no amount that went on elsewhere',
      () => [pull(MAINNET.usdc, ALICE, addressOf('bob')), staked(ALICE)],
    ],
    ['is believed no token under another name', () => [pull(usdt, ALICE), staked(ALICE)]],
    ['is believed no event that names another', () => [pull(MAINNET.usdc, ALICE), staked(addressOf('bob'))]],
  ])('%s', async (_, steps) => {
    const report = await playedBy('alice', steps());
    expect(statusOf(report, 'stake')).not.toBe('Proven');
  });
});

/** The signer itself calls a contract that tells of more than lies there afterwards. */
describe('books that the chain does not show', () => {
  const me = addressOf(ATTACKER);
  let other: Address, puppet: Address;
  let puppetAbi: ReturnType<typeof compile>[string]['abi'];
  beforeAll(async () => {
    const { Puppet } = compile('Forger.sol');
    puppetAbi = Puppet!.abi;
    other = await stage.forger('Other', 'OTHER');
    puppet = await stage.chain.deploy(Puppet!, ['Puppet', 'PUPPET', 6]);
    for (const who of ['alice', ATTACKER] as const) await stage.c.approve(who, 'USDC', puppet);
  });

  const put = (): Step[] => [pull(MAINNET.usdc, ALICE), minted(ALICE), deposited(ALICE)];
  const took = (): Step[] => [burnt(ALICE), pay(ALICE), withdrew(ALICE, ALICE)];
  const sentOn = (to: Address): Step =>
    event('Transfer(address indexed from, address indexed to, uint256 value)', ALICE, FIVE - 1n, {
      from: ALICE,
      to,
    });

  it.each<[string, () => Step[]]>([
    ['a stake that only its event tells', () => [pull(MAINNET.usdc, ALICE), staked(ALICE)]],
    ['a stake that went on to the keeper', () => [pull(MAINNET.usdc, ALICE), staked(ALICE), pay(me)]],
    ['a deposit that went on to the keeper', () => [...put(), pay(me)]],
    ['a deposit that came straight back', () => [...put(), pay(ALICE)]],
    ['one of two deposits that went on', () => [...put(), ...put(), pay(me)]],
    ['a deposit that another contract took', () => [...put(), byOther(pull(MAINNET.usdc, venue, me))]],
    ['a deposit of which the shares were destroyed', () => [...put(), burnt(ALICE)]],
    ['a deposit of which the shares went to the keeper', () => [...put(), sentOn(me)]],
    ['a deposit without shares', () => [pull(MAINNET.usdc, ALICE), deposited(ALICE)]],
    ['a supply without shares', () => [pull(MAINNET.usdc, ALICE), supplied(ALICE)]],
    ['a withdrawal of what the keeper just put there', () => [pull(MAINNET.usdc, me), ...took()]],
    ['a withdrawal of shares made just before', () => [minted(ALICE), ...took()]],
    ['a debt repaid that never was', () => [pull(MAINNET.usdc, ALICE), repaid(ALICE)]],
    ['a debt repaid for a token of it', () => [pull(MAINNET.usdc, ALICE), burnt(ALICE), repaid(ALICE)]],
    ['a debt that only its event tells', () => [pay(ALICE), borrowed(ALICE)]],
    ['a reward that only its event tells', () => [pay(ALICE), paid(ALICE)]],
  ])('%s: the money moved, the books are a claim', async (_, steps) => {
    await stage.chain.must(ATTACKER, {
      to: venue,
      data: fnOf(stage.abi, 'play', [[call(MAINNET.usdc, fn('approve(address,uint256)', [other, FIVE]))]]),
    });
    unprovenBooks(await playedBy('alice', steps()));
  });

  it.each<[string, () => `0x${string}`, string | null]>([
    ['an approval', () => fn('approve(address,uint256)', [venue, FIVE]), null],
    ['a transfer', () => fn('transfer(address,uint256)', [venue, FIVE]), null],
    ['an operator', () => fn('setApprovalForAll(address,bool)', [venue, true]), null],
    ['a deposit', () => fn('deposit(uint256,address)', [FIVE, ALICE]), 'vault_deposit'],
    [
      'a redemption',
      () => fn('redeem(uint256,address,address)', [FIVE - 1n, ALICE, ALICE]),
      'vault_withdraw',
    ],
  ])('%s that is told as books is some only where the signer called for it', async (_, data, kind) => {
    const deposit = [pull(MAINNET.usdc, ALICE, puppet), minted(ALICE), deposited(ALICE)];
    const steps = kind === 'vault_withdraw' ? took() : deposit;
    await stage.chain.must(ATTACKER, { to: puppet, data: fnOf(puppetAbi, 'set', [steps]), gas: 3_000_000n });
    const report = await stage.report(
      await stage.chain.send('alice', { to: puppet, data: data(), gas: 3_000_000n }),
    );
    if (kind === null) unprovenBooks(report);
    else expect([report.classification.status, statusOf(report, kind)]).toEqual(['Proven', 'Proven']);
  });

  /** The venue keeps its books in the contract of a token that it alone calls, or the token calls the venue alone. */
  describe('a venue and the contract of its shares', () => {
    const BOB = addressOf('bob');
    let mask: Address, known: Address;
    beforeAll(async () => {
      mask = await stage.forger('Mask', 'MASK');
      // Compound lists it.
      known = '0xB3319f5D18Bc0D84dD1b4825Dcde5d5f7266d407';
      await stage.chain.placeAt(known, compile('Forger.sol')['Forger']!, ['Known', 'KNOWN']);
      await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 20n });
      await stage.chain.must(ATTACKER, {
        to: MAINNET.weth,
        data: fn('transfer(address,uint256)', [venue, 20n]),
      });
    });
    const at = (to: Address, ...steps: Step[]): Step => call(to, fnOf(stage.abi, 'play', [steps]));
    const gem = (to: Address): Step => call(MAINNET.weth, fn('transfer(address,uint256)', [to, 7n]));
    const liquidity = (change: 'Added' | 'Removed', shares: string): Step =>
      event(
        `Liquidity${change}(address indexed l1Token, uint256 amount, uint256 ${shares}, address indexed liquidityProvider)`,
        ALICE,
        FIVE,
        { l1Token: MAINNET.usdc, [shares]: FIVE - 1n },
      );
    const added = (): Step => liquidity('Added', 'lpTokensMinted');
    const removed = (): Step => liquidity('Removed', 'lpTokensBurnt');
    const lent = (): Step =>
      event(
        'Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)',
        ALICE,
        FIVE,
        { reserve: MAINNET.usdc },
      );
    const joined = (): Step =>
      event('LOG_JOIN(address indexed caller, address indexed tokenIn, uint256 tokenAmountIn)', ALICE, FIVE, {
        tokenIn: MAINNET.usdc,
      });
    const handed = (from: Address, to: Address): Step =>
      event('Transfer(address indexed from, address indexed to, uint256 value)', to, FIVE - 1n, { from });

    it.each<[string, () => Step[], string]>([
      [
        'a deposit that the venue keeps',
        () => [pull(MAINNET.usdc, ALICE), at(other, minted(ALICE)), added()],
        'add_liquidity',
      ],
      [
        'a deposit that the token keeps',
        () => [pull(MAINNET.usdc, ALICE, other), at(other, minted(ALICE)), lent()],
        'supply',
      ],
      [
        'shares that the venue made for itself and handed over',
        () => [pull(MAINNET.usdc, ALICE), joined(), minted(venue), handed(venue, ALICE)],
        'add_liquidity',
      ],
    ])('%s is proven of its caller, and of no other', async (_, steps, kind) => {
      const report = await playedBy('alice', steps());
      const { status, confidence, actor } = report.classification;
      expect([status, confidence, actor, statusOf(report, kind)]).toEqual([
        'Proven',
        'Medium',
        ALICE,
        'Proven',
      ]);
      expect(verifyReport(report, await fetchRawAnswers(stage.rpcUrl, report.tx.hash))).toEqual([]);
      expect(statusOf(await playedBy(ATTACKER, steps()), kind)).not.toBe('Proven');
    });

    it.each<[string, () => Step[]]>([
      ['shares for another account', () => [at(other, minted(BOB))]],
      ['shares that went to the keeper', () => [at(other, minted(ALICE), handed(ALICE, me))]],
      ['shares that were destroyed', () => [at(other, minted(ALICE), burnt(ALICE))]],
      ['shares that another contract asked for', () => [at(mask, at(other, minted(ALICE)))]],
      ['shares of a token that others call, too', () => [at(other, minted(ALICE)), at(mask, at(other))]],
      ['shares that were bought', () => [gem(other), at(other, minted(ALICE))]],
      ['shares of a listed protocol', () => [at(known, minted(ALICE))]],
    ])('%s are no proof', async (_, steps) => {
      unprovenBooks(await playedBy('alice', [pull(MAINNET.usdc, ALICE), ...steps(), added()]));
      const report = await playedBy('alice', [pull(MAINNET.usdc, ALICE), ...steps(), lent()]);
      unprovenBooks(report);
      expect(verifyReport(report, await fetchRawAnswers(stage.rpcUrl, report.tx.hash))).toEqual([]);
    });

    it('a withdrawal is no proof: nothing shows that the holder asked for the end of those shares', async () => {
      unprovenBooks(await playedBy('alice', [at(other, burnt(ALICE)), pay(ALICE), removed()]));
    });

    it('a deposit that the token passed on is no proof', async () => {
      const onward = call(MAINNET.usdc, fn('transfer(address,uint256)', [me, FIVE]));
      const steps = [pull(MAINNET.usdc, ALICE, other), at(other, minted(ALICE), onward), lent()];
      unprovenBooks(await playedBy('alice', steps));
    });

    describe('a manager of positions', () => {
      const id = 7n;
      const nft = event('Transfer(address indexed from, address indexed to, uint256 indexed id)', ALICE, id, {
        from: ZERO,
      });
      const increased = event(
        'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
        ALICE,
        FIVE,
        { tokenId: id, liquidity: 99n, amount1: 7n },
      );
      const opened = (sender: Address, owner: Address): Step =>
        event(
          'Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
          owner,
          FIVE,
          { sender, amount: 99n, amount1: 7n },
        );
      beforeAll(async () => {
        for (const token of ['USDC', 'WETH'] as const) await stage.c.approve('alice', token, mask);
        await stage.chain.must('alice', { to: MAINNET.weth, data: fn('deposit()'), value: 100n });
      });
      const weth = (): Step =>
        call(MAINNET.weth, fn('transferFrom(address,address,uint256)', [ALICE, venue, 7n]));
      const openedBy = async (who: 'alice' | typeof ATTACKER, owner: Address) => {
        const steps = [pull(MAINNET.usdc, ALICE), weth(), at(venue, opened(mask, owner)), nft, increased];
        const data = fnOf(stage.abi, 'play', [steps]);
        return stage.report(await stage.chain.send(who, { to: mask, data, gas: 3_000_000n }));
      };

      it('is proven for its caller where the pool names the manager', async () => {
        const report = await openedBy('alice', mask);
        expect([report.classification.status, statusOf(report, 'add_liquidity')]).toEqual([
          'Proven',
          'Proven',
        ]);
      });
      it('is not where the pool names another owner, nor of a bystander', async () => {
        for (const report of [await openedBy('alice', me), await openedBy(ATTACKER, mask)])
          for (const effect of report.position_effects)
            expect([effect.owner, effect.status]).not.toEqual([ALICE, 'Proven']);
      });
    });
  });

  /** A vault that logs nothing but the movement of its shares: its caller says by name what it asks for. */
  describe('a silent vault', () => {
    const BOB = addressOf('bob');
    const DEPOSIT = () => fn('deposit(uint256)', [FIVE]);
    const WITHDRAW = () => fn('withdraw(uint256)', [FIVE - 1n]);
    const even = (who: Address): Step =>
      event('Transfer(address indexed from, address indexed to, uint256 value)', who, FIVE, { from: ZERO });
    const taken = (): Step => pull(MAINNET.usdc, ALICE, puppet);
    const told = async (who: 'alice' | typeof ATTACKER, data: `0x${string}`, steps: readonly Step[]) => {
      await stage.chain.must(ATTACKER, {
        to: puppet,
        data: fnOf(puppetAbi, 'set', [steps]),
        gas: 3_000_000n,
      });
      return stage.report(await stage.chain.send(who, { to: puppet, data, gas: 3_000_000n }));
    };

    it('is proven of a deposit and a withdrawal', async () => {
      const put = await told('alice', DEPOSIT(), [taken(), minted(ALICE)]);
      const took = await told('alice', WITHDRAW(), [burnt(ALICE), pay(ALICE)]);
      expect(
        [put, took].map(({ classification: c }) => [c.intent_kind, c.status, c.confidence, c.actor]),
      ).toEqual([
        ['VaultDeposit', 'Proven', 'Medium', ALICE],
        ['VaultWithdraw', 'Proven', 'Medium', ALICE],
      ]);
    });

    it.each<[string, () => `0x${string}`, () => Step[]]>([
      ['shares for another account', DEPOSIT, () => [taken(), minted(BOB)]],
      ['shares one to one, as of a stake', DEPOSIT, () => [taken(), even(ALICE)]],
      ['a deposit that went on', DEPOSIT, () => [taken(), minted(ALICE), pay(me)]],
      ['a deposit that another account took', DEPOSIT, () => [pull(MAINNET.usdc, ALICE, me), minted(ALICE)]],
      ['a deposit without shares', DEPOSIT, () => [taken()]],
      ['shares of another contract', DEPOSIT, () => [taken(), byOther(minted(ALICE))]],
      ['a deposit by another name', () => fn('poke()'), () => [taken(), minted(ALICE)]],
      [
        'a deposit by a transfer',
        () => fn('transfer(address,uint256)', [puppet, FIVE]),
        () => [taken(), minted(ALICE)],
      ],
      [
        'a withdrawal of what was just put there',
        WITHDRAW,
        () => [pull(MAINNET.usdc, me, puppet), burnt(ALICE), pay(ALICE)],
      ],
      ['a withdrawal paid to another account', WITHDRAW, () => [burnt(ALICE), pay(BOB)]],
    ])('is no proof of %s', async (_, data, steps) => {
      await stage.c.approve(ATTACKER, 'USDC', puppet);
      unprovenBooks(await told('alice', data(), steps()));
    });

    it('is no proof of who did not call it', async () => {
      const report = await told(ATTACKER, DEPOSIT(), [taken(), minted(ALICE)]);
      for (const effect of report.position_effects)
        expect([effect.owner, effect.status]).not.toEqual([ALICE, 'Proven']);
      expect([report.classification.status, report.classification.actor]).not.toEqual(['Proven', ALICE]);
      const data = fnOf(stage.abi, 'play', [[call(puppet, DEPOSIT())]]);
      unprovenBooks(
        await stage.report(await stage.chain.send('alice', { to: venue, data, gas: 3_000_000n })),
      );
    });
  });

  const byOther = (step: Step): Step => call(other, fnOf(stage.abi, 'play', [[step]]));
  function unprovenBooks(report: TxReport): void {
    const { status, intent_kind: kind, intent_label: label } = report.classification;
    const plain = /Transfer|Approval|ContractCall|Unknown/.test(kind);
    expect(plain ? 'Suspected' : status, `${kind}: ${label}`).toBe('Suspected');
    for (const one of report.position_effects) expect(one.status).toBe('Suspected');
    for (const { kind: of, status: shown } of report.motifs)
      if (/stake|deposit|withdraw|supply|liquidity|repay|borrow|claim/.test(of))
        expect([of, shown]).toEqual([of, 'Suspected']);
  }
});

/** A contract that changes no books, called by a function that is named for the act its event tells. */
describe('what its caller asked for by name', () => {
  const BOB = addressOf('bob');
  const CLAIM = () => fn('claim()');
  const PLACE = () => fn('claim(uint256,bytes32[])', [FIVE, []]);
  const PLACE_OF = (who: Address) => fn('claim(address,uint256,bytes32[])', [who, FIVE, []]);
  const VOTE = () => fn('castVote(uint256,uint8)', [7n, 1]);
  const voted = (who: Address): Step =>
    event(
      'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)',
      who,
      FIVE,
    );
  let distributor: Address;
  let puppet: ReturnType<typeof compile>[string];
  beforeAll(async () => {
    puppet = compile('Forger.sol')['Puppet']!;
    distributor = await stage.chain.deploy(puppet, ['Distributor', 'DIST', 6]);
    for (const who of ['bob', ATTACKER] as const) await stage.c.approve(who, 'USDC', distributor);
    const fund = fn('transfer(address,uint256)', [distributor, 4n * FIVE]);
    await stage.chain.must('alice', { to: MAINNET.usdc, data: fund });
  });

  async function told(who: 'alice' | typeof ATTACKER, data: `0x${string}`, steps: readonly Step[]) {
    const set = fnOf(puppet.abi, 'set', [steps]);
    await stage.chain.must(ATTACKER, { to: distributor, data: set, gas: 3_000_000n });
    return stage.report(await stage.chain.send(who, { to: distributor, data, gas: 3_000_000n }));
  }

  it.each<[string, string, () => `0x${string}`, () => Step[]]>([
    ['a reward', 'ClaimRewards', CLAIM, () => [pay(ALICE), paid(ALICE)]],
    ['a vote', 'GovernanceAction', VOTE, () => [voted(ALICE)]],
    ['a reward of the amount in the calldata', 'ClaimRewards', PLACE, () => [pay(ALICE)]],
    ['a reward of the account in the calldata', 'ClaimRewards', () => PLACE_OF(ALICE), () => [pay(ALICE)]],
  ])('%s is proven, at Medium', async (_, kind, data, steps) => {
    const { classification } = await told('alice', data(), steps());
    expect(classification).toMatchObject({ intent_kind: kind, status: 'Proven', confidence: 'Medium' });
    expect(classification.actor).toBe(ALICE);
  });

  it.each<[string, 'alice' | typeof ATTACKER, () => `0x${string}`, () => Step[]]>([
    ['a reward under another name', 'alice', () => fn('poke()'), () => [pay(ALICE), paid(ALICE)]],
    [
      'a reward of more than was paid',
      'alice',
      CLAIM,
      () => [paid(ALICE), call(MAINNET.usdc, fn('transfer(address,uint256)', [ALICE, 7n]))],
    ],
    [
      'a reward out of a bystander’s allowance',
      'alice',
      CLAIM,
      () => [pull(MAINNET.usdc, BOB, ALICE), paid(ALICE)],
    ],
    ['a reward of another account', 'alice', CLAIM, () => [pay(BOB), paid(BOB)]],
    ['a reward of who did not call', ATTACKER, CLAIM, () => [pay(ALICE), paid(ALICE)]],
    [
      'a reward that another contract tells',
      'alice',
      CLAIM,
      () => [pay(ALICE), call(venue, fnOf(stage.abi, 'play', [[paid(ALICE)]]))],
    ],
    [
      'a stake',
      'alice',
      () => fn('stake(uint256)', [FIVE]),
      () => [pull(MAINNET.usdc, ALICE), staked(ALICE)],
    ],
    ['an exit', 'alice', () => fn('withdraw(uint256)', [FIVE]), () => [pay(ALICE), withdrawn(ALICE)]],
    [
      'an amount that was not paid',
      'alice',
      PLACE,
      () => [call(MAINNET.usdc, fn('transfer(address,uint256)', [ALICE, 7n]))],
    ],
    ['an amount out of a bystander’s allowance', 'alice', PLACE, () => [pull(MAINNET.usdc, BOB, ALICE)]],
    ['an amount due to another account', 'alice', () => PLACE_OF(BOB), () => [pay(BOB)]],
    ['an amount paid to another account', 'alice', () => PLACE_OF(ALICE), () => [pay(BOB)]],
    ['an amount due to who did not call', ATTACKER, () => PLACE_OF(ALICE), () => [pay(ALICE)]],
    ['a vote of another account', 'alice', VOTE, () => [voted(BOB)]],
    ['a vote of who did not call', ATTACKER, VOTE, () => [voted(ALICE)]],
  ])('%s is not', async (_, who, data, steps) => {
    const { motifs, classification } = await told(who, data(), steps());
    const acts = motifs.filter(({ kind }) => /claim|governance|stake|withdraw/.test(kind));
    for (const act of acts) expect([act.kind, act.status]).toEqual([act.kind, 'Suspected']);
    expect([classification.intent_kind, classification.status]).not.toEqual(['ClaimRewards', 'Proven']);
    if (who === ATTACKER) expect(classification.actor).not.toBe(ALICE);
  });
});

/** Acts of the attacker at its own contract, with real assets, that name an account without a part in them. */
describe('whoever the contract names', () => {
  const swap = (to: Address): Step =>
    event(
      'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
      to,
      0n,
      { amount0In: FIVE, amount1Out: 7n, sender: venue },
    );
  const gem = (to: Address): Step => call(MAINNET.weth, fn('transfer(address,uint256)', [to, 7n]));
  const me = addressOf(ATTACKER);

  beforeAll(async () => {
    await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 100n });
    await stage.chain.must(ATTACKER, {
      to: MAINNET.weth,
      data: fn('transfer(address,uint256)', [venue, 50n]),
    });
  });

  it.each<[string, string, () => Step[]]>([
    [
      'as the sender of its own deposit',
      'vault_deposit',
      () => [pull(MAINNET.usdc, me), minted(me), { ...deposited(ALICE), topics: depositTopics(ALICE, me) }],
    ],
    [
      'as the owner of shares that it burnt of its own',
      'vault_withdraw',
      () => [burnt(me), pay(me), withdrew(ALICE, me)],
    ],
    ['as the recipient of its own swap', 'swap', () => [pull(MAINNET.usdc, me), gem(me), swap(ALICE)]],
    [
      'as the payer, by an allowance of old',
      'swap',
      () => [pull(MAINNET.usdc, ALICE), gem(ALICE), swap(ALICE)],
    ],
  ])('%s is not proven of it', async (_, kind, steps) => {
    const report = await playedBy(ATTACKER, steps());
    for (const m of report.motifs.filter((motif) => motif.kind === kind))
      if (m.participants.some(({ account }) => account === ALICE)) expect(m.status).toBe('Suspected');
    for (const effect of report.position_effects)
      expect([effect.owner, effect.status]).not.toEqual([ALICE, 'Proven']);
    expect([report.classification.status, report.classification.actor]).not.toEqual(['Proven', ALICE]);
  });

  it('is proven where the attacker speaks of itself', async () => {
    const report = await playedBy(ATTACKER, [pull(MAINNET.usdc, me), gem(me), swap(me)]);
    expect([statusOf(report, 'swap'), report.classification.actor]).toEqual(['Proven', me]);
  });

  it('as its caller, where anybody can make that pay, is not proven of it', async () => {
    const [payer, shop] = [await stage.forger('Payer', 'PAYER'), await stage.forger('Shop', 'SHOP')];
    await stage.chain.must('alice', {
      to: MAINNET.usdc,
      data: fn('transfer(address,uint256)', [shop, FIVE]),
    });
    // The payer pays the shop a wei, as a splitter would; the shop then speaks of it.
    const data = fnOf(stage.abi, 'play', [
      [
        call(payer, fnOf(stage.abi, 'play', [[call(shop, '0x', 1n)]]), 1n),
        call(shop, fnOf(stage.abi, 'play', [[pay(payer), paid(payer)]])),
      ],
    ]);
    const hash = await stage.chain.send(ATTACKER, { to: venue, data, value: 1n, gas: 3_000_000n });
    const report = await stage.report(hash);
    expect(statusOf(report, 'claim')).not.toBe('Proven');
  });
});

/** An unlisted marketplace fills "orders" by allowances that the owners once gave it. */
describe('a sale by an allowance of old', () => {
  const me = addressOf(ATTACKER);
  let id = 0n;
  let art: Address;
  beforeAll(async () => {
    art = stage.c.at('APE');
    await stage.chain.must('alice', {
      to: art,
      data: fn('setApprovalForAll(address,bool)', [venue, true]),
    });
    await stage.chain.must('alice', { to: MAINNET.weth, data: fn('deposit()'), value: 100n });
    for (const who of ['alice', ATTACKER] as const) await stage.c.approve(who, 'WETH', venue);
    await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: 100n });
    await stage.chain.must(ATTACKER, { to: art, data: fn('setApprovalForAll(address,bool)', [venue, true]) });
  });

  const move = (from: Address, to: Address): Step =>
    call(art, fn('transferFrom(address,address,uint256)', [from, to, id]));
  const weth = (from: Address, to: Address): Step =>
    call(MAINNET.weth, fn('transferFrom(address,address,uint256)', [from, to, 7n]));
  const bid = (taker: Address, maker: Address): Step =>
    event(
      'TakerBid(bytes32 orderHash, uint256 orderNonce, address indexed taker, address indexed maker, address indexed strategy, address currency, address collection, uint256 tokenId, uint256 amount, uint256 price)',
      venue,
      7n,
      { taker, maker, currency: MAINNET.weth, collection: art, tokenId: id, amount: 1n },
    );
  const ask = (taker: Address, maker: Address): Step =>
    event(
      'TakerAsk(bytes32 orderHash, uint256 orderNonce, address indexed taker, address indexed maker, address indexed strategy, address currency, address collection, uint256 tokenId, uint256 amount, uint256 price)',
      venue,
      7n,
      { taker, maker, currency: MAINNET.weth, collection: art, tokenId: id, amount: 1n },
    );
  const matched = (maker: Address, taker: Address): Step =>
    event(
      'OrdersMatched(bytes32 buyHash, bytes32 sellHash, address indexed maker, address indexed taker, uint256 price, bytes32 indexed metadata)',
      maker,
      7n,
      { maker, taker },
    );
  const fulfilled = (offerer: Address, recipient: Address): Step =>
    event(
      'OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)',
      venue,
      7n,
      {
        offerer,
        recipient,
        offer: [{ itemType: 2, token: art, identifier: id, amount: 1n }],
        consideration: [{ itemType: 1, token: MAINNET.weth, identifier: 0n, amount: 7n, recipient: offerer }],
      },
    );

  it.each<[string, Address, () => Step[]]>([
    ['a seller, in TakerBid', ALICE, () => [weth(me, ALICE), move(ALICE, me), bid(me, ALICE)]],
    ['a seller, in OrdersMatched', ALICE, () => [weth(me, ALICE), move(ALICE, me), matched(ALICE, me)]],
    [
      'a seller paid in ether, in OrdersMatched',
      ALICE,
      () => [call(ALICE, '0x', 7n), move(ALICE, me), matched(ALICE, me)],
    ],
    ['a seller, in OrderFulfilled', ALICE, () => [weth(me, ALICE), move(ALICE, me), fulfilled(ALICE, me)]],
    ['a bidder, in TakerAsk', me, () => [weth(ALICE, me), move(me, ALICE), ask(me, ALICE)]],
  ])('is not proven of %s', async (_, holder, steps) => {
    id = await stage.chain.read<bigint>(art, 'nextId() view returns (uint256)', []);
    await stage.chain.must(ATTACKER, { to: art, data: fn('give(address)', [holder]) });
    const data = fnOf(stage.abi, 'play', [steps()]);
    const hash = await stage.chain.send(ATTACKER, { to: venue, data, value: 7n, gas: 3_000_000n });
    const report = await stage.report(hash);
    const sale = report.motifs.find(({ kind }) => kind === 'nft_trade');
    expect(sale?.status).toBe('Suspected');
    expect([report.classification.status, report.classification.actor]).not.toEqual(['Proven', ALICE]);
    expect(report.classification.status).toBe('Suspected');
  });

  it('is proven where the seller itself calls the marketplace', async () => {
    id = await stage.chain.read<bigint>(art, 'nextId() view returns (uint256)', []);
    await stage.chain.must(ATTACKER, { to: art, data: fn('give(address)', [ALICE]) });
    await stage.chain.must('alice', { to: art, data: fn('approve(address,uint256)', [venue, id]) });
    const report = await playedBy('alice', [
      call(art, fn('transferFrom(address,address,uint256)', [ALICE, venue, id])),
      call(MAINNET.weth, fn('transfer(address,uint256)', [ALICE, 7n])),
      matched(venue, ALICE),
    ]);
    expect([statusOf(report, 'nft_trade'), report.classification.actor]).toEqual(['Proven', ALICE]);
  });
});

function depositTopics(sender: Address, owner: Address): Step['topics'] {
  const [topic] = deposited(sender).topics;
  const word = (account: Address): `0x${string}` => `0x${account.slice(2).toLowerCase().padStart(64, '0')}`;
  return [topic!, word(sender), word(owner)];
}
