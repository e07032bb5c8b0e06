/**
 * geth's words for each way a call can fail, with the patterns other clients use for it. First match wins.
 * A closed vocabulary keeps node text out of reports and makes both dialects say the same.
 */
const FAILURES: readonly (readonly [canonical: string, pattern: RegExp])[] = [
  ['contract creation code storage out of gas', /code (?:storage|store)/],
  ['execution reverted', /revert/],
  ['out of gas', /out of ?gas|outofgas|gas uint64 overflow|insufficient gas/],
  ['invalid jump destination', /jump/],
  ['stack underflow', /stack ?underflow/],
  ['stack overflow', /out of stack|stack ?overflow|stack limit/],
  ['write protection', /write protection|static|mutable call/],
  ['insufficient balance for transfer', /insufficient (?:balance|funds)|out ?of ?funds|outoffund/],
  ['max call depth exceeded', /depth|calltoodeep/],
  ['contract address collision', /collision/],
  ['max code size exceeded', /code ?size|contract ?size|createcontractsize/],
  ['invalid code: must not begin with 0xef', /0xef|startingwithef|starting with ef/],
  ['invalid opcode', /opcode|bad instruction|invalid instruction|designated invalid|invalidfe/],
  ['return data out of bounds', /out of ?(?:bounds|offset)/],
  ['precompile failed', /precompile|built-?in/],
];

/** A call's failure in one vocabulary; text no client is known to use becomes `failed`. */
export function canonicalError(text: unknown): string {
  if (typeof text !== 'string') return 'failed';
  const words = text.slice(0, 200).toLowerCase();
  return FAILURES.find(([, pattern]) => pattern.test(words))?.[0] ?? 'failed';
}
