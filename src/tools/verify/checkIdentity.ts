import {
  bytesToHex,
  decodeErrorResult,
  decodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiItem,
  toFunctionSelector,
  type AbiFunction,
  type Hex,
} from 'viem';
import type { Failure, Method, TxReport } from '../../model/generated/report.ts';
import { authoritiesOf } from '../../evm/signing.ts';
import { attempt } from '../../lib/attempt.ts';
import { hashIsWrong } from '../../evm/blockHeader.ts';
import { formatUnits } from 'viem/utils';
import { mustOf, type Must, type Report } from './finding.ts';
import { gasCost, gasPrice, isSame, quantity, type RawChain } from './rawChain.ts';

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
  const outcome = chain.succeeded ? 'Success' : 'Reverted';
  equal('/execution/outcome', report.execution.outcome.split(/[ :]/)[0], outcome);
  checkReasons(report, chain, find);
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
  const { count = 0, gas_used: blobGas = 0 } = report.tx.blobs ?? {};
  equal('/tx/blobs/count', count, [tx['blobVersionedHashes'] ?? []].flat().length);
  equal('/tx/blobs/gas_used', blobGas, Number(quantity(receipt['blobGasUsed'])));
  const listed = report.attribution.delegations.filter(({ source }) => source === 'authorization_list');
  const authorities = listed.map(({ authority }) => authority?.toLowerCase()).join();
  equal('/attribution/delegations', authorities, authoritiesOf(tx['authorizationList']).join());
  equal('/attribution/signer', report.attribution.signer, text(tx['from']));
  equal('/execution/reverted', report.execution.reverted, !chain.succeeded);
  equal('/execution/gas_used', report.execution.gas_used, Number(gasUsed));
  equal('/execution/base_fee_per_gas', report.execution.base_fee_per_gas, Number(baseFee));
  equal('/execution/priority_fee_per_gas', report.execution.priority_fee_per_gas, Number(price - baseFee));
  equal('/execution/gas_cost_native', report.execution.gas_cost_native, formatUnits(gasCost(chain), 18));
  checkStats(report, chain, equal, find);
}

type Equal = (at: string, claimed: unknown, actual: unknown) => void;

