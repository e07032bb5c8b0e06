import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHIPPED_RULES } from '../../src/rules/read/listFiles.ts';
import { runRules } from './runRules.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'txreport-scaffold-'));
const checks = async (dir: string): Promise<string> => {
  const lint = await runRules('lint', SHIPPED_RULES, dir);
  return lint.out;
};

/** The ABI of a vesting contract, as a compiler writes it: two events of interest, one of administration. */
const ABI = {
  contractName: 'Vault',
  abi: [
    { type: 'constructor', inputs: [] },
    // As hand-written ABIs have it.
    { type: 'event', name: 'Paused', inputs: null },
    {
      type: 'event',
      name: 'GrantFunded',
      inputs: [
        { name: 'id', type: 'uint256', indexed: true },
        { name: 'beneficiary', type: 'address', indexed: true },
        { name: 'signer', type: 'address', indexed: false },
        { name: 'terms', type: 'tuple', components: [{ name: 'start', type: 'uint40' }] },
        { name: 'amount', type: 'uint256', indexed: false },
      ],
    },
    { type: 'event', name: 'OwnerChanged', inputs: [{ name: 'who', type: 'address', indexed: true }] },
  ],
};

describe('txreport rules new', () => {
  it('drafts an ABI so that it lints and its examples pass', async () => {
    const dir = folder();
    const abi = join(dir, 'Grants.json');
    writeFileSync(abi, JSON.stringify(ABI));
    const rules = join(dir, 'rules');
    expect((await runRules('new', '--abi', abi, '--dir', rules)).code).toBe(0);
    const shape = readFileSync(join(rules, 'shapes/grants.yaml'), 'utf8');
    // A parameter called like a bind word is renamed; the topic is that of the types alone.
    expect(shape).toContain(
      'GrantFunded(uint256 indexed id, address indexed beneficiary, address signer_, (uint40 start) terms, uint256 amount)',
    );
    expect(shape).toContain('{role: in, from: $beneficiary, to: $venue, amount: $amount}');
    expect(shape).toContain('# left out: OwnerChanged(address indexed who): it states no amount');
    expect(await checks(rules)).toMatch(/^ok/);
    for (const rule of ['grants', 'grants-grant-funded']) {
      const { code, out } = await runRules('test', SHIPPED_RULES, rules, '--rule', rule);
      expect(out).toMatch(/^([12]) of \1 examples/m);
      expect(code).toBe(0);
    }
  });

  it('drafts events pasted from Solidity, with the kind that their words suggest', async () => {
    const dir = join(folder(), 'rules');
    const event = 'event TokensUnstaked(address indexed user, uint256 amount, uint256 lockId);';
    expect((await runRules('new', '--event', event, '--name', 'Nest', '--dir', dir)).code).toBe(0);
    const shape = readFileSync(join(dir, 'shapes/nest.yaml'), 'utf8');
    expect(shape).toContain('kind: unstake');
    expect(await checks(dir)).toMatch(/^ok/);
    const { out } = await runRules('test', SHIPPED_RULES, dir, '--rule', 'nest');
    expect(out).toMatch(/^([12]) of \1 examples/m);
  });

  it('takes the payer, not the beneficiary, as owner of what goes in', async () => {
    const event = 'event GrantFunded(address indexed beneficiary, address payer, uint256 amount)';
    const { out } = await runRules('new', '--event', event);
    expect(out).toContain('roles: {owner: $payer}');
    expect(out).toContain('from: $payer, to: $venue');
  });

  it('names the topics of a transaction whose signatures nobody knows', async () => {
    const dir = join(folder(), 'rules');
    const draft = await runRules('new', '--tx', 'novel-harvest', '--dir', dir);
    expect(draft.code, draft.err).toBe(1);
    expect(draft.err).toContain('topic0 0x');
  });

  it('says what it cannot read', async () => {
    expect((await runRules('new', '--event', 'Nonsense(uint257 a)')).err).toContain('Unknown type');
    expect((await runRules('new')).err).toContain('one of --tx, --abi and --event');
    const event = 'Planted(address indexed who, uint256 amount)';
    expect((await runRules('new', '--event', event, '--address', `0x${'ab'.repeat(20)}`)).err).toContain(
      'bad_checksum',
    );
  });
});
