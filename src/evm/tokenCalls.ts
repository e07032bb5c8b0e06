/** Selector of `transfer(address,uint256)` (EIP-20). */
export const TRANSFER_CALL = '0xa9059cbb';
/** Selector of `transferFrom(address,address,uint256)` (EIP-20, EIP-721). */
export const TRANSFER_FROM_CALL = '0x23b872dd';
