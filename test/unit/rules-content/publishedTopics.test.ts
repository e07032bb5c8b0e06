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
  ['0x2bad8bc95088af2c247b30fa2b2e6a0886f88625e0945cd3051008e0e270198f', 2, 'supply'],
  ['0xbc83c08f0b269b1726990c8348ffdf1ae1696244a14868d766e542a2f18cd7d4', 2, 'withdraw'],
  ['0xdddcdb07e460849cf04a4445b7af9faf01b7f5c7ba75deaf969ac5ed830312c3', 3, 'nft_trade'],
  ['0xe54e51e42099622516fa3b48e9733581c9dbdcb771cafb093f745a0532a35982', 3, 'bridge_deposit'],
  ['0x192442a2b2adb6a7948f097023cb6b57d29d3a7a5dd33e6666d33c39cc456f32', 3, 'bridge_deposit'],
  ['0x97a0199072f487232635d50ab75860891afe0b91c976ed2fc76502c4d82d0d95', 3, 'bridge_deposit'],
  ['0x59bed9ab5d78073465dd642a9e3e76dfdb7d53bcae9d09df7d0b8f5234d5a806', 1, 'account_execution'],
  ['0x87f1f9dcf5e8089a3e00811b6a008d8f30293a3da878cb1fe8c90ca376402f8a', 3, 'add_liquidity'],
  ['0xa32e146844d6144a22e94c586715a1317d58a8aa3581ec33d040113ddcb24350', 3, 'remove_liquidity'],
  ['0x3a5b9dc26075a3801a6ddccf95fec485bb7500a91b44cec1add984c21ee6db3b', 1, 'vault_deposit'],
  ['0xd93cf895c7d5b2cd7dc7a098b678b3089f37d91f48d9b83a0800a91cbdf05284', 1, 'vault_withdraw'],
  ['0xcd05f5b9dc4bb03babf40f5da98f5f46819846207d916f89b67d36fd1f7fd74f', 4, 'bridge_deposit'],
  ['0xbdb65cfd017af0876344138f62bc895163b5fd120cbe6e666ed306afd658de4b', 4, 'bridge_withdrawal'],
  ['0x6effdda786735d5033bfad5f53e5131abcced9e52be6c507b62d639685fbed6d', 1, 'order_settled'],
];

describe('events with wording of their own', () => {
  it.each(PUBLISHED)('%s with %i topics means %s', (topic0, topics, kind) => {
    expect(
      shippedRules()
        .events.get(`${topic0}:${topics}`)
        ?.meanings.map((m) => m.kind),
    ).toContain(kind);
  });
});
