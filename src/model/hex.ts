/** `0x`-prefixed, lower-case; addresses are checksummed (EIP-55) only when the report is written. */
export type Hex = `0x${string}`;
/** 20 bytes, lower-case. */
export type Address = Hex;
/** 32 bytes, lower-case. */
export type Hash = Hex;
