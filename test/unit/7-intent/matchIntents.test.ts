import { describe, expect, it } from 'vitest';
import { explainIntents, matchIntents } from '../../../src/stages/7-intent/matchIntents.ts';
import { erc20Id } from '../../../src/value/asset.ts';
import { account, bareRulebook, motif, numbered, scenario, SIGNER, ZERO } from './scenario.ts';
import { kindsWith } from '../../support/builders.ts';
import type { IntentInput } from '../../../src/stages/7-intent/intentInput.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { LabelFormat } from '../../../src/value/labelFormat.ts';
import type { Motif } from '../../../src/model/motif.ts';
import type { IntentRule } from '../../../src/model/rulebook.ts';
import type { IntentKindSpec } from '../../../src/model/vocabulary.ts';

const A = account('a1'),
  B = account('a2'),
  POOL = account('9001');
const format: LabelFormat = {
  amount: (asset, amount) =>
    asset.address === B ? null : `${amount} ${asset.address === A ? 'AAA' : 'ETH'}`,
  asset: (asset) => (asset.address === A ? 'AAA' : asset.address === B ? 'BBB' : 'ETH'),
  name: () => null,
  account: (a) => `<${a.slice(-4)}>`,
  protocol: (slug) => slug.toUpperCase(),
  worth: () => 0,
};
const always = { all: [{ fact: 'tx.outcome', operator: 'eq', value: 'success' }] };

function rule(slug: string, intent: string, partial: Partial<IntentRule> = {}): IntentRule {
  return {
    slug,
    version: 3,
    status: 'stable',
    intent,
    label: slug,
    labelFallback: slug,
    when: always,
    priority: 0,
    supersedes: [],
    proof: 'structural',
    confidence: { known: 'High', family: 'Medium' },
    restsOn: [],
    requiresAny: [],
    tags: [],
    ...partial,
  };
}
const kinds = new Map<string, IntentKindSpec>(
  ['Best', 'Better', 'Good', 'ContractCall', 'Unknown', 'Reverted'].map((kind, rank) => [
    kind,
    { kind, category: 'trade', rank, headline: true, ledgerLabel: null, tags: [] },
  ]),
);
kinds.set('Refund', {
  kind: 'Refund',
  category: 'transfer',
  rank: 6,
  headline: false,
  ledgerLabel: null,
  tags: [],
});
const motifKinds = kindsWith([
  { kind: 'swap', fragment: 'Good' },
  { kind: 'stake', fragment: 'Better' },
  { kind: 'approval', fragment: 'Approval' },
  { kind: 'refund', fragment: 'Refund' },
]);

const trade = scenario({
  to: account('40'),
  steps: [
    { token: A, from: SIGNER, to: POOL, amount: 9n },
    { token: B, from: POOL, to: SIGNER, amount: 8n },
  ],
});
const swap = motif('swap', {
  venue: POOL,
  seq: 5,
  assetsOut: [{ asset: erc20Id(A), amount: 9n, role: 'in' }],
  assetsIn: [{ asset: erc20Id(B), amount: 8n, role: 'out' }],
  movements: [0, 1],
});

function input(
  rules: readonly IntentRule[],
  motifs: readonly Motif[] = [swap],
  elected = true,
  told = trade,
): IntentInput {
  return {
    ...told,
    motifs: numbered(motifs, motifKinds),
    rulebook: bareRulebook({ intents: rules, intentKinds: kinds, motifKinds }),
    subject: {
      account: SIGNER,
      entity: new Set([SIGNER]),
      signer: SIGNER,
      mode: 'self',
      payments: new Map(),
      submitterRole: 'self',
      authorizations: [],
      elected,
      claimed: false,
    },
  };
}
const winner = async (...rules: IntentRule[]) => (await matchIntents(input(rules), format)).rule?.slug;

