import type { Allowance, TxReport } from '../../model/generated/report.ts';
import { decimalText } from './checkDeltas.ts';
import type { Report } from './finding.ts';
import { quantity, type RawChain, type RawLog } from './rawChain.ts';

const wordsOf = (log: RawLog): Set<string> =>
  new Set([
    ...log.topics.slice(1).map((topic) => topic.slice(2)),
    ...(log.data.slice(2).match(/.{64}/g) ?? []),
  ]);
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

/** Allowances are stated by their logs; the block's time, the nonce and the failing frame are the node's. */
export function checkAllowances(report: TxReport, chain: RawChain, find: Report): void {
  (report.allowances ?? []).forEach((allowance, i) => {
    const logs = allowance.evidence.flatMap(({ log_index: index }) =>
      index === null ? [] : (chain.logs.get(index) ?? []),
    );
    if (logs.length > 0) checkAllowance(allowance, logs, `/allowances/${i}`, find);
  });
  const { timestamp, nonce, index } = report.tx;
  const time = new Date(Number(quantity(chain.block['timestamp'])) * 1000).toISOString();
  if (timestamp != null && Date.parse(timestamp) !== Date.parse(time)) {
    find('identity', '/tx/timestamp', `the block is of ${time}`);
  }
  if (index != null && BigInt(index) !== quantity(chain.receipt['transactionIndex'])) {
    find('identity', '/tx/index', `${index} is ${quantity(chain.receipt['transactionIndex'])} on chain`);
  }
  if (nonce != null && BigInt(nonce) !== quantity(chain.tx['nonce'])) {
    find('identity', '/tx/nonce', `${nonce} is ${quantity(chain.tx['nonce'])} on chain`);
  }
  checkFailure(report, chain, find);
}

function checkAllowance(allowance: Allowance, logs: readonly RawLog[], at: string, find: Report): void {
  const stated = logs.map(wordsOf);
  const states = (value: bigint): boolean => stated.some((words) => words.has(word(value)));
  const must = (holds: boolean, where: string, message: string): void => {
    if (!holds) find('allowance', `${at}${where}`, message);
  };
  must(states(BigInt(allowance.owner)), '/owner', 'its log does not name the owner');
  must(states(BigInt(allowance.spender)), '/spender', 'its log does not name the spender');
  if (allowance.amount_raw === null) return;
  const raw = BigInt(allowance.amount_raw);
  must(states(raw), '/amount_raw', `its log does not state ${raw}`);
  const { decimals } = allowance.asset;
  must(
    allowance.amount === (decimals === null ? null : decimalText(raw, decimals)),
    '/amount',
    'is not the raw amount in whole units',
  );
  must((allowance.kind === 'revoked') === (raw === 0n) || raw === 0n, '/kind', 'a revoked allowance is zero');
}

function checkFailure(report: TxReport, chain: RawChain, find: Report): void {
  const { failure, attempts = [] } = report.execution;
  for (const [i, attempt] of attempts.entries())
    checkFailed(attempt, `/execution/attempts/${i}`, chain, find);
  if (!failure) return;
  const at = '/execution/failure';
  if (chain.succeeded) return find('identity', at, 'is named although the transaction succeeded');
  checkFailed(failure, at, chain, find);
  if (!failure.cause) return;
  const [outer, inner] = [failure.frame_path.join('.'), failure.cause.frame_path.join('.')];
  if (inner === outer || !`${inner}.`.startsWith(outer === '' ? '' : `${outer}.`))
    find('identity', `${at}/cause`, `frame [${inner}] is not inside [${outer}]`);
  checkFailed(failure.cause, `${at}/cause`, chain, find);
}

type FailedFrame = Pick<NonNullable<TxReport['execution']['failure']>, 'frame_path' | 'contract'>;

function checkFailed(failure: FailedFrame, at: string, chain: RawChain, find: Report): void {
  const frame = chain.frames.get(failure.frame_path.join('.'));
  if (!frame)
    return find('identity', `${at}/frame_path`, `frame [${failure.frame_path}] is not in the trace`);
  if (!frame.failed) find('identity', `${at}/frame_path`, `frame [${failure.frame_path}] did not fail`);
  if (failure.contract !== null && failure.contract.toLowerCase() !== frame.to) {
    find('identity', `${at}/contract`, `frame [${failure.frame_path}] called ${frame.to}`);
  }
}
