import { describe, expect, it } from 'vitest';
import { SubjectView } from '../../../src/stages/7-intent/facts/subjectView.ts';
import { factsAbout, type Subject } from '../../../src/stages/7-intent/intentInput.ts';
import { erc20Id, NATIVE_ASSET } from '../../../src/value/asset.ts';
import { executionPayments } from '../../../src/value/parties/execution.ts';
import {
  account,
  bareRulebook,
  motif,
  numbered,
  scenario,
  SIGNER,
  WETH,
  ZERO,
  type Scenario,
} from './scenario.ts';
import { kindsWith } from '../../support/builders.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { AssetAmount, Motif } from '../../../src/model/motif.ts';

const A = account('a1'),
  B = account('a2'),
  C = account('a3');
const POOL = account('9001'),
  POOL2 = account('9002'),
  ROUTER = account('40'),
  SAFE = account('5afe');
const of = (token: Address | 'native', role = 'in', amount = 1n): AssetAmount => ({
  asset: token === 'native' ? NATIVE_ASSET : erc20Id(token),
  amount,
  role,
});

function view(
  { tx, flow }: Scenario,
  motifs: readonly Motif[] = [],
  subject: Partial<Subject> = {},
  tags: Record<Address, readonly string[]> = {},
): SubjectView {
  const who = subject.account ?? SIGNER;
  const entity = new Set([who]);
  const rulebook = bareRulebook({
    tags,
    motifKinds: kindsWith([
      { kind: 'stake', fragment: 'Stake', position: { category: 'stake', effect: 'increase' } },
      {
        kind: 'vault_deposit',
        fragment: 'VaultDeposit',
        position: { category: 'vault', effect: 'increase' },
      },
    ]),
  });
  const acts = numbered(motifs, rulebook.motifKinds);
  const { mode = 'self' } = subject;
  return new SubjectView({
    tx,
    flow,
    motifs: acts,
    rulebook,
    subject: {
      account: who,
      entity,
      signer: SIGNER,
      mode,
      payments: executionPayments({ tx, flow, motifs: acts, rulebook }, entity, mode),
      submitterRole: 'self',
      authorizations: [],
      elected: true,
      claimed: false,
      ...subject,
    },
  });
}
const facts = (v: SubjectView, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, factsAbout(v)(name)]));
const swap = (
  venue: Address,
  sent: Address | 'native',
  received: Address | 'native',
  movements: number[],
): Motif => motif('swap', { venue, assetsOut: [of(sent)], assetsIn: [of(received, 'out')], movements });