function checkStats(report: TxReport, chain: RawChain, equal: Equal, find: Report): void {
  const stats = report.pipeline_stats;
  const nodes = new Set((report.movements ?? []).flatMap((m) => [m.from, m.to]));
  const moving = new Set((report.movements ?? []).flatMap((m) => m.evidence.log_index ?? []));
  const still =
    chain.logs.size -
    moving.size +
    [...chain.frames.values()].filter((f) => f.from === f.to && f.value > 0n).length;
  if (stats.non_economic_movements > still)
    find('identity', '/pipeline_stats/non_economic_movements', `no more than ${still} could move nothing`);
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

const ERROR_ABI = parseAbi(['error Error(string)']);

/** The reasons given are those that the frames returned, the root's for the outcome. */
function checkReasons({ execution }: TxReport, chain: RawChain, find: Report): void {
  const { outcome, failure, attempts = [], more_attempts: more = 0 } = execution;
  const check = (at: string, path: readonly number[], shown: string | null): void => {
    const exact = reasonIn(chain.frames.get(path.join('.'))?.output ?? '');
    // A custom error may be shown by its name.
    const isNamed = exact?.startsWith(CUSTOM) && shown !== null && !shown.includes(CUSTOM);
    if (exact !== null && shown !== exact && !isNamed) find('identity', at, `the frame returned ${exact}`);
  };
  if (!chain.succeeded) check('/execution/outcome', [], outcome.replace('Reverted: ', ''));
  if (failure) check('/execution/failure/reason', failure.frame_path, failure.reason);
  attempts.forEach((one, i) => check(`/execution/attempts/${i}/reason`, one.frame_path, one.reason));
  const outermost = [...chain.frames.values()].filter(
    ({ path, failed }) => failed && chain.frames.get(path.replace(/\.?\d+$/, ''))?.failed === false,
  );
  if (chain.succeeded && outermost.length !== attempts.length + more)
    find('identity', '/execution/attempts', `${outermost.length} calls failed`);
}

const CUSTOM = 'custom error ';

/** The text of `Error(string)`, or the selector of another error; null where there is none to compare. */
function reasonIn(output: string): string | null {
  if (!output.startsWith('0x08c379a0')) return output.length < 10 ? null : CUSTOM + output.slice(0, 10);
  const [text = ''] = attempt(() => decodeErrorResult({ abi: ERROR_ABI, data: output as Hex }).args) ?? [];
  return /^[\w .,:()!-]{1,200}$/.test(text) ? text.trim() : null;
}

/** The called functions: the selector is the calldata's, and signature, name and arguments follow from it. */
export function checkCalls({ tx, execution }: TxReport, chain: RawChain, find: Report): void {
  const url = `https://etherscan.io/tx/${tx.hash}`;
  if (tx.etherscan_url !== url) find('identity', '/tx/etherscan_url', `the transaction is at ${url}`);
  const input = typeof chain.tx['input'] === 'string' ? chain.tx['input'] : '0x';
  checkMethod(tx.to === null ? null : tx.method, tx.to === null ? '0x' : input, '/tx/method', find);
  checkFailedCalls(execution, chain, find);
}

function checkFailedCalls(execution: TxReport['execution'], chain: RawChain, find: Report): void {
  const { failure, attempts = [] } = execution;
  const at = '/execution/failure';
  if (failure && chain.succeeded) find('identity', at, 'is named although the transaction succeeded');
  if (!failure && !chain.succeeded && chain.frames.size > 0)
    find('identity', at, 'the frame that failed is not named');
  attempts.forEach((attempt, i) => checkFailed(attempt, `/execution/attempts/${i}`, chain, find));
  if (!failure) return;
  checkFailed(failure, at, chain, find);
  if (!failure.cause) return;
  checkFailed(failure.cause, `${at}/cause`, chain, find);
  const [outer, inner] = [failure.frame_path.join('.'), failure.cause.frame_path.join('.')];
  if (!isInside(inner, outer)) find('identity', `${at}/cause`, `frame [${inner}] is not inside [${outer}]`);
}

const isInside = (inner: string, outer: string): boolean =>
  inner !== outer && `${inner}.`.startsWith(outer === '' ? '' : `${outer}.`);

type Failed = Pick<Failure, 'frame_path' | 'contract' | 'method'>;

function checkFailed(failed: Failed, at: string, chain: RawChain, find: Report): void {
  const { frame_path: path, contract, method } = failed;
  const must = mustOf(find, 'identity', at);
  const frame = chain.frames.get(path.join('.'));
  if (!frame) return must(false, '/frame_path', `frame [${path}] is not in the trace`);
  must(frame.failed, '/frame_path', `frame [${path}] did not fail`);
  const creates = frame.type.startsWith('CREATE');
  must((contract === null) === creates || frame.to === '', '/contract', 'is given for a call');
  must(contract === null || isSame(contract, frame.to), '/contract', `frame [${path}] called ${frame.to}`);
  checkMethod(method, creates ? '0x' : frame.input, `${at}/method`, find);
}

function checkMethod(method: Method | null | undefined, input: string, at: string, find: Report): void {
  const selector = input.length < 10 ? null : input.slice(0, 10);
  if ((method?.selector ?? null) !== selector)
    return find('identity', at, `the calldata begins with ${selector ?? 'no selector'}`);
  if (method) checkSignature(method, input, mustOf(find, 'identity', at));
}

function checkSignature(method: Method, input: string, must: Must): void {
  const { signature, name, selector, arguments: given } = method;
  if (signature === null) return must(name === null && !given, '', 'is read without a signature');
  const own = attempt(() => toFunctionSelector(signature));
  const stated = signature.split('(')[0]!;
  must(own === selector, '/signature', `${signature} has another selector`);
  must(name === stated, '/name', 'is not the name in the signature');
  if (!given) return;
  const types = `${stated}(${given.map(({ type }) => type).join(',')})`;
  must(types === signature, '/arguments', 'do not fit the signature');
  const wanted = attempt(() => argumentsOf(signature, input));
  if (wanted?.length !== given.length) return;
  given.forEach(({ value }, i) => {
    const exact = wanted[i]!;
    must(value !== null, `/arguments/${i}/value`, 'is in the calldata');
    // Texts of contracts are cleaned before they are shown, and long ones are cut.
    const shown = exact.length > 300 ? `${exact.slice(0, 300)}…` : exact;
    const isRight = value === shown || !/^[\w",[\]-]*$/.test(exact);
    must(isRight, `/arguments/${i}/value`, `${exact} is in the calldata`);
  });
}

/** Arguments as reports write them. Throws where the calldata does not decode. */
function argumentsOf(signature: string, input: string): string[] {
  const abi = [parseAbiItem(`function ${signature}`) as AbiFunction];
  const { args = [] } = decodeFunctionData({ abi, data: input as Hex });
  const plain = (args as readonly unknown[]).map(plainOf);
  return plain.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** A value as text, a list or tuple as a list of them. */
const plainOf = (value: unknown): unknown =>
  value !== null && typeof value === 'object' ? Object.values(value).map(plainOf) : String(value);