describe('the winner', () => {
  it('follows the precedence of intents, then priority, then how much a rule asks, then the slug', async () => {
    expect(await winner(rule('good', 'Good', { priority: 99 }), rule('best', 'Best'))).toBe('best');
    expect(await winner(rule('a', 'Good'), rule('b', 'Good', { priority: 1 }))).toBe('b');
    expect(
      await winner(
        rule('a', 'Good'),
        rule('b', 'Good', {
          when: { all: [...always.all, { fact: 'tx.creates_contract', operator: 'is', value: false }] },
        }),
      ),
    ).toBe('b');
    expect(await winner(rule('b', 'Good'), rule('a', 'Good'))).toBe('a');
  });

  it('is never a rule that another match supersedes, whatever its rank', async () => {
    expect(await winner(rule('best', 'Best'), rule('special', 'Good', { supersedes: ['best'] }))).toBe(
      'special',
    );
    const never = { all: [{ fact: 'tx.outcome', operator: 'eq', value: 'reverted' }] };
    expect(
      await winner(rule('best', 'Best'), rule('special', 'Good', { supersedes: ['best'], when: never })),
    ).toBe('best');
    expect(
      await winner(
        rule('best', 'Best'),
        rule('special', 'Good', { supersedes: ['best'], requiresAny: ['stake'] }),
      ),
    ).toBe('best');
    expect(
      await winner(
        rule('best', 'Best', { supersedes: ['special'] }),
        rule('special', 'Good', { supersedes: ['best'] }),
      ),
    ).toBe('best');
  });

  it('names the losers, best first, and leaves out deprecated rules and those whose motifs are absent', async () => {
    const explained = await explainIntents(
      input([
        rule('c', 'Good'),
        rule('a', 'Best'),
        rule('b', 'Better'),
        rule('old', 'Best', { status: 'deprecated' }),
        rule('staker', 'Best', { requiresAny: ['stake'] }),
      ]),
      format,
    );
    expect(explained).toMatchObject({
      verdict: { kind: 'Best', rule: { slug: 'a', version: 3 } },
      outranked: [{ slug: 'b' }, { slug: 'c' }],
    });
  });
});

/** A motif known by the name of a function only. */
const doubted = (one: Motif): Motif => ({ ...one, status: 'Suspected', doubt: 'function_name_only' });

