import { describe, expect, it } from 'vitest';
import { findSuspects } from '../../../src/value/suspectTokens.ts';
import { electActor } from '../../../src/stages/6-actor/electActor.ts';
import {
  account,
  bareRulebook,
  HEADER,
  motif,
  numbered,
  scenario,
  SIGNER,
  ZERO,
  type Scenario,
} from '../7-intent/scenario.ts';
import { frame, kindsWith, rawContext } from '../../support/builders.ts';
import type { Evidence, Frame } from '../../../src/model/canonicalTx.ts';
import type { Address, Hex } from '../../../src/model/hex.ts';
import type { Rulebook } from '../../../src/model/rulebook.ts';
import type { Motif } from '../../../src/model/motif.ts';

const TOKEN = account('a0');
const OTHER = account('b0');
const USER = account('05e2');
const SAFE = account('5afe');
const POOL = account('9001');

function elect(
  { tx, flow }: Scenario,
  motifs: readonly Motif[] = [],
  options: {
    tags?: Record<Address, readonly string[]>;
    delegations?: ReadonlyMap<Address, Address>;
    tokenCalls?: Rulebook['tokenCalls'];
    motifKinds?: Rulebook['motifKinds'];
  } = {},
) {
  const rulebook = {
    ...bareRulebook({ tags: options.tags ?? {} }),
    tokenCalls: options.tokenCalls ?? new Map(),
    motifKinds: options.motifKinds ?? kindsWith(),
  };
  return electActor({
    tx,
    flow,
    motifs: numbered(motifs, rulebook.motifKinds),
    rulebook,
    header: HEADER,
    delegations: options.delegations ?? new Map(),
    suspects: findSuspects(tx, flow, rawContext(), rulebook),
  });
}
/** transferFrom(address holder, address to, uint256 amount) */
const TRANSFER_FROM = new Map([
  [
    '0x23b872dd' as Hex,
    { holder: 0, to: 32, amount: 64, spender: null, token: null, id: null, approved: null },
  ],
]);
const owner = (a: Address) => [{ role: 'owner', account: a }];
const trade = (who: Address) =>
  [
    { token: TOKEN, from: who, to: POOL, amount: 100n },
    { token: OTHER, from: POOL, to: who, amount: 50n },
  ] as const;
const swapAt = (venue: Address): Motif => motif('swap', { venue });

