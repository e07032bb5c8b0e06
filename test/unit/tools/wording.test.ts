import { describe, expect, it } from 'vitest';
import type {
  Allowance,
  Asset,
  InventoryDelta,
  PositionEffect,
  TxReport,
} from '../../../src/model/generated/report.ts';
import { protocolName } from '../../../src/tools/wording/accounts.ts';
import { moneyText, netRows, rowQuantity } from '../../../src/tools/wording/amounts.ts';
import { positionSentence, positionTitle } from '../../../src/tools/wording/positions.ts';
import { allowanceSentence, figures, inWords, warningTexts } from '../../../src/tools/wording/sentences.ts';

const OWNER = '0x1111111111111111111111111111111111111111';
const SPENDER = '0x2222222222222222222222222222222222222222';
const usd = (text: string) => ({ text, available: true });
const voice = { account: (address: string) => (address === OWNER ? 'Ann' : 'Bob') };
const asset = (more: Partial<Asset> = {}): Asset => ({
  id: `eip155:1/erc20:${SPENDER}`,
  kind: 'erc20',
  address: SPENDER,
  token_id: null,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  ...more,
});
const allowance = (more: Partial<Allowance>): Allowance => ({
  asset: { ...asset(), address: SPENDER } as Allowance['asset'],
  owner: OWNER,
  spender: SPENDER,
  kind: 'granted',
  amount_raw: '1500000',
  amount: '1.5',
  unlimited: false,
  expires_at: null,
  evidence: [],
  ...more,
});
const position = (more: Partial<PositionEffect>): PositionEffect => ({
  owner: OWNER,
  category: 'lending_debt',
  effect: 'open',
  protocol: { slug: 'aave-v3', version: 1, contract: SPENDER },
  market: 'm',
  position_asset: null,
  position_delta_raw: null,
  underlying: [{ asset: asset(), delta_raw: '-2000000', delta: '-2', role: 'debt', usd: usd('$2.00') }],
  liquidation: null,
  status: 'Proven',
  confidence: 'High',
  motif_ids: [],
  evidence: [],
  ...more,
});

describe('the words of a report', () => {
  it.each<[Partial<Allowance>, string]>([
    [{}, 'Ann lets Bob spend 1.5 USDC'],
    [{ unlimited: true }, 'Ann lets Bob spend unlimited USDC'],
    [{ kind: 'revoked' }, 'Ann no longer lets Bob spend USDC'],
    [
      { status: 'Suspected', flags: ['unasked'] },
      'Ann lets Bob spend 1.5 USDC (suspected: the owner did not ask for it)',
    ],
    [{ expires_at: '2024-05-01T12:00:00Z' }, 'Ann lets Bob spend 1.5 USDC until 2024-05-01 12:00:00 UTC'],
  ])('an allowance %j', (more, text) =>
    expect(inWords(allowanceSentence(allowance(more)), voice)).toBe(text),
  );

  it.each<[Partial<PositionEffect>, string]>([
    [{}, 'Ann borrows from Aave V3: 2 USDC, a new position'],
    [{ effect: 'close' }, 'Ann repays Aave V3: 2 USDC, which closes the position'],
    [
      { category: 'vault', effect: 'increase', protocol: null },
      'Ann deposits into an unlisted contract: 2 USDC',
    ],
    // Shares alone were seized, earned or passed on: nobody supplied or collected the assets behind them.
    [
      { effect: 'increase', position_asset: asset(), position_delta_raw: '3000000', underlying: [] },
      'Ann gets shares of Aave V3: 3 USDC',
    ],
    [
      { effect: 'transfer', position_asset: asset(), position_delta_raw: '-3000000', underlying: [] },
      'Ann gives shares of Aave V3: 3 USDC',
    ],
  ])('a position %j', (more, text) =>
    expect(inWords(positionSentence(position(more), {}), voice)).toBe(text),
  );

  it('names a protocol as the report names its contract', () => {
    const accounts = {
      [position({}).protocol!.contract]: { name: 'Aave v3', kind: 'protocol', source: 'rules' },
    } as const;
    expect(positionTitle(position({}), { accounts })).toBe('Borrows from Aave v3');
  });

  it('writes tiny dollars as a power of ten, as tiny amounts', () => {
    const text = (amount: string): string => moneyText({ text: amount, available: true } as never);
    expect(text('$0.0000000000000018')).toBe('$1.8 × 10⁻¹⁵');
    expect(text('$-0.0000000000000018')).toBe('−$1.8 × 10⁻¹⁵');
    expect([text('$0.0042'), text('$-1234.50'), text('$0.00')]).toEqual(['$0.0042', '−$1,234.50', '$0.00']);
  });

  it('joins NFTs of one collection that went the same way', () => {
    const nft = (id: string, raw: string) =>
      ({
        asset: asset({ id: `eip155:1/erc721:${SPENDER}/${id}`, kind: 'erc721', token_id: id, name: 'Cats' }),
        delta_raw: raw,
        subject: OWNER,
      }) as InventoryDelta;
    const rows = netRows([nft('8217', '1'), nft('9', '-1'), nft('8092', '1')]);
    expect(rows.map((row) => rowQuantity(row).short)).toEqual(['2 × Cats, #8092 … #8217', 'USDC #9']);
  });

  it('writes a signed dollar in one way', () => {
    expect([usd('$-1234.5'), usd('$0.0042'), { text: '—', available: false }].map(moneyText)).toEqual([
      '−$1,234.5',
      '$0.0042',
      '—',
    ]);
  });

  it('says of prices that lack whether the totals need them', () => {
    const report = (available: boolean): TxReport => {
      const net = available
        ? usd('$1.00')
        : { text: '—', available, reason: 'unpriced_asset: x (no_source)' };
      return {
        economics: {
          warnings: ['PartialValuation'],
          net_usd_before_gas: net,
          net_usd_after_gas: net,
          net_usd_with_positions: usd('$5.00'),
          structural_profit_usd: usd('$0.00'),
          realized_pnl: { supported: false },
        },
      } as unknown as TxReport;
    };
    expect(warningTexts(report(true))).toEqual([
      'Some other assets have no price; these totals do not need one.',
    ]);
    expect(warningTexts(report(false))[0]).toContain('are missing');
    expect(figures(report(true)).map(([name]) => name)).toEqual([
      'Net before gas',
      'Net after gas',
      'Net with positions',
    ]);
    expect(figures(report(false)).map(([name]) => name)).toEqual(['Net', 'Net with positions']);
  });
});

describe('the name of a protocol', () => {
  const protocol = { slug: 'some-vaults', version: 1, contract: SPENDER, matched_by: 'family' as const };
  const namedBy = (source: 'rules' | 'address_book' | 'contract'): string =>
    protocolName({ accounts: { [SPENDER]: { name: 'Aave V3', kind: 'token', source } } }, protocol);

  it('is that which rules and address book give its contract', () => {
    expect([namedBy('rules'), namedBy('address_book')]).toEqual(['Aave V3', 'Aave V3']);
  });
  it('and never what the contract calls itself', () => {
    expect(namedBy('contract')).toBe('contract 0x2222…2222');
  });
  it('is its slug where only the rules know it, and no family’s slug', () => {
    expect(protocolName({}, { ...protocol, matched_by: 'address' })).toBe('Some Vaults');
    expect(protocolName({}, protocol)).toBe('contract 0x2222…2222');
  });
  it('is none where no rule lists one', () => {
    expect(protocolName({}, null)).toBe('an unlisted contract');
  });
});
