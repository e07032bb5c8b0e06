import { decodeErrorResult, parseAbi, type Hex } from 'viem';
import type { TxReport } from '../../model/generated/report.ts';
import { formatUnits } from 'viem/utils';
import type { Report } from './finding.ts';
import { gasCost, gasPrice, quantity, type RawChain } from './rawChain.ts';

/** Checks the parts of a report that the transaction and its receipt state: accounts, block, gas. */
export function checkIdentity(report: TxReport, chain: RawChain, find: Report): void {
  const { tx, receipt, block } = chain;
  const text = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : null);
  const equal = (at: string, claimed: unknown, actual: unknown) => {
    const normal = typeof claimed === 'string' && claimed.startsWith('0x') ? claimed.toLowerCase() : claimed;
    if (normal !== actual) find('identity', at, `${String(claimed)} is ${String(actual)} on chain`);
  };
  const gasUsed = quantity(receipt['gasUsed']);
  const price = gasPrice(chain);
  const baseFee = quantity(block['baseFeePerGas']);
  equal('/chain/id', report.chain.id, 1);
  equal('/chain/name', report.chain.name, 'Ethereum Mainnet');
  equal(
    '/execution/outcome',
    outcomeWord(report.execution.outcome),
    chain.succeeded ? 'Success' : 'Reverted',
  );
  checkReason(report, chain, find);
  equal('/tx/hash', report.tx.hash, text(tx['hash']));
  equal('/tx/block_number', report.tx.block_number, Number(quantity(receipt['blockNumber'])));
  equal('/tx/signer', report.tx.signer, text(tx['from']));
  equal('/tx/to', report.tx.to, text(tx['to']));
  const time = new Date(Number(quantity(block['timestamp'])) * 1000).toISOString();
  equal('/tx/timestamp', report.tx.timestamp, time.replace('.000', ''));
  const [index, nonce] = [quantity(receipt['transactionIndex']), quantity(tx['nonce'])].map(Number);
  equal('/tx/index', report.tx.index ?? index, index);
  equal('/tx/nonce', report.tx.nonce ?? nonce, nonce);
  equal('/attribution/signer', report.attribution.signer, text(tx['from']));
  equal('/execution/reverted', report.execution.reverted, !chain.succeeded);
  equal('/execution/gas_used', report.execution.gas_used, Number(gasUsed));
  equal('/execution/base_fee_per_gas', report.execution.base_fee_per_gas, Number(baseFee));
  equal('/execution/priority_fee_per_gas', report.execution.priority_fee_per_gas, Number(price - baseFee));
  equal('/execution/gas_cost_native', report.execution.gas_cost_native, formatUnits(gasCost(chain), 18));

  const stats = report.pipeline_stats;
  const nodes = new Set((report.movements ?? []).flatMap((m) => [m.from, m.to]));
  equal('/pipeline_stats/logs', stats.logs, chain.logs.size);
  equal('/pipeline_stats/frames', stats.frames, chain.frames.size);
  equal('/pipeline_stats/economic_movements', stats.economic_movements, report.movements?.length ?? 0);
  equal('/pipeline_stats/tvfg_edges', stats.tvfg_edges, report.movements?.length ?? 0);
  equal('/pipeline_stats/tvfg_nodes', stats.tvfg_nodes, nodes.size);
}

const outcomeWord = (outcome: string): string =>
  outcome === 'Success' ? outcome : outcome.split(/[ :]/)[0]!;

const ERROR_ABI = parseAbi(['error Error(string)']);

/** The text of `Error(string)` that the root frame returned is the reason given. */
function checkReason(report: TxReport, chain: RawChain, find: Report): void {
  const output = chain.frames.get('')?.output ?? '';
  if (chain.succeeded || !output.startsWith('0x08c379a0')) return;
  try {
    const { args } = decodeErrorResult({ abi: ERROR_ABI, data: output as Hex });
    const reason = String(args[0]);
    if (/^[\w .,:()!-]{1,200}$/.test(reason) && report.execution.outcome !== `Reverted: ${reason.trim()}`) {
      find('identity', '/execution/outcome', `the root frame returned ${reason}`);
    }
  } catch {
    // Malformed data has no text to compare.
  }
}
