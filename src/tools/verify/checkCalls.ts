import { decodeFunctionData, parseAbiItem, toFunctionSelector, type AbiFunction, type Hex } from 'viem';
import type { Failure, Method, TxReport } from '../../model/generated/report.ts';
import { attempt } from '../../lib/attempt.ts';
import { mustOf, type Report } from './finding.ts';
import { isSame, type RawChain } from './rawChain.ts';

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

function checkFailed(
  { frame_path: path, contract, method }: Failed,
  at: string,
  chain: RawChain,
  find: Report,
): void {
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
  if (method) checkSignature(method, input, at, find);
}

function checkSignature(method: Method, input: string, at: string, find: Report): void {
  const { signature, name, selector } = method;
  const must = mustOf(find, 'identity', at);
  if (signature === null) return must(name === null && !method.arguments, '', 'is read without a signature');
  const own = attempt(() => toFunctionSelector(signature));
  must(own === selector, '/signature', `${signature} has another selector`);
  must(name === signature.split('(')[0], '/name', 'is not the name in the signature');
  if (method.arguments) checkArguments(method, input, at, find);
}

function checkArguments(method: Method, input: string, at: string, find: Report): void {
  const wanted = attempt(() => argumentsOf(method.signature!, input));
  const given = method.arguments!;
  const types = `${method.signature!.split('(')[0]}(${given.map(({ type }) => type).join(',')})`;
  if (types !== method.signature) find('identity', `${at}/arguments`, 'do not fit the signature');
  if (wanted?.length !== given.length) return;
  given.forEach(({ value }, i) => {
    const exact = wanted[i]!;
    if (value === null) find('identity', `${at}/arguments/${i}/value`, 'is in the calldata');
    // Texts of contracts are cleaned before they are shown, and long ones are cut.
    if (!/^[\w",[\]-]*$/.test(exact)) return;
    if (value !== (exact.length > 300 ? `${exact.slice(0, 300)}…` : exact))
      find('identity', `${at}/arguments/${i}/value`, `${exact} is in the calldata`);
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
