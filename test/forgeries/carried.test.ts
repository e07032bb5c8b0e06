// Contracts that pass an amount on and log a deposit or withdrawal of it: the act they would swallow stays its owner's.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import { MAINNET } from '../devnet/addresses.ts';
import { ETHER, fn, fnOf } from '../devnet/chain.ts';
import { ATTACKER, call, event, startStage, type Stage, type Step } from './stage.ts';
import type { TxReport } from '../../src/model/generated/report.ts';

let stage: Stage;
/** The account that acts, whom it pays, and who is paid in the end. */
let own: Address, payee: Address, sink: Address;

beforeAll(async () => {
  stage = await startStage();
  own = await stage.forger('Own', 'OWN');
  payee = await stage.forger('Payee', 'PAYEE');
  sink = await stage.forger('Sink', 'SINK');
});
afterAll(() => stage?.stop());

const aave = (signature: string, args: unknown[]): Step => call(MAINNET.aavePool, fn(signature, args));
const weth = (signature: string, args: unknown[]): Step => call(MAINNET.weth, fn(signature, args));
const play = (at: Address, steps: readonly Step[]): Step => call(at, fnOf(stage.abi, 'play', [steps]));
const supply = (amount: bigint): Step[] => [
  weth('approve(address,uint256)', [MAINNET.aavePool, amount]),
  aave('supply(address,uint256,address,uint16)', [MAINNET.weth, amount, own, 0]),
];
const WITHDRAW =
  'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)';
const DEPOSIT = 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)';

async function fund(to: Address, amount: bigint): Promise<void> {
  await stage.chain.must(ATTACKER, { to: MAINNET.weth, data: fn('deposit()'), value: amount });
  const data = fn('transfer(address,uint256)', [to, amount]);
  await stage.chain.must(ATTACKER, { to: MAINNET.weth, data });
}

/** The acting account's positions. */
const positions = ({ position_effects }: TxReport) =>
  position_effects
    .filter(({ owner }) => owner.toLowerCase() === own.toLowerCase())
    .map((e) => [e.category, e.effect, e.protocol?.slug, e.position_delta_raw, e.status]);

it('keeps a withdrawal whose payee passes it on under a Withdraw event', async () => {
  const amount = ETHER / 8n;
  await fund(own, ETHER);
  await stage.play(own, supply(ETHER));
  const report = await stage.play(own, [
    aave('withdraw(address,uint256,address)', [MAINNET.weth, amount, own]),
    weth('transfer(address,uint256)', [payee, amount]),
    play(payee, [weth('transfer(address,uint256)', [sink, amount]), event(WITHDRAW, sink, amount)]),
  ]);
  expect(positions(report)).toEqual([['lending_supply', 'decrease', 'aave-v3', `-${amount}`, 'Proven']]);
  expect(report.motifs.filter(({ protocol }) => protocol?.slug === 'aave-v3')).toMatchObject([
    { kind: 'withdraw', parent_id: null, status: 'Proven' },
  ]);
});

it('keeps a supply of what another account paid under a Deposit event', async () => {
  const amount = ETHER / 4n;
  await fund(sink, amount);
  const report = await stage.play(own, [
    play(sink, [weth('transfer(address,uint256)', [payee, amount])]),
    play(payee, [event(DEPOSIT, sink, amount), weth('transfer(address,uint256)', [own, amount])]),
    ...supply(amount),
  ]);
  expect(positions(report)).toEqual([['lending_supply', 'increase', 'aave-v3', `${amount}`, 'Proven']]);
});
