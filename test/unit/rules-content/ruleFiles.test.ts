import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES, ruleset, shippedRules } from './scene.ts';

const read = (folder: string) =>
  readdirSync(join(RULES, folder))
    .filter((f) => f.endsWith('.yaml'))
    .map((file) => ({
      file,
      lines: readFileSync(join(RULES, folder, file), 'utf8')
        .trimEnd()
        .split('\n'),
    }));
const shapes = read('shapes');
const protocols = read('protocols');

describe('rule files', () => {
  it('load without a problem', () => {
    expect(ruleset.problems).toEqual([]);
  });

  it.each([
    ...shapes.map((f) => ({ ...f, kind: 'shape' })),
    ...protocols.map((f) => ({ ...f, kind: 'protocol' })),
  ])('$file names its schema', ({ lines, kind }) => {
    expect(lines[0]).toBe(`# yaml-language-server: $schema=../../schemas/rules/${kind}.schema.json`);
  });

  it.each(
    shapes.filter(({ file }) =>
      /^(?:lending|vault|staking|restaking|claim|bridge|name|governance|account|nft|order|flashloan|stable|attestation)-/.test(
        file,
      ),
    ),
  )('$file stays short', ({ lines }) => {
    expect(lines.length).toBeLessThanOrEqual(100);
  });

  it.each(shapes)('$file knows no address and is named after its slug', ({ file, lines }) => {
    // An example may call a listed contract; of a shape that listed contracts alone speak, a leg may name their token.
    const listedOnly = lines.includes('any_emitter: false');
    const stated = lines.filter(
      (line) => !/^ {6}to: /.test(line) && !(listedOnly && /^ +- \{role: .*, asset: "0x/.test(line)),
    );
    expect(stated.filter((line) => /0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/.test(line))).toEqual([]);
    expect(
      lines
        .filter((line) => /^(- )?slug: /.test(line))
        .some((line) => line.endsWith(` ${file.replace('.yaml', '')}`)) ||
        lines.some((line) => line.startsWith('- slug')),
    ).toBe(true);
  });

  it('give every shape a source and every protocol a source', () => {
    for (const item of [...ruleset.shapes, ...ruleset.protocols])
      expect(
        (item.value as { references?: readonly string[] }).references ?? [],
        item.value.slug,
      ).not.toHaveLength(0);
  });

  it('list an address under one protocol per event', () => {
    const doubled: string[] = [];
    for (const spec of [...shippedRules().events.values(), ...shippedRules().calls.values()]) {
      const owner = new Map<string, string>();
      for (const meaning of spec.mappings)
        for (const protocol of meaning.protocols)
          for (const address of protocol.addresses) {
            const other = owner.get(address);
            if (other !== undefined && other !== protocol.slug)
              doubled.push(`${spec.signature}: ${other} and ${protocol.slug} at ${address}`);
            owner.set(address, protocol.slug);
          }
    }
    expect(doubled).toEqual([]);
  });
});

// Topics as they stand in mainnet logs: a parameter typed wrongly would hash to something that never occurs.
const TOPICS: readonly [topic0: string, topics: number, name: string][] = [
  ['0xe413a321e8681d831f4dbccbca790d2952b56f977908e45be37335533e005286', 4, 'LiquidationCall'],
  ['0x2b627736bca15cd5381dcf80b0bf11fd197d01a037c52b927a881a10fb73ba61', 4, 'Supply'],
  ['0xb3d084820fb1a9decffb176436bd02558d15fac9b0ddfed8c465bc7359d7dce0', 4, 'Borrow'],
  ['0xa534c8dbe71f871f9f3530e97a74601fea17b426cae02e1c5aee42c96c784051', 4, 'Repay'],
  ['0x3115d1449a7b732c986cba18244e897a450f61e1bb8d589cd2e69e6c8924f9f7', 4, 'Withdraw'],
  ['0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7', 3, 'Deposit'],
  ['0xfbde797d201c681b91056529119e0b02407c7bb96a4a2c75c01fc9667232c8db', 4, 'Withdraw'],
  ['0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f', 1, 'Mint'],
  ['0x13ed6866d4e1ee6da46f845c46d7e54120883d75c5ea9a2dacc1c4ca8984ab80', 1, 'Borrow'],
  ['0x298637f684da70674f26509b10f07ec2fbc77a335ab1e7d6215a4b2484d8bb52', 1, 'LiquidateBorrow'],
  ['0x9e71bc8eea02a63969f509818f2dafb9254532904319f9dbda79b67bd34a5f3d', 2, 'Staked'],
  ['0xe2403640ba68fed3a2f88b7557551d1993f84b99bb10ff833f0cf8db0c5e0486', 2, 'RewardPaid'],
  ['0x4ec90e965519d92681267467f775ada5bd214aa92c0dc93d90a5e880ce9ed026', 1, 'Claimed'],
  ['0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31', 3, 'OrderFulfilled'],
  ['0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f', 4, 'UserOperationEvent'],
  ['0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e', 1, 'ExecutionSuccess'],
  ['0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23', 1, 'ExecutionFailure'],
  ['0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4', 2, 'VoteCast'],
  ['0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f', 4, 'DelegateChanged'],
  ['0xca6abbe9d7f11422cb6ca7629fbf6fe9efb1c621f71ce8f02b9f2a230097404f', 3, 'NameRegistered'],
  ['0x69e37f151eb98a09618ddaa80c8cfaf1ce5996867c489f45b555b412271ebf27', 3, 'NameRegistered'],
];

describe('topics', () => {
  it.each(TOPICS)('%s is known as %s topics of %s', (topic0, topics, name) => {
    const spec = shippedRules().events.get(`${topic0}:${topics}`);
    expect(spec?.signature.split('(')[0]).toBe(name);
  });
});