describe('what the subject sent and received', () => {
  it('is net per asset: change comes off what was paid, wrapping is no trade', () => {
    const v = view(
      scenario({
        value: 100n,
        to: ROUTER,
        steps: [
          { wrap: 80n, by: ROUTER },
          { token: WETH, from: ROUTER, to: POOL, amount: 80n },
          { token: A, from: POOL, to: SIGNER, amount: 7n },
          { native: 20n, from: ROUTER, to: SIGNER },
        ],
      }),
    );
    expect(v.balances.map((l) => [l.id, l.net])).toEqual([
      [NATIVE_ASSET, -80n],
      [erc20Id(A), 7n],
    ]);
    expect(
      facts(v, 'actor.sides', 'actor.sent.native', 'actor.sent.erc20', 'actor.received.transferred'),
    ).toEqual({
      'actor.sides': 'both',
      'actor.sent.native': true,
      'actor.sent.erc20': 0,
      'actor.received.transferred': 1,
    });
  });

  it('calls wrapped native a token where no native value moved', () => {
    const v = view(
      scenario({ to: WETH, steps: [{ token: WETH, from: SIGNER, to: account('b0b'), amount: 5n }] }),
    );
    expect(facts(v, 'actor.sent.native', 'actor.sent.erc20')).toEqual({
      'actor.sent.native': false,
      'actor.sent.erc20': 1,
    });
  });

  it('drops rounding of rebasing tokens and what only passed through', () => {
    const v = view(
      scenario({
        steps: [
          { token: A, from: POOL, to: SIGNER, amount: 1_000_001n },
          { token: A, from: SIGNER, to: POOL2, amount: 1_000_000n },
        ],
      }),
    );
    expect(v.balances).toEqual([]);
  });

  it('leaves execution fees out: entry point prefunds, and what an account pays its submitter besides others', () => {
    const entryPoint = account('e9'),
      friend = account('f1');
    const op = motif('user_operation', {
      venue: entryPoint,
      participants: [{ role: 'owner', account: SAFE }],
    });
    const paid = scenario({
      to: entryPoint,
      steps: [
        { native: 9n, from: SAFE, to: entryPoint },
        { token: A, from: SAFE, to: friend, amount: 5n },
        { native: 8n, from: entryPoint, to: SIGNER },
      ],
    });
    expect(view(paid, [op], { account: SAFE, mode: 'smart_account_4337' }).balances.map((l) => l.id)).toEqual(
      [erc20Id(A)],
    );
    const refunded = scenario({
      to: SAFE,
      steps: [
        { token: A, from: SAFE, to: friend, amount: 5n },
        { token: B, from: SAFE, to: SIGNER, amount: 1n },
      ],
    });
    expect(view(refunded, [], { account: SAFE, mode: 'safe' }).balances.map((l) => l.id)).toEqual([
      erc20Id(A),
    ]);
    const onlyHer = scenario({ to: SAFE, steps: [{ token: B, from: SAFE, to: SIGNER, amount: 1n }] });
    expect(view(onlyHer, [], { account: SAFE, mode: 'safe' }).balances.map((l) => l.id)).toEqual([
      erc20Id(B),
    ]);
  });
});

describe('swaps between given and received', () => {
  const chain = scenario({
    to: ROUTER,
    steps: [
      { token: A, from: SIGNER, to: POOL, amount: 9n },
      { token: B, from: POOL, to: POOL2, amount: 8n },
      { token: C, from: POOL2, to: SIGNER, amount: 7n },
    ],
  });

  it('counts the pools of a chain', () => {
    const v = view(chain, [swap(POOL, A, B, [0, 1]), swap(POOL2, B, C, [1, 2])]);
    expect(facts(v, 'swaps.pools', 'swaps.count', 'swaps.elsewhere')).toEqual({
      'swaps.pools': 2,
      'swaps.count': 2,
      'swaps.elsewhere': 0,
    });
  });

  it('leaves out what others swap on the side, such as a token selling its own fees', () => {
    const s = scenario({
      to: ROUTER,
      steps: [
        { token: A, from: A, to: POOL2, amount: 3n },
        { token: WETH, from: POOL2, to: account('fee'), amount: 1n },
        { token: A, from: SIGNER, to: POOL, amount: 9n },
        { token: B, from: POOL, to: SIGNER, amount: 8n },
      ],
    });
    const v = view(s, [swap(POOL2, A, WETH, [0, 1]), swap(POOL, A, B, [2, 3])]);
    expect(facts(v, 'swaps.pools', 'swaps.elsewhere')).toEqual({ 'swaps.pools': 1, 'swaps.elsewhere': 1 });
  });

  it('counts a pool used twice once, and sub-pools of one contract apart', () => {
    const twice = view(chain, [swap(POOL, A, B, [0, 1]), swap(POOL, B, C, [1, 2])]);
    expect(facts(twice, 'swaps.pools')).toEqual({ 'swaps.pools': 1 });
    const s = scenario({
      steps: [
        { token: A, from: SIGNER, to: POOL, amount: 9n },
        { token: C, from: POOL, to: SIGNER, amount: 7n },
      ],
    });
    const netted = [
      motif('swap', { venue: POOL, poolId: 'one', assetsOut: [of(A)], movements: [0] }),
      motif('swap', { venue: POOL, poolId: 'two' }),
      motif('swap', { venue: POOL, poolId: 'three', assetsIn: [of(C, 'out')], movements: [1] }),
    ];
    expect(facts(view(s, netted), 'swaps.pools', 'swaps.venues')).toEqual({
      'swaps.pools': 3,
      'swaps.venues': 1,
    });
  });

  it('follows a trade whose proceeds go to another account', () => {
    const s = scenario({
      steps: [
        { token: A, from: SIGNER, to: POOL, amount: 9n },
        { token: B, from: POOL, to: account('f1'), amount: 8n },
      ],
    });
    const v = view(s, [swap(POOL, A, B, [0, 1])]);
    expect(facts(v, 'swaps.pools', 'swaps.delivered_to', 'actor.sent.into')).toEqual({
      'swaps.pools': 1,
      'swaps.delivered_to': 1,
      'actor.sent.into': ['swap'],
    });
  });
});

