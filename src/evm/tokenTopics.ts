/** keccak256 of the standard token events' signatures; the test derives them again. */

/** `Transfer(address,address,uint256)`: ERC-20 and ERC-721. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `Approval(address,address,uint256)`: ERC-20 and ERC-721. */
export const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
/** `ApprovalForAll(address,address,bool)`: ERC-721 and ERC-1155. */
export const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31';
/** `BorrowAllowanceDelegated(address,address,address,uint256)`: a debt token's, over credit (Aave). */
export const CREDIT_APPROVAL = '0xda919360433220e13b51e8c211e490d148e61a3bd53de8c097194e458b97f3e1';
/** `TransferSingle(address,address,address,uint256,uint256)`: ERC-1155. */
export const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** `TransferBatch(address,address,address,uint256[],uint256[])`: ERC-1155. */
export const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
/** `ConsecutiveTransfer(uint256,uint256,address,address)`: ERC-2309. */
export const CONSECUTIVE_TRANSFER = '0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d';
/** `Deposit(address,uint256)` of wrapped ether. */
export const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
/** `Withdrawal(address,uint256)` of wrapped ether. */
export const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
/** `Approval(address,address,address,uint160,uint48)`: an allowance kept outside the token (Permit2). */
export const HELD_APPROVAL = '0xda9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b';
/** `Permit(address,address,address,uint160,uint48,uint48)`: the same, by signature. */
export const HELD_PERMIT = '0xc6a377bfc4eb120024a8ac08eef205be16b817020812c73223e81d1bdb9708ec';
/** `Lockdown(address,address,address)`: the same, revoked. */
export const HELD_LOCKDOWN = '0x89b1add15eff56b3dfe299ad94e01f2b52fbcb80ae1a3baea6ae8c04cb2b98a4';

/** Events only of tokens with balances that change without Transfers: counted in shares, or with interest. */
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
