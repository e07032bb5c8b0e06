import { describe, expect, it } from 'vitest';
import { event, move, reportOf, type MadeUpReport } from '../../support/madeUp.ts';

const ENTRY_POINT = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
const AGGREGATOR = '0x111111125421cA6dc452d289314280a0f8842A65';
const SETTLEMENT = '0x9008D19f58AAbD9eD0D60971565AA8510560ab41';
const EXCHANGE_PROXY = '0xDef1C0ded9bec7F1a1670819833240f027b25EfF';
const AAVE = '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2';
const CDAI = '0x5d3a536E4D6DbD6114cc1Ead35777bAB948E3643';
const HASH = `0x${'1'.repeat(64)}`;
const EXECUTION =
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)';

const tokens = { USDX: { decimals: 6 } };
/** The token's own call, as an account makes it. */
const call = (
  by: string,
  to: string,
  amount: string,
): { call: string; on: string; by: string; args: string[] } => ({
  call: 'transfer(address to, uint256 value)',
  on: 'USDX',
  by,
  args: [to, amount],
});
const swapAt = (payer: string): ReturnType<typeof move | typeof event>[] => [
  move('100e6', 'USDX', payer, 'pool'),
  move('7e18', 'BBB', 'pool', payer),
  event(
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    'pool',
    [payer, '100e6', 0, 0, '7e18', payer],
  ),
];
const kinds = ({ report }: MadeUpReport): string[] => report.classification.fragments.map(({ kind }) => kind);

describe('a summary', () => {
  it('of a single swap is that swap, and no trade beside it', async () => {
    const router = '0x881D40237659C251811CEC9c364ef91dC08D300C';
    const made = await reportOf({
      to: router,
      call: 'swap(string aggregatorId, address tokenFrom, uint256 amount, bytes data)',
      args: ['one', 'USDX', '100e6', '0x'],
      tokens,
      steps: [
        move('100e6', 'USDX', 'actor', router),
        ...swapAt(router),
        move('7e18', 'BBB', router, 'actor'),
        event('Swap(string indexed aggregatorId, address indexed sender)', router, ['one', 'actor']),
      ],
    });
    expect(kinds(made)).toEqual(['DirectSwap']);
  });
});

describe('a token paymaster', () => {
  const operation = (steps: Parameters<typeof reportOf>[0]['steps']): ReturnType<typeof reportOf> =>
    reportOf({
      from: 'bundler',
      to: ENTRY_POINT,
      call: 'handleOps(bytes ops)',
      args: ['0x'],
      tokens,
      steps: [
        { call: 'execute(address to, uint256 v)', on: 'account', by: ENTRY_POINT, args: ['bob', 1] },
        ...(steps ?? []),
        event(
          'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
          ENTRY_POINT,
          [HASH, 'account', 'paymaster', 1, true, '1000000', '1000'],
        ),
      ],
    });

  it('is no recipient of a payment', async () => {
    const made = await operation([
      call('account', 'bob', '100e6'),
      move('100e6', 'USDX', 'account', 'bob'),
      {
        call: 'transferFrom(address from, address to, uint256 value)',
        on: 'USDX',
        by: 'paymaster',
        args: ['account', 'paymaster', '1e6'],
      },
      move('1e6', 'USDX', 'account', 'paymaster'),
    ]);
    expect(made.report.classification).toMatchObject({
      intent_kind: 'TokenTransfer',
      actor: expect.any(String),
    });
    expect(made.report.classification.intent_label).toContain('100 USDX');
    expect(kinds(made)).toEqual(['TokenTransfer', 'ProtocolFee']);
  });

  it('charges no part of a swap, also where its treasury takes it', async () => {
    for (const taker of ['paymaster', 'treasury']) {
      const charge = [
        {
          call: 'transferFrom(address from, address to, uint256 value)',
          on: 'USDX',
          by: 'paymaster',
          args: ['account', taker, '1e6'],
        },
        move('1e6', 'USDX', 'account', taker),
      ];
      const made = await operation([...swapAt('account'), ...charge]);
      expect(made.report.classification.intent_label).toContain('Swap 100 USDX for 7 BBB');
      expect(kinds(made)).toEqual(['DirectSwap', 'ProtocolFee']);
    }
  });
});