describe('proof', () => {
  const status = async (partial: Partial<IntentRule>, motifs: readonly Motif[] = [swap], elected = true) => {
    const { status: s, confidence } = await matchIntents(
      input([rule('r', 'Good', partial)], motifs, elected),
      format,
    );
    return `${s} ${confidence}`;
  };

  it('stands where the rule is structural and every motif it rests on is proven', async () => {
    expect(await status({ restsOn: ['swap'] })).toBe('Proven High');
    expect(await status({})).toBe('Proven High');
  });

  it('falls for heuristic and experimental rules, unproven or absent motifs, and where nobody was elected', async () => {
    expect(await status({ restsOn: ['swap'], proof: 'heuristic' })).toBe('Suspected Medium');
    expect(await status({ restsOn: ['swap'], status: 'experimental' })).toBe('Suspected Medium');
    expect(await status({ restsOn: ['swap'] }, [doubted(swap)])).toBe('Suspected Medium');
    expect(await status({ restsOn: ['stake'] })).toBe('Suspected Medium');
    expect(await status({ restsOn: ['swap'] }, [swap], false)).toBe('Suspected Medium');
  });

  it('falls where no motif took what the actor sent: something else may have been the purpose', async () => {
    const elsewhere = motif('stake', {
      venue: account('9009'),
      participants: [{ role: 'owner', account: SIGNER }],
      movements: [],
    });
    expect(await status({ restsOn: ['stake'] }, [elsewhere])).toBe('Suspected Medium');
  });

  it('falls where what the actor received came from elsewhere, though the venue pays: an unknown contract may stand behind it', async () => {
    const VAULT = account('9002'),
      SHARES = account('a3');
    const told = scenario({
      to: account('40'),
      steps: [
        { token: A, from: SIGNER, to: VAULT, amount: 9n },
        { token: B, from: POOL, to: SIGNER, amount: 8n },
      ],
    });
    const deposit = motif('stake', {
      venue: VAULT,
      participants: [{ role: 'owner', account: SIGNER }],
      movements: [0],
      assetsOut: [{ asset: erc20Id(A), amount: 9n, role: 'in' }],
      assetsIn: [{ asset: erc20Id(SHARES), amount: 7n, role: 'share_out' }],
    });
    const verdict = async (m: Motif) =>
      (await matchIntents(input([rule('r', 'Better', { restsOn: ['stake'] })], [m], true, told), format))
        .status;
    expect(await verdict(deposit)).toBe('Suspected');
    // A venue that owes nothing does not explain it either.
    expect(await verdict({ ...deposit, assetsIn: [] })).toBe('Suspected');
    expect(await verdict({ ...deposit, movements: [0, 1] })).toBe('Suspected');
    expect(await verdict({ ...deposit, venue: POOL })).toBe('Proven');
  });

  it('falls where what the actor sent was burnt by another contract than the venue', async () => {
    const steps = [
      { token: A, from: SIGNER, to: ZERO, amount: 9n },
      { token: B, from: POOL, to: SIGNER, amount: 8n },
    ];
    const burnt = motif('token_burn', {
      venue: A,
      basis: 'structure',
      protocol: null,
      participants: [{ role: 'owner', account: SIGNER }],
      movements: [0],
      assetsOut: [{ asset: erc20Id(A), amount: 9n, role: 'in' }],
    });
    const exit = motif('stake', {
      venue: POOL,
      seq: 2,
      participants: [{ role: 'owner', account: SIGNER }],
      movements: [1],
      assetsIn: [{ asset: erc20Id(B), amount: 8n, role: 'out' }],
    });
    const verdict = async (to: Address) =>
      (
        await matchIntents(
          input([rule('r', 'Better', { restsOn: ['stake'] })], [burnt, exit], true, scenario({ to, steps })),
          format,
        )
      ).status;
    expect(await verdict(account('40'))).toBe('Suspected');
    expect(await verdict(POOL)).toBe('Proven');
  });

  it('falls with its motif, which is no proven fragment either', async () => {
    const {
      status: fallen,
      caveats,
      fragments,
    } = await matchIntents(
      input([rule('r', 'Best')], [doubted(motif('stake', { participants: swap.participants }))]),
      format,
    );
    expect(fallen).toBe('Proven');
    expect(caveats).toEqual([]);
    expect(fragments.find((f) => f.kind === 'Better')).toMatchObject({ status: 'Suspected' });
    const rested = await matchIntents(
      input([rule('r', 'Best', { restsOn: ['swap'] })], [doubted(swap)]),
      format,
    );
    expect(rested.caveats).toContain('function_name_only');
  });

  it('is no surer than the weakest motif, and a family is known less well than a protocol; low confidence proves nothing', async () => {
    const family = { slug: 'amm', version: 1, matchedBy: 'family' } as const;
    expect(await status({ restsOn: ['swap'] }, [{ ...swap, protocol: family }])).toBe('Proven Medium');
    expect(await status({ restsOn: ['swap'] }, [{ ...swap, confidence: 'Medium' }])).toBe('Proven Medium');
    expect(await status({ restsOn: ['swap'] }, [{ ...swap, confidence: 'Low' }])).toBe('Suspected Low');
  });
});

