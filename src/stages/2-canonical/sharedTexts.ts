import type { ErrorCode } from '../../lib/errors.ts';
import { readAddress, readBytes, readHash } from '../../evm/hex.ts';
import type { Address, Hash, Hex } from '../../model/hex.ts';

/** A power of two; two texts of one place only take turns in it. */
const PLACES = 128;
/** Of a word. What is longer seldom comes again. */
const LONGEST = 66;
const NOTHING: Hex = '0x';

/**
 * The addresses, hashes and words that one transaction's answers repeat: read once, and one text from then on, as far as there is
 * room. What is one text is looked up and compared several times quicker than what merely reads the same.
 */
export class SharedTexts {
  readonly #texts = new Array<Hex | undefined>(PLACES).fill(undefined);

  /** As `readAddress`. */
  address(value: unknown, code: ErrorCode, what: string): Address {
    const place = placeOf(value);
    const known = this.#texts[place];
    return known !== undefined && known === value && known.length === 42
      ? known
      : (this.#texts[place] = readAddress(value, code, what));
  }

  /** As `readHash`. */
  hash(value: unknown, code: ErrorCode, what: string): Hash {
    const place = placeOf(value);
    const known = this.#texts[place];
    return known !== undefined && known === value && known.length === 66
      ? known
      : (this.#texts[place] = readHash(value, code, what));
  }

  /** As `readBytes`. */
  bytes(value: unknown, code: ErrorCode, what: string): Hex {
    if (typeof value !== 'string' || value.length > LONGEST) return readBytes(value, code, what);
    if (value === NOTHING) return NOTHING;
    const place = placeOf(value);
    const known = this.#texts[place];
    return known === value ? known : (this.#texts[place] = readBytes(value, code, what));
  }
}

/** By the last two digits. */
function placeOf(value: unknown): number {
  if (typeof value !== 'string' || value.length < 2) return 0;
  return (value.charCodeAt(value.length - 1) * 17 + value.charCodeAt(value.length - 2)) & (PLACES - 1);
}
