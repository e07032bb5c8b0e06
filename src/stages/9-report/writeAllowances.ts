import { formatAmount } from '../../value/amount.ts';
import { assetText } from '../../value/display.ts';
import type * as wire from '../../model/generated/report.ts';
import type { RawContext } from '../../model/upstream.ts';
import type { Allowance } from '../../model/valueFlow.ts';
import type { Suspects } from '../../value/suspectTokens.ts';
import type { ReportWriter } from './reportWriter.ts';
import { isoTime } from './writeTransaction.ts';

function writeAsset(
  { token, assetKind: kind, tokenId }: Allowance,
  tokens: RawContext['tokens'],
  writer: ReportWriter,
): wire.AllowanceAsset {
  const id = kind === 'erc20' ? `eip155:1/erc20:${token}` : tokenId && `eip155:1/${kind}:${token}/${tokenId}`;
  const { symbol, name, decimals } = assetText({ id: id ?? '', kind, address: token, tokenId }, tokens);
  return {
    id,
    kind: kind as wire.AllowanceAsset['kind'],
    address: writer.address(token),
    token_id: tokenId,
    symbol,
    name,
    decimals,
  };
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
