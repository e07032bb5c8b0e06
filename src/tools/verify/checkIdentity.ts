import { bytesToHex, decodeErrorResult, keccak256, parseAbi, type Hex } from 'viem';
import type { TxReport } from '../../model/generated/report.ts';
import { hashIsWrong } from '../../evm/headerHash.ts';
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
  checkBloom(chain, find);
  if (hashIsWrong(block)) find('identity', '/tx/timestamp', 'the header has another hash than the node says');
  equal('/tx/block_number', text(receipt['blockHash']), text(block['hash']));
  equal('/tx/hash', report.tx.hash, text(tx['hash']));
  equal('/tx/block_number', report.tx.block_number, Number(quantity(receipt['blockNumber'])));
  equal('/tx/signer', report.tx.signer, text(tx['from']));
  equal('/tx/to', report.tx.to, text(tx['to']));
  const time = new Date(Number(quantity(block['timestamp'])) * 1000).toISOString();
  equal('/tx/timestamp', report.tx.timestamp, time.replace('.000', ''));
  const index = Number(quantity(receipt['transactionIndex']));
  const [nonce, type] = [quantity(tx['nonce']), quantity(tx['type'])].map(Number);
  const own = { index, nonce, type, value_raw: String(quantity(tx['value'])) };
  // Reports of earlier versions lack some.
  for (const [key, value] of Object.entries({ ...own, ...report.tx }))
    if (key in own) equal(`/tx/${key}`, value as string, own[key as keyof typeof own]);
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

/**
 * The receipt's bloom filter is that of its logs (yellow paper, M3:2048): a recipient cannot be changed
 * alone.
 */
function checkBloom({ receipt, logs }: RawChain, find: Report): void {
  const claimed = receipt['logsBloom'];
  if (typeof claimed !== 'string') return;
  const filter = new Uint8Array(256);
  for (const { address, topics } of logs.values())
    for (const item of [address, ...topics]) {
      const digest = keccak256(item as Hex, 'bytes');
      for (const at of [0, 2, 4]) {
        const bit = ((digest[at]! << 8) | digest[at + 1]!) & 2047;
        filter[255 - (bit >>> 3)]! |= 1 << (bit & 7);
      }
    }
  if (bytesToHex(filter) !== claimed.toLowerCase())
    find('identity', '/tx/hash', 'the logs of the receipt are not those of its bloom filter');
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
