import type { Hash } from '../../model/hex.ts';
import type { CanonicalTx, Log } from '../../model/canonicalTx.ts';
import type { BindExpr, TokenEventSpec } from '../../model/rulebook.ts';
import { addressOfWord, uintOfWord, wordAt } from '../../evm/hex.ts';
import type { Draft } from './draft.ts';
import { draftOf, erc20Asset, nftAsset } from './readStandardTransfer.ts';

/** The transfer a declared event states; null where its arguments do not resolve. */
export function readDeclaredTransfer(log: Log, spec: TokenEventSpec, tx: CanonicalTx): Draft | null {
  const read = (expr: BindExpr | null): string | null =>
    expr === null ? null : resolve(expr, log, spec, tx);
  const fromWord = read(spec.from);
  const toWord = read(spec.to);
  const from = fromWord === null ? null : addressOfWord(fromWord);
  const to = toWord === null ? null : addressOfWord(toWord);
  if (from === null || to === null) return null;
  if (spec.assetKind === 'erc721') {
    const id = read(spec.tokenId);
    return id === null ? null : draftOf(log, from, to, nftAsset('erc721', log.address, uintOfWord(id)), 1n);
  }
  const amount = read(spec.amount);
  return amount === null ? null : draftOf(log, from, to, erc20Asset(log.address), uintOfWord(amount));
}

/** The words of the bind language that make sense for a lone event, as a 32-byte word without prefix. */
function resolve(expr: BindExpr, log: Log, spec: TokenEventSpec, tx: CanonicalTx): string | null {
  switch (expr.op) {
    case 'arg': {
      const param = spec.params.find(({ name }) => name === expr.name);
      if (!param || expr.path.length > 0) return null;
      return param.indexed ? bare(log.topics[param.offset]) : wordAt(log.data, param.offset);
    }
    case 'first':
      for (const option of expr.of) {
        const word = resolve(option, log, spec, tx);
        if (word !== null) return word;
      }
      return null;
    case 'emitter':
      return pad(log.address);
    case 'signer':
      return pad(tx.from);
    case 'tx_to':
      return tx.to === null ? null : pad(tx.to);
    case 'zero':
      return pad('0x0');
    case 'literal':
      return literalWord(expr.value);
    default:
      return null;
  }
}

function bare(topic: Hash | undefined): string | null {
  return topic === undefined ? null : topic.slice(2);
}

function pad(hex: string): string {
  return hex.slice(2).padStart(64, '0');
}

function literalWord(value: string): string | null {
  if (/^0x[0-9a-f]{1,64}$/i.test(value)) return pad(value.toLowerCase());
  if (!/^[0-9]{1,78}$/.test(value)) return null;
  const number = BigInt(value);
  return number < 1n << 256n ? number.toString(16).padStart(64, '0') : null;
}