describe('where value went', () => {
  it('tells the end of a zap from its means', () => {
    const s = scenario({
      to: ROUTER,
      steps: [
        { token: A, from: SIGNER, to: ROUTER, amount: 9n },
        { token: A, from: ROUTER, to: POOL, amount: 9n },
        { token: B, from: POOL, to: ROUTER, amount: 8n },
        { token: B, from: ROUTER, to: C, amount: 8n },
        { token: C, from: ZERO, to: SIGNER, amount: 8n },
      ],
    });
    const deposit = motif('vault_deposit', {
      venue: C,
      assetsOut: [of(B)],
      assetsIn: [of(C, 'share_out')],
      movements: [3, 4],
    });
    const v = view(s, [swap(POOL, A, B, [1, 2]), deposit]);
    expect(facts(v, 'actor.sent.into', 'actor.received.out_of', 'actor.received.minted')).toEqual({
      'actor.sent.into': ['swap'],
      'actor.received.out_of': ['vault_deposit'],
      'actor.received.minted': 1,
    });
  });

  it('sees the payees behind a forwarder', () => {
    const v = view(
      scenario({
        value: 10n,
        to: ROUTER,
        steps: [
          { native: 6n, from: ROUTER, to: account('f1') },
          { native: 4n, from: ROUTER, to: account('f2') },
        ],
      }),
    );
    expect(facts(v, 'actor.payees', 'actor.pays_directly')).toEqual({
      'actor.payees': 2,
      'actor.pays_directly': false,
    });
  });

  it('knows a payment that only returns the gas, or what keepers get on top', () => {
    const gas = 100_000n * 10n ** 9n;
    expect(
      facts(view(scenario({ steps: [{ native: gas, from: POOL, to: SIGNER }] })), 'actor.received.gas_back'),
    ).toEqual({ 'actor.received.gas_back': true });
    expect(
      facts(
        view(scenario({ steps: [{ native: 2n * gas + 1n, from: POOL, to: SIGNER }] })),
        'actor.received.gas_back',
      ),
    ).toEqual({ 'actor.received.gas_back': false });
  });
});

describe('whose motifs', () => {
  const other = account('07e4');
  const theirs = motif('stake', { venue: POOL2, participants: [{ role: 'owner', account: other }] });

  it("are all of the driver's but those that name another account", () => {
    const v = view(scenario({}), [motif('governance', { venue: POOL }), theirs]);
    expect(v.own.map((m) => m.kind)).toEqual(['governance']);
  });

  it('are in a shared settlement only those that name or touch the subject', () => {
    const s = scenario({
      steps: [
        { token: A, from: SAFE, to: POOL, amount: 1n },
        { token: B, from: other, to: POOL, amount: 1n },
      ],
    });
    const mine = motif('order_settled', {
      venue: POOL,
      participants: [{ role: 'owner', account: SAFE }],
      movements: [0],
    });
    const v = view(
      s,
      [mine, { ...mine, participants: [{ role: 'owner', account: other }], movements: [1] }],
      { account: SAFE, mode: 'solver_settlement' },
    );
    expect(v.own).toHaveLength(1);
  });
});
