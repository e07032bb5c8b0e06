/**
 * Events raised only by tokens with balances derived from shares or an index, so that balances change
 * without Transfers: events that count shares beside amounts, and interest-bearing tokens' events that add
 * accrued interest.
 */
export const SHARE_TOPICS: ReadonlySet<string> = new Set([
  // TransferShares(address,address,uint256)
  '0x9d9c909296d9c674451c0c24f02cb64981eb3b727f99865939192f880a755dcb',
  // BalanceTransfer(address,address,uint256,uint256)
  '0x4beccb90f994c31aced7a23b5611020728a23d8ec5cddd1a3e9d97b96fda8666',
  // Mint(address,address,uint256,uint256,uint256)
  '0x458f5fa412d0f69b08dd84872b0215675cc67bc1d5b6fd93300a1c3878b86196',
  // Burn(address,address,uint256,uint256,uint256)
  '0x4cf25bc1d991c17529c25213d3cc0cda295eeaad5f13f361969b12ea48015f90',
]);
