import type { RawChain, RawFrame } from './rawChain.ts';
import { quantity } from './rawChain.ts';

/** First mainnet block in which SELFDESTRUCT spares contracts of earlier transactions (Cancun, EIP-6780). */
const CANCUN = 19_426_587n;

export interface Burnt {
  /** The SELFDESTRUCT that the ether vanished with. */
  readonly frame: RawFrame;
  readonly amount: bigint;
}

/** Ether destroyed with the account that held it: given to itself by its SELFDESTRUCT, or received after that and kept. */
export function burntEther(chain: RawChain): Burnt[] {
  const frames = [...chain.frames.values()].filter((frame) => !frame.failed).sort(byPath);
  const created = new Set(frames.filter(({ type }) => type.startsWith('CREATE')).map(({ to }) => to));
  const spares =
    quantity(chain.receipt['blockNumber']) >= CANCUN ||
    quantity(chain.receipt['blobGasPrice']) > 0n ||
    quantity(chain.tx['type']) >= 3n;
  const last = new Map<string, number>();
  frames.forEach(({ type, from }, i) => {
    if (type === 'SELFDESTRUCT' && (!spares || created.has(from))) last.set(from, i);
  });
  const found: Burnt[] = [];
  for (const [account, end] of last) {
    for (const frame of frames)
      if (frame.type === 'SELFDESTRUCT' && frame.from === account && frame.to === account && frame.value > 0n)
        found.push({ frame, amount: frame.value });
    const kept = frames
      .slice(end + 1)
      .reduce(
        (sum, { from, to, value }) => sum + (to === account ? value : 0n) - (from === account ? value : 0n),
        0n,
      );
    if (kept > 0n) found.push({ frame: frames[end]!, amount: kept });
  }
  return found;
}

function byPath(a: RawFrame, b: RawFrame): number {
  const [left, right] = [a.path, b.path].map((path) => (path === '' ? [] : path.split('.').map(Number))) as [
    number[],
    number[],
  ];
  for (let i = 0; i < Math.min(left.length, right.length); i++)
    if (left[i] !== right[i]) return left[i]! - right[i]!;
  return left.length - right.length;
}
