import { describe, expect, it } from 'vitest';
import { erc20Id, NATIVE_ASSET, nftId } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { computeEconomics } from '../../../src/stages/8-economics/computeEconomics.ts';
import { buildReport, type ReportInput } from '../../../src/stages/9-report/buildReport.ts';
import { createReportValidator } from '../../../src/stages/9-report/reportValidator.ts';
import {
  account,
  attribution,
  blockHeader,
  canonicalTx,
  classified,
  ETHER,
  frame,
  log,
  motif,
  quote,
  rawContext,
  rulebook,
  SIGNER,
  token,
  valueFlow,
  verdict,
} from '../../support/builders.ts';
import type { RulebookSketch } from '../../support/builders.ts';
import { misorderedKeys } from '../../support/keyOrder.ts';

const POOL = account('d0');
const DOLLAR = account('0d');
const dollarId = erc20Id(DOLLAR);
const VOCABULARY: RulebookSketch = {
  motifKinds: [
    { kind: 'swap', fragment: 'DirectSwap' },
    { kind: 'supply', fragment: 'Supply', position: { category: 'lending_supply', effect: 'increase' } },
    {
      kind: 'add_liquidity',
      fragment: 'AddLiquidity',
      position: { category: 'liquidity', effect: 'increase' },
    },
    {
      kind: 'liquidation',
      fragment: 'Liquidation',
      position: { category: 'lending_debt', effect: 'liquidate' },
    },
    { kind: 'borrow', fragment: 'Borrow', position: { category: 'lending_debt', effect: 'increase' } },
  ],
  intentKinds: [
    { kind: 'DirectSwap', category: 'trade' },
    { kind: 'Supply', category: 'lending' },
    { kind: 'AddLiquidity', category: 'liquidity' },
  ],
};
const validate = createReportValidator();

type Parts = Omit<Partial<ReportInput>, 'economics' | 'rulebook'> & { rulebook?: RulebookSketch };

/** A swap of 1 ETH for 2,500 dollars through one pool, unless told otherwise. */
function inputOf(parts: Parts = {}): ReportInput {
  const { rulebook: sketch, ...rest } = parts;
  const base = {
    tx: canonicalTx({
      to: POOL,
      value: ETHER,
      logs: [log({ logIndex: 41, address: DOLLAR })],
      frames: [
        frame({ to: POOL, end: 2 }),
        frame({ index: 1, parent: 0, end: 2, path: [0], from: POOL, to: DOLLAR }),
      ],
    }),
    header: blockHeader(),
    flow: valueFlow([
      { from: SIGNER, to: POOL, amount: ETHER },
      { from: POOL, to: SIGNER, asset: dollarId, amount: 2_500_000_000n },
    ]),
    context: rawContext({
      tokens: [token(DOLLAR, { symbol: 'USDC', name: 'USD Coin', decimals: 6 })],
      prices: [quote('native', '2500'), quote(DOLLAR, '1')],
    }),
    motifs: [
      motif({
        venue: POOL,
        protocol: { slug: 'some-amm', version: 2, matchedBy: 'create2' },
        scopeFrame: 1,
        movements: [0, 1],
        participants: [{ role: 'recipient', account: SIGNER }],
        assetsOut: [{ asset: NATIVE_ASSET, amount: ETHER, role: 'in' }],
        assetsIn: [{ asset: dollarId, amount: 2_500_000_000n, role: 'out' }],
        evidence: [{ kind: 'log', frame: 1, log: 0, contract: POOL }],
      }),
    ],
    verdict: verdict({
      kind: 'DirectSwap',
      label: 'Swap 1 ETH for 2500 USDC',
      category: 'trade',
      rule: { slug: 'direct-swap', version: 3 },
      motifs: [0],
      fragments: [{ kind: 'DirectSwap', status: 'Proven', confidence: 'High', motifs: [0], seq: 0 }],
    }),
    attribution: attribution({
      candidates: [
        {
          account: SIGNER,
          elected: true,
          reasons: ['signer_with_flow'],
          rejectedBecause: null,
          evidence: [],
        },
      ],
    }),
    counts: { scopes: 2, primitives: 1 },
    engineVersion: '0.1.0',
    ...rest,
  };
  const rules = rulebook({ ...VOCABULARY, ...sketch });
  const input = { ...base, rulebook: rules, motifs: classified(base.motifs, rules) };
  return { ...input, economics: computeEconomics(input) };
}

function reportOf(parts: Parts = {}) {
  const report = buildReport(inputOf(parts));
  validate(report);
  expect(misorderedKeys(report)).toEqual([]);
  return report;
}

