import { decodeFunctionData, parseAbiItem, toFunctionSelector, type AbiFunction, type Hex } from 'viem';
import type { Failure, Method, TxReport } from '../../model/generated/report.ts';
import type { Report } from './finding.ts';
import type { RawChain } from './rawChain.ts';

/** The called functions: the selector is the calldata's, and signature, name and arguments follow from it. */
export function checkCalls(report: TxReport, chain: RawChain, find: Report): void {
  const { tx, execution } = report;
  const url = `https://etherscan.io/tx/${tx.hash}`;
  if (tx.etherscan_url !== url) find('identity', '/tx/etherscan_url', `the transaction is at ${url}`);
  const input = typeof chain.tx['input'] === 'string' ? chain.tx['input'] : '0x';
  checkMethod(tx.to === null ? null : tx.method, tx.to === null ? '0x' : input, '/tx/method', find);
  checkFailedCalls(execution, chain, find);
}

function checkFailedCalls(
  { failure, attempts = [] }: TxReport['execution'],
  chain: RawChain,
  find: Report,
): void {
  const at = '/execution/failure';
  if (failure && chain.succeeded) find('identity', at, 'is named although the transaction succeeded');
  if (!failure && !chain.succeeded && chain.frames.size > 0)
    find('identity', at, 'the frame that failed is not named');
  attempts.forEach((attempt, i) => checkFailed(attempt, `/execution/attempts/${i}`, chain, find));
  if (failure) checkFailed(failure, at, chain, find);
  if (!failure?.cause) return;
  checkFailed(failure.cause, `${at}/cause`, chain, find);
  const [outer, inner] = [failure.frame_path.join('.'), failure.cause.frame_path.join('.')];
  if (inner === outer || !`${inner}.`.startsWith(outer === '' ? '' : `${outer}.`))
    find('identity', `${at}/cause`, `frame [${inner}] is not inside [${outer}]`);
}

type Failed = Pick<Failure, 'frame_path' | 'contract' | 'method'>;

function checkFailed(
  { frame_path: path, contract, method }: Failed,
  at: string,
  chain: RawChain,
  find: Report,
): void {
  const frame = chain.frames.get(path.join('.'));
  if (!frame) return find('identity', `${at}/frame_path`, `frame [${path}] is not in the trace`);
  if (!frame.failed) find('identity', `${at}/frame_path`, `frame [${path}] did not fail`);
  const creates = frame.type.startsWith('CREATE');
  if ((contract === null) !== creates && frame.to !== '')
    find('identity', `${at}/contract`, 'is given for a call');
  if (contract !== null && contract.toLowerCase() !== frame.to)
    find('identity', `${at}/contract`, `frame [${path}] called ${frame.to}`);
  checkMethod(method, creates ? '0x' : frame.input, `${at}/method`, find);
}

function checkMethod(method: Method | null | undefined, input: string, at: string, find: Report): void {
  const selector = input.length < 10 ? null : input.slice(0, 10);
  if ((method?.selector ?? null) !== selector)
    return find('identity', at, `the calldata begins with ${selector ?? 'no selector'}`);
  if (!method || selector === null) return;
  const { signature, name } = method;
  if (signature === null) {
    if (name !== null || method.arguments) find('identity', at, 'is read without a signature');
    return;
  }
  if (selectorOf(signature) !== selector)
    find('identity', `${at}/signature`, `${signature} has another selector`);
  if (name !== signature.split('(')[0]) find('identity', `${at}/name`, 'is not the name in the signature');
  if (method.arguments) checkArguments(method, input, at, find);
}

function selectorOf(signature: string): string | null {
  try {
    return toFunctionSelector(signature);
  } catch {
    return null;
  }
}

function checkArguments(method: Method, input: string, at: string, find: Report): void {
  const wanted = argumentsOf(method.signature!, input);
  const given = method.arguments!;
  const types = `${method.signature!.split('(')[0]}(${given.map(({ type }) => type).join(',')})`;
  if (types !== method.signature) find('identity', `${at}/arguments`, 'do not fit the signature');
  if (wanted === null || wanted.length !== given.length) return;
  given.forEach(({ value }, i) => {
    const exact = wanted[i]!;
    if (value === null) find('identity', `${at}/arguments/${i}/value`, 'is in the calldata');
    // Texts of contracts are cleaned before they are shown, and long ones are cut.
    if (!/^[\w",[\]-]*$/.test(exact)) return;
    if (value !== (exact.length > 300 ? `${exact.slice(0, 300)}…` : exact))
      find('identity', `${at}/arguments/${i}/value`, `${exact} is in the calldata`);
  });
}

/** Arguments as reports write them; null where the calldata does not decode. */
function argumentsOf(signature: string, input: string): string[] | null {
  try {
    const abi = [parseAbiItem(`function ${signature}`) as AbiFunction];
    const { args = [] } = decodeFunctionData({ abi, data: input as Hex });
    const plain = (args as readonly unknown[]).map(plainOf);
    return plain.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  } catch {
    return null;
  }
}

/** A value as text, a list or tuple as a list of them. */
const plainOf = (value: unknown): unknown =>
  value !== null && typeof value === 'object' ? Object.values(value).map(plainOf) : String(value);
