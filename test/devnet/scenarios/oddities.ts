import { addressOf } from '../accounts.ts';
import { fn, initCode } from '../chain.ts';
import type { Scenario } from '../scenario.ts';

const refusal = (name: string, title: string, data: () => `0x${string}`, gas?: bigint): Scenario => ({
  name,
  title,
  intent: 'Reverted',
  expect: { signer: 'erin', actor: 'erin', reverted: true, nets: [], motifs: [] },
  run: (c) =>
    c.send('erin', {
      to: c.at('reverter'),
      value: c.units('ETH', '0.1'),
      data: data(),
      ...(gas ? { gas } : {}),
    }),
});

/** The corners of the machine: failing in every way, moving value in every way. */
export const oddities: Scenario[] = [
  refusal('reverted-string', 'A contract refuses in words', () => fn('withString()')),
  refusal('reverted-custom', 'A contract refuses with an error of its own', () => fn('withCustom()')),
  refusal('reverted-panic', 'A division by zero', () => fn('withPanic(uint256)', [0n])),
  refusal('reverted-silent', 'A contract refuses without a word', () => fn('withNothing()')),
  refusal('reverted-gas', 'An invalid opcode burns all gas', () => fn('burnAllGas()'), 200_000n),
  refusal('reverted-logged', 'An event, and then a refusal: the event never happened', () =>
    fn('afterLogging()'),
  ),
  {
    name: 'delegatecall-value',
    title: "Alice's 1 ETH passes a DELEGATECALL that repeats it",
    intent: 'NativeTransfer',
    expect: {
      signer: 'alice',
      actor: 'alice',
      nets: [
        ['alice', 'ETH', '-1'],
        ['bob', 'ETH', '1'],
        ['valueForwarder', 'ETH', '0'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('alice', {
        to: c.at('valueForwarder'),
        value: c.units('ETH', '1'),
        data: fn('forward(address)', [addressOf('bob')]),
      }),
  },
  {
    name: 'inner-failure',
    title: 'An inner call with value and a token fails, is caught, and all comes back',
    intent: 'ContractCall',
    alsoAcceptable: ['Unknown'],
    never: ['NativeTransfer', 'TokenTransfer'],
    expect: {
      signer: 'erin',
      actor: 'erin',
      nets: [
        ['erin', 'USDC', '0'],
        ['reverter', 'ETH', '0'],
        ['reverter', 'USDC', '0'],
      ],
      motifs: [],
    },
    setup: (c) => c.approve('erin', 'USDC', 'reverter'),
    run: (c) =>
      c.send('erin', {
        to: c.at('reverter'),
        value: c.units('ETH', '1'),
        data: fn('tryInner(address,uint256)', [c.at('USDC'), c.units('USDC', '50')]),
      }),
  },
  {
    name: 'selfdestruct',
    title: "Erin's 1 ETH goes to Bob by SELFDESTRUCT",
    intent: 'NativeTransfer',
    alsoAcceptable: ['Unknown'],
    expect: {
      signer: 'erin',
      actor: 'erin',
      nets: [
        ['erin', 'ETH', '-1'],
        ['bob', 'ETH', '1'],
        ['bomb', 'ETH', '0'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('erin', {
        to: c.at('bomb'),
        value: c.units('ETH', '1'),
        data: fn('blow(address)', [addressOf('bob')]),
      }),
  },
  {
    name: 'value-to-contract',
    title: 'Frank pokes a contract with 0.25 ETH',
    intent: 'NativeTransfer',
    alsoAcceptable: ['Unknown', 'ContractCall'],
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'ETH', '-0.25'],
        ['piggybank', 'ETH', '0.25'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('frank', {
        to: c.at('piggybank'),
        value: c.units('ETH', '0.25'),
        data: fn('poke(uint256)', [9n]),
      }),
  },
  {
    name: 'deployment-value',
    title: 'Erin deploys a contract with 1 ETH in it',
    intent: 'ContractDeployment',
    expect: { signer: 'erin', actor: 'erin', nets: [['erin', 'ETH', '-1']], motifs: [] },
    run: (c) => c.send('erin', { to: null, value: c.units('ETH', '1'), data: initCode(c.own.Bomb!) }),
  },
  {
    name: 'legacy-transfer',
    title: 'A transfer by a transaction of the first kind',
    intent: 'NativeTransfer',
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'ETH', '-0.75'],
        ['erin', 'ETH', '0.75'],
      ],
      motifs: ['transfer'],
    },
    run: (c) =>
      c.send('frank', { to: addressOf('erin'), value: c.units('ETH', '0.75'), gas: 21_000n, legacy: true }),
  },
  {
    name: 'blob-transfer',
    title: 'A transfer that carries a blob and pays blob gas',
    intent: 'NativeTransfer',
    expect: {
      signer: 'frank',
      actor: 'frank',
      nets: [
        ['frank', 'ETH', '-0.5'],
        ['erin', 'ETH', '0.5'],
      ],
      motifs: ['transfer'],
    },
    run: (c) => c.chain.sendBlob('frank', { to: addressOf('erin'), value: c.units('ETH', '0.5') }),
  },
];
