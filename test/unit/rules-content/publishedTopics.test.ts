import { describe, expect, it } from 'vitest';
import { shippedRules } from './scene.ts';

/** topic0, number of topics and meaning as published by others, so that a slip in a signature cannot pass. */
const PUBLISHED: readonly (readonly [topic0: string, topics: number, kind: string])[] = [
  ['0xe93ad76094f247c0dafc1c61adc2187de1ac2738f7a3b49cb20b2263420251a3', 2, 'swap'],
  ['0xd8648b6ac54162763c86fd54bf2005af8ecd2f9cb273a5775921fd7f91e17b2d', 2, 'swap'],
  ['0x86c49b5d8577da08444947f1427d23ef191cfabf2c0788f93324d79e926a9302', 4, 'swap'],
  ['0x8bab6aed5a508937051a144e61d6e61336834a66aaee250a00613ae6f744c422', 3, 'add_liquidity'],
  ['0x3cae9923fd3c2f468aa25a8ef687923e37f957459557c0380fd06526c0b8cdbc', 3, 'remove_liquidity'],
  ['0x3383e3357c77fd2e3a4b30deea81179bc70a795d053d14d5b7f2f01d0fd4596f', 4, 'order_settled'],
  ['0x0d0b9391970d9a25552f37d436d2aae2925e2bfe1b2a923754bada030c498cb3', 4, 'order_settled'],
  ['0x454c9ef91f9a4bdcc1548f5513404ba456b13a463573701c2087c1e5a5a03b04', 4, 'swap'],
  ['0x1c68c6a3f8da24e8a1966d3ce59c0b469a1270d6435af45796ec91456bb1e0e2', 4, 'swap'],
  ['0x9b97b64e9cc6e815f094532deb9581a5b7daa7de9eecaf344c66d6e707b0b418', 4, 'supply'],
  ['0x32b9f192f046502437b65280a1ff8a435327a7bb3986b85db4a5e61b44e5d3b3', 3, 'repay'],
  ['0x2bac1912f2481d12f0df08647c06bee174967c62d3a03cbc078eb215dc1bd9a2', 2, 'stake'],
  ['0x204fccf0d92ed8d48f204adb39b2e81e92bad0dedb93f5716ca9478cfb57de00', 2, 'unstake'],
  ['0xea00f88768a86184a6e515238a549c171769fe7460a011d6fd0bcd48ca078ea4', 4, 'vault_deposit'],
  ['0xd0c3c799bf9e2639de44391e7f524d229b2b55f5b1ea94b2bf7da42f7243dddd', 1, 'bridge_deposit'],
  ['0x21a9d8e221211780696258a05c6225b1a24f428e2fd4d51708f1ab2be4224d39', 4, 'nft_trade'],
  ['0x0e0d473f43a9d8727e62653cce4cd80d0c870ffb83dc4c93c9db4cb8ffe7053e', 2, 'nft_trade'],
  ['0x4fcc30d90a842164dd58501ab874a101a3749c3d4747139cefe7c876f4ccebd2', 1, 'nft_trade'],
];

describe('events with wording of their own', () => {
  it.each(PUBLISHED)('%s with %i topics means %s', (topic0, topics, kind) => {
    expect(shippedRules().events.get(`${topic0}:${topics}`)?.meanings.map((m) => m.kind)).toContain(kind);
  });
});
