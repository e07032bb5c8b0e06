import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { compileContracts } from '../devnet/compile.ts';
import { startAnvil, type Anvil } from '../devnet/startAnvil.ts';
import { writeRuleset, type Files } from '../unit/rules/smallRuleset.ts';
import { runRules, type Run } from './runRules.ts';

const EVENT =
  'BurrowEntered(address indexed badger, address indexed larder, uint256 acorns, uint256 tunnels)';
const HARVEST = 'HarvestGathered(address indexed badger, uint256 truffles)';
const shapeOf = (event: string, call = 'harvest()'): string => `slug: burrow
version: 1
status: stable
summary: A burrow that keeps acorns.
references: [https://example.org/burrow]
any_emitter: true
events:
  - {event: "${event}", kind: stake, roles: {owner: $badger}, legs: [{role: in, from: $badger, amount: $acorns}]}
  - {event: "${HARVEST}", kind: claim, roles: {owner: $badger}, legs: [{role: reward, to: $badger, amount: $truffles}]}
calls:
  - {call: "${call}", kind: claim, roles: {owner: $caller}, legs: [{role: reward, to: $caller}], depth: root}
`;

/** As its author published it. */
const INTERFACE = `// SPDX-License-Identifier: MIT
interface IBurrow {
  /* Acorns (of any larder) come in. */
  event BurrowEntered(address indexed badger, IERC20 indexed larder, uint256 acorns, uint256 tunnels);
  event HarvestGathered(address indexed badger, uint256 truffles);
  event MoonPhase(uint256 indexed phase, bytes32 omen);
  event LotTaken(address indexed badger, uint256 lotId);
  function harvest() external;
}
`;

const ZERO = `0x${'0'.repeat(40)}`;

let anvil: Anvil;
let home: `0x${string}`;
let other: `0x${string}`;
let abi: string;

const overlay = (event = EVENT, address: string = home, call?: string): Files => ({
  'shapes/burrow.yaml': shapeOf(event, call),
  'protocols/burrow.yaml': `slug: burrow-of-frank\nversion: 1\nstatus: stable\nname: Frank's Burrow\nshapes: [burrow]\naddresses: ["${address}"]\n`,
});

async function lint(files: Files, ...flags: string[]): Promise<Run> {
  const before = process.env['RPC_URL'];
  process.env['RPC_URL'] = anvil.rpcUrl;
  try {
    return await runRules('lint', SHIPPED_RULES, writeRuleset(files), ...flags);
  } finally {
    if (before === undefined) delete process.env['RPC_URL'];
    else process.env['RPC_URL'] = before;
  }
}

beforeAll(async () => {
  anvil = await startAnvil();
  const contracts = compileContracts();
  const [account] = await anvil.client.getAddresses();
  const deploy = async (name: string, args: unknown[] = []): Promise<`0x${string}`> => {
    const hash = await anvil.client.deployContract({ ...contracts[name]!, account: account!, args });
    return (await anvil.client.waitForTransactionReceipt({ hash })).contractAddress!;
  };
  const { checksumAddress } = await import('viem');
  home = checksumAddress(await deploy('NovelProtocol', [ZERO, ZERO]));
  other = checksumAddress(await deploy('BatchDelegate'));
  abi = join(mkdtempSync(join(tmpdir(), 'txreport-abi-')), 'IBurrow.sol');
  writeFileSync(abi, INTERFACE);
}, 60_000);
afterAll(() => anvil.stop());

/** Mistakes that only outside knowledge finds: the rules with each are sound. */
const MISTAKES: readonly (readonly [name: string, files: () => Files, flag: string, says: string])[] = [
  [
    'two parameters swapped',
    () => overlay(EVENT.replace('uint256 acorns, uint256 tunnels', 'uint256 tunnels, uint256 acorns')),
    'abi',
    'other_signature: tunnels is at another place in the ABI: BurrowEntered',
  ],
  [
    'a parameter not indexed',
    () => overlay(EVENT.replace('address indexed larder', 'address larder')),
    'abi',
    `other_signature: the ABI has ${EVENT}`,
  ],
  [
    'uint128 for uint256',
    () => overlay(EVENT.replace('uint256 acorns', 'uint128 acorns')),
    'abi',
    `other_signature: the ABI has ${EVENT}`,
  ],
  [
    'an id taken for the amount',
    () => overlay('LotTaken(address indexed badger, uint256 acorns)'),
    'abi',
    'no_amount: the amount acorns is lotId in the ABI',
  ],
  ['a wrong address', () => overlay(EVENT, other), 'node', 'not_on_chain: nothing of burrow is in its code'],
  [
    'the address on another chain',
    () => overlay(EVENT, '0x27182842e098f60E3d576794A5bFfb0777E025d4'),
    'node',
    'no_code: no contract of Ethereum mainnet has this address',
  ],
];

describe('txreport rules lint --abi and --node', () => {
  it('agree with rules that are right, and list what is not mapped', async () => {
    const { code, out } = await lint(overlay(), '--abi', abi, '--node');
    expect(out.split('\n').slice(0, 3)).toEqual([
      'compared with the ABI: 3 signatures',
      'not mapped: MoonPhase(uint256 indexed phase, bytes32 omen)',
      'not mapped: LotTaken(address indexed badger, uint256 lotId)',
    ]);
    expect(code).toBe(0);
  });

  it.each(MISTAKES)('%s', async (_, files, flag, says) => {
    expect((await lint(files())).code).toBe(0);
    const { code, out } = await lint(files(), ...(flag === 'abi' ? ['--abi', abi] : ['--node']));
    expect(out).toContain(says);
    expect(code).toBe(1);
  });

  it('takes a call that the contract does not have for one', async () => {
    const files = overlay(EVENT, home, 'reap()');
    expect((await lint(files, '--node')).out).toContain('not_on_chain: no code or recent log has reap()');
    expect((await lint(overlay(EVENT.replace('Entered', 'Entred')), '--abi', abi)).out).toContain(
      'BurrowEntred (did you mean BurrowEntered?)',
    );
  });

  it('follows a proxy to the code behind it (EIP-1967)', async () => {
    const proxy = '0x27182842e098f60E3d576794A5bFfb0777E025d4';
    const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
    await anvil.rpc('anvil_setCode', [proxy, '0x363d3d37']);
    expect((await lint(overlay(EVENT, proxy), '--node')).code).toBe(1);
    await anvil.rpc('anvil_setStorageAt', [
      proxy,
      slot,
      `0x${home.slice(2).toLowerCase().padStart(64, '0')}`,
    ]);
    expect((await lint(overlay(EVENT, proxy), '--node')).code).toBe(0);
  });

  it('reads compiler artifacts, folders, and says what it cannot read', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'txreport-abi-'));
    writeFileSync(
      join(dir, 'Burrow.json'),
      JSON.stringify({ abi: compileContracts()['NovelProtocol']!.abi }),
    );
    expect((await lint(overlay(), '--abi', dir)).out).toContain('compared with the ABI: 3 signatures');
    writeFileSync(join(dir, 'Broken.json'), '{');
    expect(await lint(overlay(), '--abi', dir)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not JSON'),
    });
    expect((await lint(overlay(), '--abi', join(dir, 'none.json'))).err).toContain('cannot be read');
  });
});
