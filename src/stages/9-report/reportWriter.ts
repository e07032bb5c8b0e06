import { placePoint } from '../../value/amount.ts';
import { parseAssetId } from '../../value/asset.ts';
import { checksumAddress } from '../../evm/address.ts';
import { assetText } from '../../value/display.ts';
import { AnalysisError } from '../../lib/errors.ts';
import type { CanonicalTx, Evidence } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { AssetId, ValueFlow } from '../../model/valueFlow.ts';
import type * as wire from '../../model/generated/report.ts';

/**
 * A count or height as a JSON integer. One that a double cannot hold exactly is no number to round but a
 * node's nonsense: `receipt_malformed`.
 */
export function jsonInteger(value: bigint, what: string): number {
  const integer = Number(value);
  if (!Number.isSafeInteger(integer) || integer < 0)
    throw new AnalysisError('receipt_malformed', `${what} is out of range`);
  return integer;
}

/** An address alone in a text, not inside an asset id or a longer word. */
const LONE_ADDRESS = /(?<![\w:])0x[0-9a-f]{40}(?!\w)/g;

const WHOLE_ADDRESS = /^0x[0-9a-f]{40}$/;

/** Turns pipeline values into report values; each address and asset is written once per report. */
export class ReportWriter {
  private readonly written = new Map<Address, string>();
  private readonly assets = new Map<AssetId, wire.Asset>();

  constructor(
    private readonly tx: CanonicalTx,
    private readonly flow: ValueFlow,
    private readonly context: RawContext,
  ) {}

  /** EIP-55. */
  address(address: Address): string {
    let text = this.written.get(address);
    if (text === undefined) this.written.set(address, (text = checksumAddress(address)));
    return text;
  }

  /** Addresses written so far, in the order in which they first occurred. */
  addresses(): Iterable<readonly [Address, string]> {
    return this.written;
  }

  /** A text of the pipeline with the addresses in it checksummed. */
  text(text: string): string {
    if (WHOLE_ADDRESS.test(text)) return this.address(text as Address);
    return !text.includes('0x')
      ? text
      : text.replace(LONE_ADDRESS, (address) => this.address(address as Address));
  }

  addressOrNull(address: Address | null): string | null {
    return address === null ? null : this.address(address);
  }

  asset(id: AssetId): wire.Asset {
    let asset = this.assets.get(id);
    if (!asset) this.assets.set(id, (asset = this.describe(id)));
    return asset;
  }

  /** An amount in smallest units, as a text, in whole units: exact; null when the decimals are unknown. */
  amount({ decimals }: wire.Asset, raw: string): string | null {
    return decimals === null ? null : placePoint(raw, decimals);
  }

  evidence(evidence: Evidence): wire.Evidence {
    return {
      kind: evidence.kind,
      frame_path: this.framePath(evidence.frame),
      log_index: evidence.log === null ? null : (this.tx.logs[evidence.log]?.logIndex ?? null),
      contract: this.address(evidence.contract),
    };
  }

  /** Never empty: falls back to the transaction as evidence. */
  evidences(list: readonly Evidence[]): wire.Evidence[] {
    return list.length > 0 ? list.map((item) => this.evidence(item)) : [this.transactionEvidence()];
  }

  transactionEvidence(): wire.Evidence {
    const contract = this.tx.to ?? this.tx.createdContract ?? this.tx.from;
    return { kind: 'transaction', frame_path: [], log_index: null, contract: this.address(contract) };
  }

  framePath(frame: number | null): number[] | null {
    const path = frame === null ? undefined : this.tx.frames[frame]?.path;
    return path ? [...path] : null;
  }

  /** First and last receipt index among the logs in a list of evidence. */
  logRange(list: readonly Evidence[]): number[] | null {
    let range: [number, number] | null = null;
    for (const { log } of list) {
      const index = log === null ? undefined : this.tx.logs[log]?.logIndex;
      if (index !== undefined)
        range = range === null ? [index, index] : [Math.min(range[0], index), Math.max(range[1], index)];
    }
    return range;
  }

  private describe(id: AssetId): wire.Asset {
    const asset = this.flow.assets.get(id) ?? parseAssetId(id);
    if (!asset) throw new AnalysisError('internal', 'an asset without an id');
    const { symbol, name, decimals, impersonates } = assetText(asset, this.context.tokens);
    const { kind, tokenId: token_id } = asset;
    const address = this.addressOrNull(asset.address);
    const written: wire.Asset = { id, kind, address, token_id, symbol, name, decimals };
    if (impersonates) written.flags = ['impersonates'];
    return written;
  }
}

/** `m-<index>`. */
export function motifId(index: number): string {
  return `m-${index}`;
}