describe('electActor', () => {
  it('takes the signer for an ordinary trade', () => {
    const a = elect(scenario({ steps: trade(SIGNER) }), [swapAt(POOL)]);
    expect(a).toMatchObject({
      actor: SIGNER,
      mode: 'self',
      submitterRole: 'self',
      ambiguous: false,
      beneficiary: SIGNER,
      feePayer: SIGNER,
    });
    expect(a.candidates.find((c) => c.account === POOL)).toMatchObject({
      elected: false,
      rejectedBecause: 'venue',
    });
  });

  it('takes the signer when the transaction reverted, whatever it called', () => {
    expect(
      elect(scenario({ to: SAFE, succeeded: false }), [
        motif('account_execution', { venue: SAFE, participants: owner(SAFE) }),
      ]).actor,
    ).toBe(SIGNER);
  });

  it('takes a smart account its owner executed, and the executor is repaid without becoming the actor', () => {
    const a = elect(scenario({ to: SAFE, steps: [...trade(SAFE), { native: 5n, from: SAFE, to: SIGNER }] }), [
      swapAt(POOL),
      motif('account_execution', { venue: SAFE, participants: owner(SAFE) }),
    ]);
    expect(a).toMatchObject({ actor: SAFE, mode: 'safe', submitterRole: 'safe_executor' });
    expect(a.candidates.find((c) => c.account === SIGNER)).toMatchObject({
      rejectedBecause: 'weaker_than:executed_accounts',
    });
  });

  it('takes a smart account also when its inner call failed and nothing moved', () => {
    expect(
      elect(scenario({ to: SAFE }), [
        motif('account_execution_failed', { venue: SAFE, participants: owner(SAFE) }),
      ]),
    ).toMatchObject({ actor: SAFE, mode: 'safe' });
  });

  it("leaves a trade with somebody else's smart account to the signer", () => {
    expect(
      elect(scenario({ steps: trade(SIGNER) }), [
        swapAt(POOL),
        motif('account_execution', { venue: SAFE, participants: owner(SAFE) }),
      ]).actor,
    ).toBe(SIGNER);
  });

  it('takes the sender of the only user operation, and the paymaster pays', () => {
    const entryPoint = account('e9'),
      paymaster = account('9a');
    const operation = motif('user_operation', {
      venue: entryPoint,
      participants: [...owner(USER), { role: 'paymaster', account: paymaster }],
    });
    expect(
      elect(scenario({ to: account('b11d'), steps: trade(USER) }), [swapAt(POOL), operation]),
    ).toMatchObject({
      actor: USER,
      mode: 'smart_account_4337',
      submitterRole: 'bundler',
      entryPoint,
      paymaster,
      feePayer: paymaster,
    });
    const unsponsored = motif('user_operation', {
      venue: entryPoint,
      participants: [...owner(USER), { role: 'paymaster', account: ZERO }],
    });
    expect(elect(scenario({ steps: trade(USER) }), [unsponsored])).toMatchObject({
      paymaster: null,
      feePayer: USER,
    });
  });

  it('elects nobody among the senders of a bundle, and lists them', () => {
    const second = account('05e3');
    const a = elect(
      scenario({ steps: [...trade(USER), ...trade(second)] }),
      [USER, second].map((u) => motif('user_operation', { participants: owner(u) })),
    );
    expect(a).toMatchObject({ actor: null, beneficiary: null, ambiguous: true, mode: 'none', entity: [] });
    expect(a.candidates.filter((c) => c.rejectedBecause === 'equal_claims').map((c) => c.account)).toEqual([
      USER,
      second,
    ]);
  });

  it('takes the owner of the only settled order, not the solver; the receiver benefits', () => {
    const settlement = account('5e7'),
      receiver = account('4ec');
    const order = motif('order_settled', {
      venue: settlement,
      tags: ['order'],
      participants: [...owner(USER), { role: 'recipient', account: receiver }],
    });
    expect(
      elect(
        scenario({
          to: settlement,
          steps: [
            { token: TOKEN, from: USER, to: settlement, amount: 9n },
            { token: OTHER, from: settlement, to: receiver, amount: 8n },
          ],
        }),
        [order],
      ),
    ).toMatchObject({
      actor: USER,
      beneficiary: receiver,
      mode: 'solver_settlement',
      submitterRole: 'solver',
      settlementContract: settlement,
    });
  });

  it('shows only evidence that stands behind a candidate where nobody is elected', () => {
    const withdrawal = (to: Address, log: number): Motif =>
      motif('bridge_withdrawal', {
        participants: [{ role: 'recipient', account: to }],
        evidence: [{ kind: 'log', frame: null, log, contract: POOL }],
      });
    const a = elect(
      scenario({
        steps: [
          { token: TOKEN, from: POOL, to: USER, amount: 9n },
          { token: TOKEN, from: POOL, to: SAFE, amount: 9n },
        ],
      }),
      [withdrawal(USER, 1), withdrawal(SAFE, 2), withdrawal(USER, 3)],
    );
    expect(a.actor).toBeNull();
    expect(a.evidence.map(({ log }) => log)).toEqual(
      a.candidates
        .filter((c) => c.rejectedBecause === 'equal_claims')
        .flatMap((c) => c.evidence.map(({ log }) => log)),
    );
    expect(a.evidence.map(({ log }) => log)).toEqual([1, 2]);
  });

  it('sees through a contract that places orders for others', () => {
    const forwarder = account('f0d');
    const order = motif('order_settled', {
      tags: ['order'],
      participants: [...owner(forwarder), { role: 'recipient', account: USER }],
    });
    expect(
      elect(scenario({ steps: [{ token: TOKEN, from: POOL, to: USER, amount: 9n }] }), [order], {
        tags: { [forwarder]: ['never_elect'] },
      }).actor,
    ).toBe(USER);
  });

  it('elects nobody among several order owners unless only one of them traded', () => {
    const second = account('05e3');
    const orders = [USER, second].map((u) =>
      motif('order_settled', { tags: ['order'], participants: owner(u) }),
    );
    expect(elect(scenario({ steps: [...trade(USER), ...trade(second)] }), orders)).toMatchObject({
      actor: null,
      ambiguous: true,
    });
    expect(elect(scenario({ steps: trade(USER) }), orders).actor).toBe(USER);
  });

  it('finds the owner of an order whose log names nobody: the one account without code that sent and received', () => {
    const settlement = account('5e7'),
      resolver = account('4e5');
    const steps = [
      { token: TOKEN, from: USER, to: resolver, amount: 9n },
      { call: POOL, from: resolver },
      { token: TOKEN, from: resolver, to: POOL, amount: 9n },
      { token: OTHER, from: POOL, to: resolver, amount: 9n },
      { token: OTHER, from: resolver, to: USER, amount: 8n },
    ];
    const found = scenario({ to: resolver, steps });
    const log: Evidence = { kind: 'log', frame: null, log: 77, contract: settlement };
    const a = elect(found, [
      motif('order_settled', {
        venue: settlement,
        tags: ['order', 'limit_order', 'maker_unknown'],
        evidence: [log],
      }),
      swapAt(POOL),
    ]);
    expect(a).toMatchObject({ actor: USER, submitterRole: 'resolver' });
    // The log does not speak of the owner; what it sent and what it received do.
    expect(a.evidence).toEqual([log, ...[0, 3].map((i) => found.flow.movements[i]!.evidence)]);
    expect([a.orders[0]!.evidence, a.candidates[0]!.evidence]).toEqual([a.evidence, a.evidence]);
  });

  it("takes a signer who trades against a maker's order: the order is its liquidity", () => {
    const order = motif('order_settled', {
      venue: account('5e7'),
      tags: ['order', 'limit_order'],
      participants: [{ role: 'maker', account: USER }],
    });
    const steps = [
      { token: TOKEN, from: SIGNER, to: USER, amount: 9n },
      { token: OTHER, from: USER, to: SIGNER, amount: 8n },
    ];
    const a = elect(scenario({ steps }), [order]);
    expect(a).toMatchObject({ actor: SIGNER, mode: 'self' });
    expect(a.orders).toHaveLength(1);
  });

  it('takes a delegated account somebody else called, of whatever transaction type', () => {
    expect(
      elect(scenario({ to: USER, steps: [...trade(USER)] }), [swapAt(POOL)], {
        delegations: new Map([[USER, account('de1')]]),
      }),
    ).toMatchObject({
      actor: USER,
      mode: 'delegated_7702',
      submitterRole: 'relayer',
      delegations: [{ authority: USER, delegate: account('de1'), source: 'code' }],
    });
    const sponsored = scenario({
      type: 4,
      to: USER,
      authorizations: [{ address: account('de1'), nonce: 0n, authority: USER }],
      steps: trade(USER),
    });
    expect(elect(sponsored, [swapAt(POOL)]).actor).toBe(USER);
    const own = scenario({
      type: 4,
      to: SIGNER,
      authorizations: [{ address: account('de1'), nonce: 0n, authority: SIGNER }],
      steps: trade(SIGNER),
    });
    expect(elect(own, [swapAt(POOL)])).toMatchObject({ actor: SIGNER, mode: 'self' });
  });

  it('takes the only account that sent and received where the signer did neither', () => {
    expect(elect(scenario({ steps: trade(USER) }), [swapAt(POOL)])).toMatchObject({
      actor: USER,
      mode: 'none',
      ground: 'claimed',
      submitterRole: 'relayer',
    });
  });

  it('takes who signed a permit that this transaction spends, even where the relayer is repaid', () => {
    const steps = [
      { token: TOKEN, from: USER, to: account('4ec'), amount: 9n },
      { token: TOKEN, from: USER, to: SIGNER, amount: 1n },
    ];
    const permit = motif('approval', { tags: ['permit'], participants: owner(USER) });
    expect(elect(scenario({ steps }), [permit])).toMatchObject({ actor: USER, mode: 'permit_pull' });
    expect(elect(scenario({ steps })).actor).toBe(SIGNER);
  });

  it('names the account that a trade paid instead of the actor as beneficiary', () => {
    const steps = [
      { token: TOKEN, from: SIGNER, to: POOL, amount: 100n },
      { token: OTHER, from: POOL, to: USER, amount: 50n },
    ];
    const swap = motif('swap', { venue: POOL, participants: [{ role: 'recipient', account: USER }] });
    expect(elect(scenario({ steps }), [swap])).toMatchObject({ actor: SIGNER, beneficiary: USER });
    const own = motif('swap', { venue: POOL, participants: [{ role: 'recipient', account: SIGNER }] });
    expect(elect(scenario({ steps: trade(SIGNER) }), [own]).beneficiary).toBe(SIGNER);
    expect(elect(scenario({ steps: [steps[0]!] })).beneficiary).toBe(SIGNER);
  });

  it('names the account behind a router that also paid a fee, which did not gain the proceeds', () => {
    const [ROUTER, TAKER] = [account('40e7'), account('fee')];
    const steps = [
      { token: TOKEN, from: SIGNER, to: POOL, amount: 100n },
      { token: OTHER, from: POOL, to: ROUTER, amount: 50n },
      { token: OTHER, from: ROUTER, to: TAKER, amount: 1n },
      { token: OTHER, from: ROUTER, to: USER, amount: 49n },
    ];
    const built = scenario({ to: ROUTER, steps });
    const got = { asset: built.flow.movements[1]!.asset, amount: 50n, role: 'out' };
    const participants = [{ role: 'recipient', account: ROUTER }];
    const swap = motif('swap', { venue: POOL, participants, assetsIn: [got] });
    const fee = motif('protocol_fee', { participants: [{ role: 'recipient', account: TAKER }] });
    const motifKinds = kindsWith([{ kind: 'protocol_fee', fee: true }]);
    expect(elect(built, [swap, fee], { motifKinds }).beneficiary).toBe(USER);
    expect(elect(built, [swap], { motifKinds }).beneficiary).toBe(SIGNER);
  });

  it('names the account that a claim of the actor paid as beneficiary, itself where several gained', () => {
    const OWNER = { role: 'owner', account: SIGNER };
    const paid = [USER, account('5ec')].map((to) => ({ token: TOKEN, from: POOL, to, amount: 9n }));
    const claims = paid.map(({ to }) =>
      motif('claim', { venue: POOL, participants: [OWNER, { role: 'recipient', account: to }] }),
    );
    const motifKinds = kindsWith([{ kind: 'claim', legs: ['reward'] }]);
    const beneficiaryOf = (count: number, own: { from: Address; to: Address }[] = []): Address | null =>
      elect(
        scenario({
          to: POOL,
          steps: [...paid.slice(0, count), ...own.map((one) => ({ ...one, token: TOKEN, amount: 1n }))],
        }),
        claims.slice(0, count),
        { motifKinds },
      ).beneficiary;
    expect(beneficiaryOf(1)).toBe(USER);
    expect(beneficiaryOf(2)).toBe(SIGNER);
    expect(beneficiaryOf(1, [{ from: POOL, to: SIGNER }])).toBe(SIGNER);
  });

  it('names the account that a relayer delivered to as beneficiary, also where the relayer earned a fee', () => {
    const delivered = motif('bridge_withdrawal', {
      venue: POOL,
      participants: [
        { role: 'filler', account: SIGNER },
        { role: 'recipient', account: USER },
      ],
    });
    const paid = { token: TOKEN, from: POOL, to: USER, amount: 9n };
    for (const own of [
      { token: TOKEN, from: SIGNER, to: POOL, amount: 9n },
      { token: TOKEN, from: POOL, to: SIGNER, amount: 1n },
    ])
      expect(
        elect(scenario({ to: POOL, steps: [own, paid] }), [delivered], {
          motifKinds: kindsWith([
            {
              kind: 'bridge_withdrawal',
              position: { category: 'bridge_claim', effect: 'close' },
              venue: 'bridge',
            },
          ]),
        }),
      ).toMatchObject({ actor: SIGNER, beneficiary: USER });
  });

  it('takes the approval of a contract wallet for its signature only where a listed contract asked', () => {
    const steps = [{ token: TOKEN, from: USER, to: account('4ec'), amount: 9n }];
    const permit = motif('approval', { tags: ['permit'], participants: owner(USER) });
    const magic: Hex = `0x1626ba7e${'0'.repeat(56)}`;
    const groundOf = (asked: Partial<Frame>): string | null => {
      const { tx, flow } = scenario({ steps });
      const question = frame({ index: 1, parent: 0, from: POOL, to: USER, static: true, ...asked });
      // The asker then pulls the very amount in the account's name.
      const words = [USER, account('4ec'), '0x9'].map((word) => word.slice(2).padStart(64, '0'));
      const input: Hex = `0x23b872dd${words.join('')}`;
      const pull = {
        ...frame({ index: 2, parent: 0, from: asked.from ?? POOL, to: TOKEN, context: TOKEN, input }),
        selector: '0x23b872dd' as const,
      };
      const frames = [...tx.frames, { ...question, selector: '0x1626ba7e' as const }, pull];
      const options = { tags: { [POOL]: ['settlement'] }, tokenCalls: TRANSFER_FROM };
      return elect({ tx: { ...tx, frames }, flow }, [permit], options).ground;
    };
    expect(groundOf({ output: magic })).toBe('authorised');
    expect(groundOf({ output: magic, from: OTHER })).toBe('claimed');
    expect(groundOf({ output: magic, effective: false })).toBe('claimed');
    expect(groundOf({ output: `0xffffffff${'0'.repeat(56)}` })).toBe('claimed');
    expect(groundOf({ output: magic, to: account('4ec') })).toBe('claimed');
  });

  it('takes the owner of what a contract took that acts on orders alone; an allowance of old is no order', () => {
    const settlement = account('5e7');
    const groundOf = (tag: string, taker: Address): string | null => {
      const { tx, flow } = scenario({ steps: trade(USER) });
      const words = [USER, POOL, '0x64'].map((word) => word.slice(2).padStart(64, '0'));
      const pull = {
        ...frame({ index: 1, parent: 0, from: taker, to: TOKEN, context: TOKEN }),
        input: `0x23b872dd${words.join('')}` as Hex,
        selector: '0x23b872dd' as const,
      };
      const logs = tx.logs.map((log, index) => (index === 0 ? { ...log, within: 1 } : log));
      const options = { tags: { [settlement]: [tag] }, tokenCalls: TRANSFER_FROM };
      return elect({ tx: { ...tx, frames: [...tx.frames, pull], logs }, flow }, [swapAt(POOL)], options)
        .ground;
    };
    expect(groundOf('acts_on_orders', settlement)).toBe('authorised');
    // The signer, who at least asked for what happened.
    expect(groundOf('router', settlement)).toBe('signed');
    expect(groundOf('acts_on_orders', account('b07'))).toBe('signed');
  });

  it('takes a private contract that holds the inventory as one with its signer', () => {
    const bot = account('b07');
    const steps = scenario({ to: bot, steps: [{ call: POOL, from: bot }, ...trade(bot)] });
    const swap = motif('swap', { venue: POOL, participants: [{ role: 'payer', account: bot }] });
    expect(elect(steps, [swap])).toMatchObject({
      actor: bot,
      mode: 'bot_contract',
      ground: 'own_contract',
      submitterRole: 'mev_bot',
      entity: [bot, SIGNER],
    });
    // Without a trade it only moved its own funds.
    const payout = scenario({ to: bot, steps: [{ token: TOKEN, from: bot, to: USER, amount: 5n }] });
    expect(elect(payout)).toMatchObject({ actor: bot, mode: 'own_contract', submitterRole: 'operator' });
  });

  it('takes value below the price of a unit of gas for a number, given to a contract that deals', () => {
    const bot = account('b07');
    const lost = { native: 5_000n, from: bot, to: POOL };
    const around = [
      { token: TOKEN, from: POOL, to: bot, amount: 5n },
      { token: TOKEN, from: bot, to: USER, amount: 5n },
    ];
    const actorOf = (value: bigint, dealings: typeof around): Address | null => {
      const steps = [{ native: value, from: SIGNER, to: bot }, ...dealings, lost];
      const { tx, flow } = scenario({ to: bot, steps });
      return elect({ tx: { ...tx, value, effectiveGasPrice: 1_000n }, flow }).actor;
    };
    expect(actorOf(999n, around)).toBe(bot);
    expect(actorOf(1_000n, around)).toBe(SIGNER);
    // A contract that got nothing else was paid, however little.
    expect(actorOf(999n, [])).toBe(SIGNER);
  });

  it('takes the called contract that an event names as liquidator, also where the profit went on to the signer', () => {
    const bot = account('b07');
    const seized = motif('liquidation', {
      venue: POOL,
      participants: [
        { role: 'liquidator', account: bot },
        { role: 'borrower', account: USER },
      ],
    });
    const steps = [
      { call: POOL, from: bot },
      { token: OTHER, from: POOL, to: bot, amount: 9n },
      { token: OTHER, from: bot, to: SIGNER, amount: 9n },
    ];
    expect(elect(scenario({ to: bot, steps }), [seized])).toMatchObject({
      actor: bot,
      entity: [bot, SIGNER],
    });
  });

  it('takes no protocol contract for a bot: one that speaks by events serves others', () => {
    const vault = account('7a17');
    expect(
      elect(
        scenario({ to: vault, steps: [{ call: POOL, from: vault }, ...trade(vault), { event: vault }] }),
        [swapAt(POOL)],
      ).actor,
    ).toBe(SIGNER);
  });

  it('takes the account a bridge or a keeper delivered to', () => {
    const delivered = motif('bridge_withdrawal', {
      venue: POOL,
      participants: [{ role: 'recipient', account: USER }],
    });
    expect(
      elect(scenario({ steps: [{ token: TOKEN, from: POOL, to: USER, amount: 9n }] }), [delivered]),
    ).toMatchObject({ actor: USER, submitterRole: 'relayer' });
  });

  it('takes the account a liquidity network pays from an ordinary account of its own', () => {
    const protocol = {
      slug: 'network',
      version: 1,
      name: 'Network',
      status: 'stable' as const,
      addresses: new Set([SIGNER]),
      create2: null,
      created: [],
    };
    const meaning = {
      kind: 'bridge_deposit',
      protocols: [protocol],
    } as unknown as Rulebook['events'] extends ReadonlyMap<string, infer E>
      ? E extends { mappings: readonly (infer M)[] }
        ? M
        : never
      : never;
    const position = { category: 'bridge_claim', effect: 'open' };
    const rulebook = {
      ...bareRulebook({
        events: new Map([['0x', { signature: '', topic0: '0x', topicCount: 1, mappings: [meaning] }]]),
      }),
      motifKinds: kindsWith([{ kind: 'bridge_deposit', position }]),
    };
    const { tx, flow } = scenario({ to: USER, value: 5n, input: '0x0123456789' });
    const suspects = findSuspects(tx, flow, rawContext(), rulebook);
    const input = { tx, flow, motifs: [], header: HEADER, delegations: new Map(), suspects };
    expect(electActor({ ...input, rulebook })).toMatchObject({ actor: USER, submitterRole: 'relayer' });
    expect(electActor({ ...input, rulebook: bareRulebook() }).actor).toBe(SIGNER);
  });

  it('never elects zero, a token, a venue, the builder or an address that serves everybody', () => {
    const router = account('40');
    for (const [who, tags] of [
      [ZERO, {}],
      [TOKEN, {}],
      [POOL, {}],
      [HEADER.coinbase, {}],
      [router, { [router]: ['router'] }],
    ] as [Address, Record<Address, string[]>][]) {
      const order = motif('order_settled', { tags: ['order'], venue: POOL, participants: owner(who) });
      expect(
        elect(scenario({ to: router, steps: who === ZERO ? [] : trade(who) }), [order], { tags }).actor,
      ).toBe(SIGNER);
    }
  });

  it('says the same whatever order equal evidence comes in', () => {
    const orders = ['05e2', '05e3'].map((t) =>
      motif('order_settled', { tags: ['order'], participants: owner(account(t)) }),
    );
    const s = scenario({ steps: [...trade(account('05e2')), ...trade(account('05e3'))] });
    expect(elect(s, orders).actor).toBe(elect(s, [...orders].reverse()).actor);
  });
});
