import { formatAmount } from '../../value/amount.ts';
import { assetText } from '../../value/display.ts';
import type * as wire from '../../model/generated/report.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { Allowance } from '../../model/valueFlow.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import type { ReportWriter } from './reportWriter.ts';
import { isoTime } from './writeTransaction.ts';

function writeAsset(allowance: Allowance, tokens: RawContext['tokens'], writer: ReportWriter) {
  const { token, assetKind, tokenId: token_id } = allowance;
  const kind = assetKind as wire.AllowanceAsset['kind'];
  const id =
    kind === 'erc20' ? `eip155:1/erc20:${token}` : token_id && `eip155:1/${kind}:${token}/${token_id}`;
  const asset = { id: id ?? '', kind: assetKind, address: token, tokenId: token_id };
  const { symbol, name, decimals } = assetText(asset, tokens);
  return { id, kind, address: writer.address(token), token_id, symbol, name, decimals };
}

/** An allowance as the report states it; an expiry that no calendar holds is none. */
export function writeAllowance(
  allowance: Allowance,
  { tokens }: Pick<RawContext, 'tokens'>,
  suspects: Suspects | undefined,
  writer: ReportWriter,
): wire.Allowance {
  const unasked = suspects?.allowances.has(allowance.evidence.log!) === true;
  const { amount, expiresAt } = allowance;
  const asset = writeAsset(allowance, tokens, writer);
  const { decimals } = asset;
  return {
    asset,
    owner: writer.address(allowance.owner),
    spender: writer.address(allowance.spender),
    kind: allowance.kind,
    amount_raw: amount?.toString() ?? null,
    amount: amount === null || decimals === null ? null : formatAmount(amount, decimals),
    unlimited: allowance.unlimited,
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    evidence: [writer.evidence(allowance.evidence)],
    status: unasked ? 'Suspected' : 'Proven',
    flags: [...(allowance.isCredit ? ['credit'] : []), ...(unasked ? ['unasked'] : [])],
  };
}
