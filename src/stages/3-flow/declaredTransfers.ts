import type { Address, Hash, Hex } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { BindExpr, Rulebook, TokenEventSpec } from '../../model/rulebook.ts';
import { addressOfWord, uintOfWord, wordAt, wordOf } from '../../evm/hex.ts';
import type { RawTransfer } from './rawTransfer.ts';
import { erc20Asset, nftAsset, transferOf } from './readStandardTransfer.ts';

/** Declarations of one event: by the emitters they name, and one for any other emitter. */
interface Declared {
  readonly named: ReadonlyMap<Address, TokenEventSpec>;
  readonly fallback: TokenEventSpec | null;
}

/** Token events as the rules declare them, found by log. */
export class Declarations {
  readonly #nftContracts: ReadonlySet<Address | null>;
  readonly #events: ReadonlyMap<string, Declared>;

  constructor(tokenEvents: Rulebook['tokenEvents']) {
    const nfts = [...tokenEvents.values()].flat().filter(({ assetKind }) => assetKind === 'erc721');
    this.#nftContracts = new Set(nfts.flatMap(({ emitters }) => [...emitters]));
    this.#events = new Map([...tokenEvents].map(([key, specs]) => [key, declaredBy(specs)]));
  }

  /** Whether ERC-20 transfers come from a declared NFT: they repeat declared events or count tokens held. */
  isHolding([first]: readonly RawTransfer[]): boolean {
    return first?.asset.kind === 'erc20' && this.#nftContracts.has(first.asset.address);
  }

  /** The declaration that applies to a log: one that names its emitter, else one that names none. */
  for({ topics, address }: Log): TokenEventSpec | null {
    const declared = this.#events.get(`${topics[0]}:${topics.length}`);
    return declared === undefined ? null : (declared.named.get(address) ?? declared.fallback);
  }
}

function declaredBy(specs: readonly TokenEventSpec[]): Declared {
  const named = new Map<Address, TokenEventSpec>();
  for (const spec of specs)
    for (const emitter of spec.emitters) if (!named.has(emitter)) named.set(emitter, spec);
  return { named, fallback: specs.find(({ emitters }) => emitters.size === 0) ?? null };
}

/** The transfer a declared event states; null where its arguments do not resolve. */
export function readDeclaredTransfer(log: Log, spec: TokenEventSpec, tx: CanonicalTx): RawTransfer | null {
  const read = (expr: BindExpr | null): string | null =>
    expr === null ? null : resolve(expr, log, spec, tx);
  const fromWord = read(spec.from);
  const toWord = read(spec.to);
  const from = fromWord === null ? null : addressOfWord(fromWord);
  const to = toWord === null ? null : addressOfWord(toWord);
  if (from === null || to === null) return null;
  if (spec.assetKind === 'erc721') {
    const id = read(spec.tokenId);
    return id === null
      ? null
      : transferOf(log, [from, to], nftAsset('erc721', log.address, uintOfWord(id)), 1n);
  }
  const amount = read(spec.amount);
  return amount === null ? null : transferOf(log, [from, to], erc20Asset(log.address), uintOfWord(amount));
}

/** Resolves an expression to a 32-byte word without prefix; null where one event is not enough. */
function resolve(expr: BindExpr, log: Log, spec: TokenEventSpec, tx: CanonicalTx): string | null {
  switch (expr.op) {
    case 'arg':
      return argument(expr, log, spec);
    case 'first':
      return expr.of.map((option) => resolve(option, log, spec, tx)).find((word) => word !== null) ?? null;
    case 'emitter':
      return wordOf(log.address);
    case 'signer':
      return wordOf(tx.from);
    case 'tx_to':
      return tx.to === null ? null : wordOf(tx.to);
    case 'zero':
      return wordOf('0x0');
    case 'literal':
      return literalWord(expr.value);
    default:
      return null;
  }
}

function argument(
  { name, path }: Extract<BindExpr, { op: 'arg' }>,
  log: Log,
  { params }: TokenEventSpec,
): string | null {
  const param = params.find((one) => one.name === name);
  if (!param || path.length > 0) return null;
  return param.indexed ? bare(log.topics[param.offset]) : wordAt(log.data, param.offset);
}

function bare(topic: Hash | undefined): string | null {
  return topic === undefined ? null : topic.slice(2);
}

function literalWord(value: string): string | null {
  if (/^0x[0-9a-f]{1,64}$/i.test(value)) return wordOf(value.toLowerCase() as Hex);
  if (!/^[0-9]{1,78}$/.test(value)) return null;
  const number = BigInt(value);
  return number < 1n << 256n ? wordOf(number) : null;
}