describe('buildReport', () => {
  it('calls payer and recipient only who paid and received in that act', () => {
    const { motifs } = reportOf({
      motifs: [
        motif({
          movements: [0],
          participants: [
            { role: 'payer', account: SIGNER },
            { role: 'payer', account: DOLLAR },
            { role: 'recipient', account: POOL },
            { role: 'recipient', account: DOLLAR },
          ],
        }),
      ],
    });
    expect(motifs[0]!.participants.map(({ role }) => role)).toEqual([
      'payer',
      'source',
      'recipient',
      'beneficiary',
    ]);
  });

  it('writes a swap with exact values throughout', () => {
    const report = reportOf();
    expect(report.tx).toEqual({
      hash: `0x${'5c'.repeat(32)}`,
      block_number: 20_000_000,
      signer: report.attribution.signer,
      to: report.motifs[0]!.protocol!.contract,
      etherscan_url: `https://etherscan.io/tx/0x${'5c'.repeat(32)}`,
      timestamp: '2023-11-14T22:13:20Z',
      nonce: 7,
      type: 2,
      value_raw: '1000000000000000000',
      index: null,
      method: null,
      blobs: null,
    });
    expect(report.execution).toEqual({
      outcome: 'Success',
      reverted: false,
      gas_used: 100_000,
      base_fee_per_gas: 20_000_000_000,
      priority_fee_per_gas: 10_000_000_000,
      gas_cost_native: '0.003',
      gas_cost_usd: { text: '$7.50', available: true },
      failure: null,
      attempts: [],
    });
    expect(report.economics).toMatchObject({
      fee_usd: { text: '$7.50' },
      inflow_usd: { text: '$2500.00' },
      net_usd_before_gas: { text: '$0.00' },
      net_usd_after_gas: { text: '$-7.50' },
      token_in: '2500 USDC',
      token_out: '1 ETH',
      structural_profit_usd: { text: '$0.00', available: true },
      realized_pnl: {
        supported: false,
        basis: null,
        reason: 'requires_multi_transaction_state',
        entries: [],
      },
      warnings: [],
    });
    expect(
      report.inventory_deltas.map((d) => [
        d.subject_role,
        d.asset.id,
        d.delta_raw,
        d.delta,
        d.usd.text,
        d.movements,
      ]),
    ).toEqual([
      ['actor', dollarId, '2500000000', '2500', '$2500.00', [1]],
      ['actor', NATIVE_ASSET, '-1000000000000000000', '-1', '$-2500.00', [0]],
      ['pool', dollarId, '-2500000000', '-2500', '$-2500.00', [1]],
      ['pool', NATIVE_ASSET, '1000000000000000000', '1', '$2500.00', [0]],
    ]);
    expect(report.motifs[0]).toMatchObject({
      id: 'm-0',
      kind: 'swap',
      protocol: { slug: 'some-amm', version: 2, matched_by: 'create2' },
      scope: { frame_path: [0], log_range: [41, 41] },
      parent_id: null,
      assets_in: [{ amount_raw: '2500000000', amount: '2500', role: 'out' }],
      assets_out: [{ amount: '1', role: 'in' }],
      movements: [0, 1],
      evidence: [{ kind: 'log', frame_path: [0], log_index: 41 }],
    });
    expect(report.classification).toMatchObject({
      intent_kind: 'DirectSwap',
      actor_matches_signer: true,
      matched_rule: 'direct-swap',
      rule_version: 3,
      structural_proof: true,
      fragments: [{ kind: 'DirectSwap', status: 'Proven', confidence: 'High' }],
      category: 'trade',
    });
    expect(report.pipeline_stats).toEqual({
      economic_movements: 2,
      non_economic_movements: 0,
      frames: 2,
      logs: 1,
      tvfg_nodes: 2,
      tvfg_edges: 2,
      scopes: 2,
      primitives: 1,
    });
    expect(report.engine).toMatchObject({ version: '0.1.0', trace_dialect: 'call_tracer' });
    expect(report.position_effects).toEqual([]);
  });

  it('gives the same bytes for the same input, keys in the order of the interface', () => {
    const report = reportOf();
    expect(JSON.stringify(report)).toBe(JSON.stringify(reportOf()));
    expect(Object.keys(report)).toEqual([
      'schema_version',
      'chain',
      'tx',
      'execution',
      'classification',
      'economics',
      'inventory_deltas',
      'position_effects',
      'motifs',
      'attribution',
      'pipeline_stats',
      'movements',
      'allowances',
      'accounts',
      'engine',
    ]);
  });

  it('names nobody as actor where nobody was elected, and summarises the signer', () => {
    const report = reportOf({
      attribution: attribution({
        actor: null,
        beneficiary: null,
        mode: 'solver_settlement',
        submitterRole: 'solver',
        ambiguous: true,
      }),
    });
    expect(report.classification.actor).toBeNull();
    expect(report.classification.actor_matches_signer).toBe(false);
    expect(report.economics.subject).toBe(report.tx.signer);
    expect(report.economics.warnings).toEqual([]);
    expect(report.inventory_deltas[0]!.subject_role).toBe('signer');
  });

  it('writes a supply as a position of its owner, with the receipt token apart from the principal', () => {
    const MARKET = account('a0');
    const receiptId = erc20Id(account('a9'));
    const owner = account('07');
    const [effect] = reportOf({
      flow: valueFlow([
        { from: SIGNER, to: MARKET, asset: dollarId, amount: 5_000_000n },
        { from: ZERO_ADDRESS, to: owner, asset: receiptId, amount: 4_900_000n },
      ]),
      motifs: [
        motif({
          kind: 'supply',
          venue: MARKET,
          participants: [
            { role: 'caller', account: SIGNER },
            { role: 'owner', account: owner },
          ],
          assetsOut: [{ asset: dollarId, amount: 5_000_000n, role: 'in' }],
          assetsIn: [{ asset: receiptId, amount: 4_900_000n, role: 'share_out' }],
        }),
      ],
    }).position_effects;
    expect(effect).toMatchObject({
      owner: '0x0707070707070707070707070707070707070707',
      category: 'lending_supply',
      effect: 'increase',
      protocol: null,
      position_asset: { id: receiptId },
      position_delta_raw: '4900000',
      liquidation: null,
      motif_ids: ['m-0'],
      underlying: [{ delta_raw: '-5000000', delta: '-5', role: 'principal', usd: { text: '$-5.00' } }],
    });
  });

  it('opens a position whose token is one of a kind', () => {
    const NFT = account('4f');
    const id = nftId('erc721', NFT, 77n);
    const report = reportOf({
      flow: valueFlow([
        { from: SIGNER, to: POOL, asset: dollarId, amount: 10n },
        { from: ZERO_ADDRESS, to: SIGNER, asset: id, amount: 1n },
      ]),
      motifs: [
        motif({
          kind: 'add_liquidity',
          venue: POOL,
          poolId: `0x${'12'.repeat(32)}`,
          assetsOut: [{ asset: dollarId, amount: 10n, role: 'in' }],
          assetsIn: [{ asset: id, amount: 1n, role: 'share_out' }],
        }),
      ],
    });
    expect(report.position_effects[0]).toMatchObject({
      effect: 'open',
      market: `0x${'12'.repeat(32)}`,
      position_delta_raw: '1',
    });
    expect(report.inventory_deltas.map((d) => [d.subject_role, d.flags])).toContainEqual(['zero', ['mint']]);
    expect(report.inventory_deltas.find((d) => d.asset.id === id)!.asset).toMatchObject({
      kind: 'erc721',
      token_id: '77',
      decimals: 0,
    });
  });

  it('writes a liquidation from the borrower, who loses collateral and debt', () => {
    const BORROWER = account('b0');
    const effects = reportOf({
      motifs: [
        motif({
          kind: 'liquidation',
          venue: POOL,
          participants: [
            { role: 'owner', account: SIGNER },
            { role: 'liquidator', account: SIGNER },
            { role: 'borrower', account: BORROWER },
          ],
          assetsOut: [{ asset: dollarId, amount: 2_500_000_000n, role: 'debt' }],
          assetsIn: [{ asset: NATIVE_ASSET, amount: ETHER, role: 'collateral' }],
        }),
      ],
    }).position_effects;
    const [effect] = effects;
    expect(effects.map((e) => [e.category, e.effect, e.owner])).toEqual(
      ['lending_debt', 'lending_supply'].map((category) => [
        category,
        'liquidate',
        expect.stringMatching(/^0xb0/i),
      ]),
    );
    expect(effect!.liquidation).toMatchObject({
      debt_asset: { id: dollarId },
      debt_covered_raw: '2500000000',
      collateral_asset: { id: NATIVE_ASSET },
      collateral_seized_raw: ETHER.toString(),
    });
    expect([
      effect!.owner,
      effect!.liquidation!.borrower,
      effect!.liquidation!.liquidator!.toLowerCase(),
    ]).toEqual([effect!.liquidation!.borrower, expect.stringMatching(/^0xb0/i), SIGNER]);
    expect(effects.flatMap((e) => e.underlying.map((u) => [u.role, u.delta_raw]))).toEqual([
      ['debt', '-2500000000'],
      ['collateral', (-ETHER).toString()],
    ]);
    expect(effects[1]!.liquidation).toEqual(effect!.liquidation);
  });

  it('leaves the borrower open where a liquidation names none', () => {
    const [effect] = reportOf({
      motifs: [
        motif({ kind: 'liquidation', venue: POOL, participants: [{ role: 'liquidator', account: SIGNER }] }),
      ],
    }).position_effects;
    expect(effect).toMatchObject({
      underlying: [],
      liquidation: {
        borrower: null,
        debt_asset: null,
        debt_covered_raw: null,
        collateral_asset: null,
        collateral_seized_raw: null,
      },
    });
    expect(effect!.owner.toLowerCase()).toBe(POOL);
  });

  it('shows a reverted transaction as nothing but its fee', () => {
    const report = reportOf({
      tx: canonicalTx({
        succeeded: false,
        logs: [],
        frames: [frame({ error: 'out of gas', effective: false })],
      }),
      flow: valueFlow([]),
      motifs: [],
      verdict: verdict({ kind: 'Reverted', category: 'failed', rule: null }),
    });
    expect(report.execution).toMatchObject({
      reverted: true,
      outcome: 'Reverted: out of gas',
      gas_cost_usd: { text: '$7.50' },
    });
    expect(report.economics).toMatchObject({
      inflow_usd: { text: '$0.00' },
      net_usd_after_gas: { text: '$-7.50' },
      token_in: '',
      token_out: '',
      valuation: { total_assets: 0, priced_assets: 0, unpriced_assets: [] },
    });
    expect(report.classification).toMatchObject({
      matched_rule: null,
      rule_version: null,
      fragments: [{ kind: 'Reverted' }],
    });
    expect([report.inventory_deltas, report.movements, report.motifs, report.position_effects]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  it('bears gas prices beyond what a double holds exactly', () => {
    const report = reportOf({
      tx: canonicalTx({ effectiveGasPrice: 508_033_368_242_360_159_123n, gasUsed: 21_000n }),
      header: blockHeader({ baseFeePerGas: 0n }),
    });
    expect(report.execution.gas_cost_native).toBe('10668700.733089563341583');
    expect(JSON.parse(JSON.stringify(report)).execution.priority_fee_per_gas).toBe(
      508_033_368_242_360_159_123,
    );
  });

  it('checksums addresses wherever they stand, but not inside lane ids', () => {
    const checksummed = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB';
    const quoted = [
      quote('native', '2500'),
      quote(DOLLAR, '9', { pool: POOL, method: 'own_trade', source: account('ab') }),
    ];
    const report = reportOf({
      context: rawContext({
        tokens: [token(DOLLAR)],
        prices: [quote('native', '2500', { source: account('ab') }), ...quoted.slice(1)],
      }),
      motifs: [
        motif({
          kind: 'supply',
          venue: POOL,
          poolId: account('ab'),
          participants: [{ role: 'owner', account: SIGNER }],
        }),
      ],
    });
    expect(report.position_effects[0]!.market).toBe(checksummed);
    expect(report.economics.valuation.prices![0]!.source).toBe(checksummed);
    expect(report.economics.valuation.refusals).toMatchObject([
      { asset_id: dollarId, code: 'self_referential', observed: report.tx.to },
    ]);
    expect(report.economics.inflow_usd.reason).toContain(dollarId);
  });

  it('gives a gas amount beyond 2^53 as the nearest double', () => {
    expect(reportOf({ tx: canonicalTx({ gasUsed: 2n ** 64n - 1n }) }).execution.gas_used).toBe(
      18446744073709552000,
    );
  });

  it('cleans hostile labels and symbols', () => {
    const report = reportOf({
      context: rawContext({
        tokens: [
          token(DOLLAR, { symbol: 'US\u202eDC, 1000000 ETH\ud800', name: 'x'.repeat(5000), decimals: 6 }),
        ],
      }),
      verdict: verdict({ label: '\u200b\u202e' }),
    });
    expect(report.economics.token_in).toBe('2500 USDC_1000000_ETH');
    expect(report.inventory_deltas[0]!.asset.symbol).toBe('USDC, 1000000 ETH');
    expect(report.inventory_deltas[0]!.asset.name).toHaveLength(65);
    expect(report.classification.intent_label).toBe('ContractCall');
  });
});