describe('the label', () => {
  const label = async (text: string, fallback = 'plain') =>
    (
      await matchIntents(
        input([rule('r', 'Good', { label: text, labelFallback: fallback, restsOn: ['swap'] })]),
        format,
      )
    ).label;

  it('fills its placeholders', async () => {
    expect(await label('{sent} on {protocol} by {actor} at {venue} with {counterparty}, {count}')).toBe(
      '9 AAA on SOME-PROTOCOL by <0051> at <9001> with <9001>, 1',
    );
  });

  it('names known protocols, and a place by its address where only its behaviour is known', async () => {
    const family: Motif = { ...swap, protocol: { slug: 'amm-a', version: 1, matchedBy: 'family' } };
    const labelOf = async (text: string, ...motifs: Motif[]) =>
      (
        await matchIntents(
          input([rule('r', 'Good', { label: text, labelFallback: 'plain', restsOn: ['swap'] })], motifs),
          format,
        )
      ).label;
    expect(await labelOf('on {protocol}', family)).toBe('plain');
    expect(await labelOf('on {place}', family)).toBe('on <9001>');
    expect(await labelOf('on {protocol}', family, { ...swap, seq: 6 })).toBe('on SOME-PROTOCOL');
  });

  it('drops one segment at a time, then falls back', async () => {
    expect(await label('Swap {sent}[ for {received}][ on {protocol}]')).toBe(
      'Swap 9 AAA for an amount of BBB on SOME-PROTOCOL',
    );
    expect(await label('Swap {sent}[ as {nft}][ on {protocol}]')).toBe('Swap 9 AAA on SOME-PROTOCOL');
    expect(await label('Mint {nft}[ on {protocol}]', 'Mint at {contract}')).toMatch(/^Mint at <....>$/);
    expect(await label('[Mint {nft}][ on {protocol}]')).toBe('plain');
  });

  it('names accounts by role and amounts by leg, and tells what had no value', async () => {
    const owned: Motif = { ...swap, participants: [{ role: 'owner', account: POOL }] };
    const label = 'From {role.owner}[ to {role.recipient}][: {leg.in}]';
    const verdict = await matchIntents(
      input([rule('r', 'Good', { label, restsOn: ['swap'] })], [owned]),
      format,
    );
    expect([verdict.label, verdict.unfilled]).toEqual(['From <9001>: 9 AAA', ['role.recipient']]);
  });
});

describe('fragments', () => {
  it("are the actor's outermost motifs in execution order, fees and refunds from within, and the headline", async () => {
    const motifs = [
      motif('approval', { seq: 1 }),
      motif('stake', { seq: 9, venue: POOL, movements: [1] }),
      swap,
      motif('swap', { seq: 6, parent: 1 }),
      motif('refund', { seq: 7, parent: 1 }),
      motif('transfer', { seq: 8 }),
      motif('stake', { seq: 2, participants: [{ role: 'owner', account: account('0dd') }] }),
    ];
    const verdict = await matchIntents(input([rule('r', 'Best', { restsOn: ['swap'] })], motifs), format);
    expect(verdict.fragments.map((f) => [f.kind, f.seq])).toEqual([
      ['Approval', 1],
      ['Good', 5],
      ['Best', 5],
      ['Refund', 7],
      ['Better', 9],
    ]);
  });
});

describe('without a rule', () => {
  it('answers a marked heuristic', async () => {
    expect(await matchIntents(input([]), format)).toMatchObject({
      kind: 'Unknown',
      rule: null,
      status: 'Suspected',
      confidence: 'Low',
    });
    expect(await matchIntents(input([], [], true, scenario({})), format)).toMatchObject({
      kind: 'ContractCall',
      rule: null,
      status: 'Suspected',
    });
    expect(await matchIntents(input([], [], true, scenario({ succeeded: false })), format)).toMatchObject({
      kind: 'Reverted',
      rule: null,
    });
  });
});

describe('explanations', () => {
  const rules = [
    rule('fits', 'Good'),
    rule('fails', 'Best', {
      when: {
        all: [
          { fact: 'swaps.pools', operator: 'gte', value: 2 },
          { any: [{ fact: 'actor.sides', operator: 'eq', value: 'both' }] },
        ],
      },
    }),
    rule('absent', 'Best', { requiresAny: ['stake'] }),
  ];

  it('keep every rule with the values it met, and say the same as the short way', async () => {
    const explained = await explainIntents(input(rules), format);
    expect(explained.verdict).toEqual(await matchIntents(input(rules), format));
    expect(explained.skipped).toEqual(['absent']);
    expect(explained.facts.get('swaps.pools')).toBe(1);
    expect(explained.outcomes.find((o) => o.rule.slug === 'fails')).toMatchObject({
      matched: false,
      conditions: { all: [{ fact: 'swaps.pools', expected: 2, actual: 1, result: false }, { result: true }] },
    });
  });
});