describe('a batch of a Safe', () => {
  const batch = (steps: Parameters<typeof reportOf>[0]['steps']): ReturnType<typeof reportOf> =>
    reportOf({
      from: 'owner',
      to: 'safe',
      call: EXECUTION,
      args: ['multisend', 0, '0x', 1, 0, 0, 0, 'zero', 'zero', '0x'],
      tokens,
      steps: [
        ...(steps ?? []),
        event('ExecutionSuccess(bytes32 txHash, uint256 payment)', 'safe', [HASH, 0]),
      ],
    });

  it('of a swap and a payment has both, and the label quotes the swap', async () => {
    const made = await batch([
      ...swapAt('safe'),
      call('safe', 'bob', '5e6'),
      move('5e6', 'USDX', 'safe', 'bob'),
    ]);
    expect(made.report.classification.intent_label).toContain('Swap 100 USDX for 7 BBB');
    expect(kinds(made)).toEqual(['DirectSwap', 'TokenTransfer']);
  });

  it('has a fee where the venue takes it, not the account', async () => {
    const made = await batch([
      ...swapAt('safe'),
      call('router', 'bob', '5e6'),
      move('5e6', 'USDX', 'safe', 'bob'),
    ]);
    expect(kinds(made)).toEqual(['DirectSwap', 'ProtocolFee']);
  });
});

it('a maker that fills the order of a customer is liquidity, not the actor', async () => {
  const { report, addressOf } = await reportOf({
    from: 'solver',
    to: SETTLEMENT,
    call: 'settle(uint256 a)',
    args: ['1'],
    steps: [
      move('100e6', 'USDX', 'alice', SETTLEMENT),
      move('7e18', 'BBB', 'maker', SETTLEMENT),
      move('100e6', 'USDX', SETTLEMENT, 'maker'),
      event(
        'RfqOrderFilled(bytes32 orderHash, address maker, address taker, address makerToken, address takerToken, uint128 takerTokenFilledAmount, uint128 makerTokenFilledAmount, bytes32 pool)',
        EXCHANGE_PROXY,
        [HASH, 'maker', SETTLEMENT, 'BBB', 'USDX', '100e6', '7e18', HASH],
      ),
      move('7e18', 'BBB', SETTLEMENT, 'alice'),
      event(
        'Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
        SETTLEMENT,
        ['alice', 'USDX', 'BBB', '100e6', '7e18', 0, `0x${'ab'.repeat(56)}`],
      ),
    ],
  });
  expect(report.classification.actor?.toLowerCase()).toBe(addressOf('alice'));
});

describe('a liquidation', () => {
  const LIQUIDATION =
    'LiquidationCall(address indexed collateralAsset, address indexed debtAsset, address indexed user, uint256 debtToCover, uint256 liquidatedCollateralAmount, address liquidator, bool receiveAToken)';
  const through = (to: string): ReturnType<typeof reportOf> =>
    reportOf({
      to,
      call: 'swap(uint256 amount)',
      args: ['100e6'],
      steps: [
        move('100e6', 'USDX', 'actor', 'executor'),
        move('100e6', 'USDX', 'executor', 'reserve'),
        move('7e18', 'BBB', 'collateral', 'executor'),
        event(LIQUIDATION, AAVE, ['BBB', 'USDX', 'borrower', '100e6', '7e18', 'executor', false]),
        move('7e18', 'BBB', 'executor', 'actor'),
      ],
    });

  it("on the way of a trade through an aggregator is the executor's", async () => {
    const made = await through(AGGREGATOR);
    expect(made.report.classification.intent_kind).toBe('DirectSwap');
    expect(kinds(made)).toContain('Liquidation');
  });

  it("through the actor's own contract is its own", async () => {
    expect((await through('executor')).report.classification.intent_kind).toBe('Liquidation');
  });
});

it('the label quotes what several acts took, not what is left of it', async () => {
  const deposit = (amount: string, shares: string): ReturnType<typeof move | typeof event>[] => [
    move(amount, 'TOK', 'actor', CDAI),
    event('Mint(address minter, uint256 mintAmount, uint256 mintTokens)', CDAI, ['actor', amount, shares]),
    move(shares, CDAI, CDAI, 'actor'),
  ];
  const { report } = await reportOf({
    to: 'multicall',
    call: 'multi()',
    steps: [...deposit('10e18', '450e8'), ...deposit('20e18', '900e8'), move('3e18', 'TOK', 'bob', 'actor')],
  });
  expect(report.classification.intent_label).toContain('Supply 30 TOK');
});
