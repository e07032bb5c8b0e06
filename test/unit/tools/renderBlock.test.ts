import { describe, expect, it } from 'vitest';
import type { Amount, Finding } from '../../../src/model/generated/finding.ts';
import type { TxReport } from '../../../src/model/generated/report.ts';
import { renderBlock } from '../../../src/tools/cli/blocks/renderBlock.ts';

const [FRONT, VICTIM] = [`0x4d29${'0'.repeat(56)}3962`, `0x802e${'0'.repeat(56)}a83c`] as const;
const BOT = `0x6b75${'0'.repeat(32)}9A80`;
const TRADER = `0x57cE${'0'.repeat(32)}68B9`;
const POOL = `0xB219${'0'.repeat(32)}5C00`;
const TOKEN = `0x5888${'0'.repeat(32)}bE38`;
const WETH = `0xC02a${'0'.repeat(32)}6Cc2`;
const id = (token: string): string => `eip155:1/erc20:${token}`;
const erc20 = (address: string, symbol: string | null, decimals: number | null) => ({
  id: id(address),
  kind: 'erc20',
  address,
  token_id: null,
  symbol,
  name: null,
  decimals,
});

const report = (hash: string, actor: string, net: string): TxReport =>
  ({
    tx: { hash, signer: actor },
    classification: { actor, intent_label: 'Swap 1 WETH' },
    economics: { net_usd_after_gas: { text: net, available: true } },
    attribution: { orders: [], entry_point: null, paymaster: null, settlement_contract: null },
    accounts: { [POOL]: { name: 'Uniswap V2', kind: 'pool', source: 'rules' } },
    inventory_deltas: [TOKEN, WETH].map((address) => ({
      asset: address === WETH ? erc20(WETH, 'WETH', 18) : erc20(TOKEN, null, null),
      subject: actor,
      subject_role: 'actor',
    })),
    motifs: [],
    position_effects: [],
  }) as unknown as TxReport;

const amount = (more: Partial<Amount>): Amount => ({
  role: 'profit',
  account: null,
  tx_hash: null,
  venue: null,
  symbol: null,
  amount: null,
  usd: { text: '—', available: false },
  usd_exact: null,
  reason: null,
  asset_id: null,
  amount_raw: null,
  ...more,
});

const finding = {
  id: '7-0',
  finding: 'jit_liquidity',
  status: 'Proven',
  confidence: 'High',
  caveats: [],
  entity: [BOT],
  venues: [
    { venue: POOL, pool_id: null, protocol: 'uniswap-v2' },
    { venue: TOKEN, pool_id: null, protocol: null },
  ],
  transactions: [
    { step: 'front', tx_hash: FRONT },
    { step: 'victim', tx_hash: VICTIM },
  ],
  amounts: [
    amount({ asset_id: id(TOKEN), amount_raw: '-41532383780099063808' }),
    amount({
      role: 'pool_result',
      asset_id: id(WETH),
      amount_raw: '-1234500000000000000',
      usd: { text: '$-2222.1', available: true },
    }),
    amount({ role: 'loss', account: TRADER, reason: 'no reserves' }),
  ],
} as unknown as Finding;

describe('a block as text', () => {
  it('writes money, amounts, names and addresses as reports are written', () => {
    const text = renderBlock({
      number: 7,
      reports: [report(FRONT, BOT, '$-38.57'), report(VICTIM, TRADER, '$1234.5')],
      indexes: [0, 1],
      failures: [],
      findings: [finding],
    });
    expect(text).toBe(`Block 7: 2 transactions

#  transaction  actor        net after gas  what
0  0x4d29…3962  0x6b75…9A80  −$38.57        [JIT liquidity: first trade] Swap 1 WETH
1  0x802e…a83c  0x57cE…68B9  $1,234.5       [JIT liquidity: victim] Swap 1 WETH

Findings
  JIT liquidity 7-0, Proven, High, by 0x6b75…9A80
    at Uniswap V2 (0xB219…5C00), 0x5888…bE38
    first trade: 0x4d29…3962
    victim: 0x802e…a83c
    profit: −4.15324 × 10¹⁹ units of 0x5888…bE38
    pool result: −1.2345 WETH (−$2,222.1)
    loss of 0x57cE…68B9: not computed, no reserves
`);
  });
});
