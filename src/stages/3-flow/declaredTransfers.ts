import { eventsByLog } from '../../evm/signatures.ts';
import type { Address } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { BindExpr, Rulebook, TokenEventSpec } from '../../model/rulebook.ts';
import { evaluateAccount, evaluateInteger, resolverOf, type Resolver } from '../../value/resolver.ts';
import type { RawTransfer } from './rawTransfer.ts';
import { erc20Asset, nftAsset, transferOf } from './readStandardTransfer.ts';

/** A declared event with prepared expressions. */
interface Declaration {
  readonly spec: TokenEventSpec;
  readonly from: Resolver;
  readonly to: Resolver;
  /** The NFT's id, else the amount. */
  readonly number: Resolver | null;
}

/** Declarations of one event: by the emitters they name, and one for any other emitter. */
interface Declared {
  readonly named: ReadonlyMap<Address, Declaration>;
  readonly fallback: Declaration | null;
}

/** Token events as the rules declare them, found by log. */
export class Declarations {
  readonly #nftContracts: ReadonlySet<Address | null>;
  readonly #declaredBy: (log: Log) => Declared | undefined;

  constructor(tokenEvents: Rulebook['tokenEvents']) {
    const nfts = [...tokenEvents.values()].flat().filter(({ assetKind }) => assetKind === 'erc721');
    this.#nftContracts = new Set(nfts.flatMap(({ emitters }) => [...emitters]));
    this.#declaredBy = eventsByLog(tokenEvents, declaredBy);
  }

  /** Whether ERC-20 transfers come from a declared NFT: they repeat declared events or count tokens held. */
  isHolding([first]: readonly RawTransfer[]): boolean {
    return first?.asset.kind === 'erc20' && this.#nftContracts.has(first.asset.address);
  }

  /** The declaration that applies to a log: one that names its emitter, else one that names none. */
  for(log: Log): Declaration | null {
    const declared = this.#declaredBy(log);
    return declared === undefined ? null : (declared.named.get(log.address) ?? declared.fallback);
  }
}

function declaredBy(specs: readonly TokenEventSpec[]): Declared {
  const named = new Map<Address, Declaration>();
  const declarations = specs.map(prepared);
  for (const one of declarations)
    for (const emitter of one.spec.emitters) if (!named.has(emitter)) named.set(emitter, one);
  return { named, fallback: declarations.find(({ spec }) => spec.emitters.size === 0) ?? null };
}

function prepared(spec: TokenEventSpec): Declaration {
  const params = new Map(spec.params.map((param) => [param.name, param]));
  const ready = (expr: BindExpr): Resolver => resolverOf(expr, params);
  const number = spec.assetKind === 'erc721' ? spec.tokenId : spec.amount;
  return { spec, from: ready(spec.from), to: ready(spec.to), number: number && ready(number) };
}

/** The transfer a declared event states; null where its arguments do not resolve. */
export function readDeclaredTransfer(
  log: Log,
  { spec, from, to, number }: Declaration,
  tx: CanonicalTx,
): RawTransfer | null {
  const scope = {
    args: { topics: log.topics, data: log.data, base: 0 },
    callArgs: null,
    outputArgs: null,
    contract: log.address,
    caller: null,
    value: null,
    signer: tx.from,
    txTo: tx.to,
    legs: [],
  };
  const [sender, recipient] = [evaluateAccount(from, scope), evaluateAccount(to, scope)];
  const stated = evaluateInteger(number, scope);
  if (sender === null || recipient === null || stated === null || stated < 0n) return null;
  const isNft = spec.assetKind === 'erc721';
  const asset = isNft ? nftAsset('erc721', log.address, stated) : erc20Asset(log.address);
  return transferOf(log, [sender, recipient], asset, isNft ? 1n : stated);
}
