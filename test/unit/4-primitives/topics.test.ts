import { describe, expect, it } from 'vitest';
import { rulebook } from './support.ts';

/** topic0 and topic count as seen on chain or published by others, so that a slip in a signature cannot pass. */
const PUBLISHED: readonly (readonly [string, number, string])[] = [
  ['0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822', 3, 'swap'],
  ['0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67', 3, 'swap'],
  ['0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83', 3, 'swap'],
  ['0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f', 3, 'swap'],
  ['0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec', 3, 'add_liquidity'],
  ['0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f', 2, 'add_liquidity'],
  ['0x26f6a048ee9138f2c0ce266f322cb99228e8d619ae2bff30c67f8dcf9d2377b4', 2, 'remove_liquidity'],
  ['0x40d0efd1a53d60ecbf40971b9daf7dc90178c3aadc7aab1765632738fa8b8f01', 2, 'collect_fees'],
  ['0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b', 4, 'swap'],
  ['0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140', 2, 'swap'],
  ['0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98', 2, 'swap'],
  ['0x908fb5ee8f16c6bc9bc3690973819f32a4d4b10188134543c88706e0e1d43378', 4, 'swap'],
  ['0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17', 2, 'order_settled'],
  ['0x78ad7ec0e9f89e74012afa58738b6b661c024cb0fd185ee2f616c0a28924bd66', 4, 'order_settled'],
  ['0xb9ed0243fdf00f0545c63a0af8850c090d86bb46682baec4bf3c496814fe4f02', 2, 'order_settled'],
  ['0xfec331350fce78ba658e082a71da20ac9f8d798a99b3c79681c8440cbfe77e07', 1, 'order_settled'],
  ['0x0bcc4c97732e47d9946f229edb95f5b6323f601300e4690de719993f3c371129', 4, 'order_settled'],
  ['0x6869791f0a34781b29882982cc39e882768cf2c96995c2a110c577c53bc932d5', 4, 'order_settled'],
  ['0xac75f773e3a92f1a02b12134d65e1f47f8a14eabe4eaf1e24624918e6a8b269f', 1, 'order_settled'],
  ['0x34f57786fb01682fb4eec88d340387ef01a168fe345ea5b76f709d4e560c10eb', 1, 'swap'],
  ['0x4cc7e95e48af62690313a0733e93308ac9a73326bc3c29f1788b1191c376d5b6', 4, 'aggregation'],
  ['0x823eaf01002d7353fbcadb2ea3305cc46fa35d799cb0914846d185ac06f8ad05', 1, 'aggregation'],
  ['0x7d7fb03518253ae01913536628b78d6d82e63e19b943aab5f4948356021259be', 1, 'aggregation'],
  ['0x69db20ca9e32403e6c56e5193b3e3b2827ae5c430ccfdea392ba950d2d1ab2bc', 1, 'aggregation'],
  ['0x2c96555a96d94780f3a97aeb724514e80e331842f3143742d85da5aa68df9d30', 1, 'aggregation'],
];

describe('events of exchanges', () => {
  it.each(PUBLISHED)('%s with %i topics means %s', (topic0, topics, kind) => {
    expect(rulebook.events.get(`${topic0}:${topics}`)?.mappings.map((m) => m.kind)).toContain(kind);
  });
});
