const DIGITS = /^(?:0x)?[0-9a-f]{64}$/;
/** A hash inside a longer text, such as an explorer's URL, that is no part of a longer run of digits. */
const INSIDE = /(?<![0-9a-f])0x[0-9a-f]{64}(?![0-9a-f])/g;

/**
 * The hash in pasted text, as 0x and 64 lower-case digits: in any case, quoted, without `0x`, or inside an
 * explorer's URL. Null when the text holds none, or two different ones.
 */
export function readTxHash(text: string): string | null {
  const plain = text.trim().toLowerCase();
  const bare = plain.replace(/^['"`<]+|['"`>]+$/g, '');
  if (DIGITS.test(bare)) return bare.startsWith('0x') ? bare : `0x${bare}`;
  const found = new Set(plain.match(INSIDE));
  return found.size === 1 ? [...found][0]! : null;
}

/** Explains why `text` is not a transaction hash and how to fix it. */
export function whyNoTxHash(text: string): string {
  const plain = text.trim();
  if (plain === '') return 'paste a transaction hash: 0x and 64 hexadecimal digits';
  if (/^0x[0-9a-f]{40}$/i.test(plain)) return 'this is an address; a transaction hash has 64 digits after 0x';
  const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(plain)?.[1]?.length;
  if (digits !== undefined)
    return (
      `this has ${digits} hexadecimal digits; a transaction hash has 64 after 0x. ` +
      'Was it cut when copied?'
    );
  if (new Set(plain.toLowerCase().match(INSIDE)).size > 1)
    return 'this holds several transaction hashes; paste one';
  return 'a transaction hash is 0x and 64 hexadecimal digits; an explorer’s link to it works too';
}
