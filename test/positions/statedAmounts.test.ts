import { describe, expect, it } from 'vitest';
import { event, move, reportOf } from '../support/madeUp.ts';

const STARKGATE_ETHER = '0xae0Ee0A63A2cE6BaeEFFE56e7714FB4EFE48D419';
const SCROLL_GATEWAY = '0x7F2b8C31F88B6006c382775eea88297Ec1e3E905';
const ARBITRUM_INBOX = '0x4Dbd4fc535Ac27206064B68FfCf827b0A60BAB3f';
const HOP_ETHER = '0xb8901acB165ed027E32754E0FFe830802919727f';
const BASE_PORTAL = '0x49048044D57e1C92A77f79988d21Fa8fAF74E97e';
const GRAPH_STAKING = '0xF55041E37E12cD407ad00CE2910B8269B01263b9';

const USER = `0x${'22'.repeat(20)}`;

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const GWEI = 10n ** 9n;

const STARKGATE_DEPOSIT =
  'LogDeposit(address indexed sender, uint256 amount, uint256 indexed l2Recipient, uint256 nonce, uint256 fee)';
const INBOX = 'InboxMessageDelivered(uint256 indexed messageNum, bytes data)';

describe('the principal of a position is the amount its event states', () => {
  it('StarkGate: the fee the event states stands apart', async () => {
    const { report, positions } = await reportOf({
      to: STARKGATE_ETHER,
      value: '45783756135956776',
      call: 'deposit(uint256 amount, uint256 l2Recipient)',
      args: ['45000000000000000', 7],
      steps: [
        event(STARKGATE_DEPOSIT, STARKGATE_ETHER, ['actor', '45000000000000000', 7, 1, '783756135956776']),
      ],
    });
    expect(positions).toEqual([
      'bridge_claim open actor: principal -45000000000000000, fee -783756135956776',
    ]);
    expect(report.classification).toMatchObject({ intent_kind: 'BridgeDeposit', status: 'Proven' });
  });

  it('names no fee that the event does not state: the rest makes it Suspected', async () => {
    const { report } = await reportOf({
      to: STARKGATE_ETHER,
      value: '45783756135956776',
      call: 'deposit(uint256 amount, uint256 l2Recipient)',
      args: ['45000000000000000', 7],
      steps: [
        event(STARKGATE_DEPOSIT, STARKGATE_ETHER, ['actor', '45000000000000000', 7, 1, '783756135956775']),
      ],
    });
    expect(report.classification.status).toBe('Suspected');
    expect(report.classification.caveats?.map(({ code }) => code)).toContain('amounts_differ');
    const deposit = report.motifs.find(({ kind }) => kind === 'bridge_deposit')!;
    expect(deposit.invariants).toContainEqual(
      expect.objectContaining({ name: 'amounts_agree', holds: false }),
    );
  });

  it('Scroll: what the messenger passed on as its fee, and gave back, is not bridged', async () => {
    const { report, positions } = await reportOf({
      to: SCROLL_GATEWAY,
      value: '1000147456',
      call: 'depositETH(uint256 amount, uint256 gasLimit)',
      args: ['1000000000', 200000],
      steps: [
        move('1000147456', 'native', SCROLL_GATEWAY, 'messenger'),
        move('122880', 'native', 'messenger', 'fee vault'),
        move('24576', 'native', 'messenger', 'actor'),
        event(
          'DepositETH(address indexed from, address indexed to, uint256 amount, bytes data)',
          SCROLL_GATEWAY,
          ['actor', 'actor', '1000000000', '0x'],
        ),
      ],
    });
    expect(positions).toEqual(['bridge_claim open actor: principal -1000000000, fee -122880']);
    expect(report.classification.intent_kind).toBe('BridgeDeposit');
  });

  it.each([
    [
      'a retryable ticket bridges its value',
      3n * GWEI,
      [`bridge_claim open ${USER}: principal -3000000000, fee -500000000`],
    ],
    ['a message bridges nothing, whatever ether pays for it', 0n, []],
  ])('Arbitrum: %s', async (_, value, expected) => {
    const [sent, to] = [3_500_000_000n, BigInt(USER)];
    const packed = `0x${[to, value, sent, 5n, to, to, 8n, 9n, 0n].map(word).join('')}`;
    const { positions } = await reportOf({
      from: USER,
      to: 'migrator',
      value: String(sent),
      call: 'migrate(address to)',
      args: [USER],
      steps: [
        move(String(sent), 'native', 'migrator', ARBITRUM_INBOX),
        event(INBOX, ARBITRUM_INBOX, [1, packed]),
      ],
    });
    expect(positions).toEqual(expected);
  });

  it('Arbitrum: a plain deposit packs recipient and amount', async () => {
    const { positions } = await reportOf({
      to: ARBITRUM_INBOX,
      value: String(GWEI),
      call: 'depositEth()',
      steps: [event(INBOX, ARBITRUM_INBOX, [1, `0x${'ab'.repeat(20)}${word(GWEI)}`])],
    });
    expect(positions).toEqual(['bridge_claim open actor: principal -1000000000']);
  });

  it('OP Stack: the portal mints exactly what it took', async () => {
    const { positions } = await reportOf({
      to: BASE_PORTAL,
      value: String(GWEI),
      call: 'depositTransaction(address _to)',
      args: ['actor'],
      steps: [
        event(
          'TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)',
          BASE_PORTAL,
          ['actor', 'actor', 0, `0x${word(GWEI)}${word(GWEI)}${'00'.repeat(9)}`],
        ),
      ],
    });
    expect(positions).toEqual(['bridge_claim open actor: principal -1000000000']);
  });

  it('Hop: the bonder pays the amount less its fee, and the fee is no withdrawal', async () => {
    const { report, positions } = await reportOf({
      from: 'bonder',
      to: HOP_ETHER,
      call: 'bondWithdrawal(address recipient, uint256 amount, bytes32 transferNonce, uint256 bonderFee)',
      args: ['customer', '1000000', `0x${word(9n)}`, '20000'],
      steps: [
        move('980000', 'native', HOP_ETHER, 'customer'),
        move('20000', 'native', HOP_ETHER, 'bonder'),
        event('WithdrawalBonded(bytes32 indexed transferId, uint256 amount)', HOP_ETHER, [
          `0x${word(1n)}`,
          '1000000',
        ]),
      ],
    });
    expect(positions).toEqual(['bridge_claim close customer: principal 980000']);
    expect(report.motifs.filter(({ kind }) => kind === 'bridge_withdrawal')).toHaveLength(1);
  });

  it('The Graph: the tax that the contract burns is a fee', async () => {
    const { report, positions } = await reportOf({
      to: GRAPH_STAKING,
      call: 'delegate(address indexer, uint256 tokens)',
      args: ['indexer', '1004e15'],
      steps: [
        move('1004e15', 'GRT', 'actor', GRAPH_STAKING),
        move('5020e12', 'GRT', GRAPH_STAKING, 'zero'),
        event(
          'StakeDelegated(address indexed indexer, address indexed delegator, uint256 tokens, uint256 shares)',
          GRAPH_STAKING,
          ['indexer', 'actor', '998980e12', '900000e12'],
        ),
      ],
    });
    expect(positions).toEqual(['stake increase actor: principal -998980000000000000, fee -5020000000000000']);
    expect(report.classification).toMatchObject({ intent_kind: 'Stake', status: 'Proven' });
  });
});
