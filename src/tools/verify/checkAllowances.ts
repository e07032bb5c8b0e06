import type { Allowance, TxReport } from '../../model/generated/report.ts';
import { APPROVALS } from './checkMovements.ts';
import { mustOf, type Must, type Report } from './finding.ts';
import { wordHex, wordsOf, type RawChain, type RawLog } from './rawChain.ts';

/** Amounts at which an allowance is unlimited for certain, and below which it is not (uint96 to uint256). */
const UNLIMITED = 1n << 255n;
const LIMITED = 1n << 95n;

/** Allowances are stated by their logs, and their parts agree with each other. */
export function checkAllowances(report: TxReport, chain: RawChain, find: Report): void {
  if (report.allowances) checkComplete(report, chain, mustOf(find, 'allowance', '/allowances'));
  (report.allowances ?? []).forEach((allowance, i) => {
    const logs = allowance.evidence.flatMap(({ log_index: index }) =>
      index === null ? [] : (chain.logs.get(index) ?? []),
    );
    const must = mustOf(find, 'allowance', `/allowances/${i}`);
    checkStated(allowance, logs, must);
    checkAmount(allowance, must);
  });
}

/** `approve(address,uint256)` and `setApprovalForAll(address,bool)`. */
const GRANTS = /^0x(095ea7b3|a22cb465)/;

/** Approvals that an owner's own call had its token log are listed, all in the order of the logs. */
function checkComplete({ allowances = [] }: TxReport, chain: RawChain, must: Must): void {
  const listed = allowances.flatMap(({ evidence }) => evidence.map(({ log_index: index }) => index ?? -1));
  const isInOrder = listed.every((index, i) => i === 0 || listed[i - 1]! <= index);
  must(isInOrder, '', 'are not in order');
  const grants = [...chain.frames.values()].filter(({ input, failed }) => !failed && GRANTS.test(input));
  for (const log of chain.logs.values()) {
    const [owner, spender] = wordsOf(log);
    const isAsked = grants.some(
      ({ to, from, input }) =>
        to === log.address && owner?.endsWith(from.slice(2)) && input.slice(10, 74) === spender,
    );
    const isApproval = APPROVALS.has(log.topics[0] ?? '');
    must(!isApproval || !isAsked || listed.includes(log.index), '', `that of log ${log.index} is left out`);
  }
}

function checkStated(allowance: Allowance, logs: readonly RawLog[], must: Must): void {
  const { owner, spender, amount_raw: raw, expires_at: end } = allowance;
  const words = new Set(logs.flatMap(wordsOf));
  const states = (value: bigint | number): boolean => words.has(wordHex(value));
  // Years of more digits need a sign (ECMA-262).
  const isTimed = end == null || states(Date.parse(end.replace(/^\d{6}-/, '+$&')) / 1000);
  must(isTimed, '/expires_at', 'its log states another time');
  if (logs.length === 0) return;
  must(states(BigInt(owner)), '/owner', 'its log does not name the owner');
  must(states(BigInt(spender)), '/spender', 'its log does not name the spender');
  must(raw === null || states(BigInt(raw)), '/amount_raw', `its log does not state ${raw}`);
}

function checkAmount({ kind, amount_raw: raw, unlimited }: Allowance, must: Must): void {
  if (kind === 'revoked') return must(raw === null || raw === '0', '/kind', 'a revoked allowance is zero');
  const isOperator = kind === 'operator';
  must((raw === null) === isOperator, '/amount_raw', 'an amount is given for all but an operator');
  if (isOperator) must(unlimited, '/unlimited', 'an operator may spend all');
  else if (raw !== null) {
    must(BigInt(raw) < UNLIMITED || unlimited, '/unlimited', 'is false of the whole range');
    must(BigInt(raw) >= LIMITED || !unlimited, '/unlimited', 'is true of a small amount');
  }
}
