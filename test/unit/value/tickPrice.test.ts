import { describe, expect, it } from 'vitest';
import { sqrtRatioAtTick } from '../../../src/value/tickPrice.ts';

/** Values of the pools' own library, from its test suite (v3-core, TickMath.spec.ts) and its constants. */
describe('sqrtRatioAtTick', () => {
  it.each<[number, bigint]>([
    [0, 79_228_162_514_264_337_593_543_950_336n],
    [50, 79_426_470_787_362_580_746_886_972_461n],
    [-50, 79_030_349_367_926_598_376_800_521_322n],
    [100, 79_625_275_426_524_748_796_330_556_128n],
    [887_272, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n],
    [-887_272, 4_295_128_739n],
  ])('of %s is %s', (tick, ratio) => expect(sqrtRatioAtTick(tick)).toBe(ratio));

  it.each([887_273, -887_273, 0.5, NaN, Infinity])('of %s is none', (tick) =>
    expect(sqrtRatioAtTick(tick)).toBeNull(),
  );
});
