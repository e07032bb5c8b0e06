const HASH = /^0x[0-9a-f]{64}$/;

/** A transaction hash as people paste it, in any letter case; null when it is none. */
export function readTxHash(text: string): string | null {
  const hash = text.trim().toLowerCase();
  return HASH.test(hash) ? hash : null;
}
