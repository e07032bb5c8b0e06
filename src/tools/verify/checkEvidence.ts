import { isRecord } from '../../lib/shape.ts';
import type { RawChain, RawFrame, RawLog } from './rawChain.ts';
import type { Report } from './finding.ts';
import { getAddress } from 'viem/utils';
import type { Evidence } from '../../model/generated/report.ts';

const isEvidence = (value: unknown): value is Evidence =>
  isRecord(value) && 'log_index' in value && 'frame_path' in value && 'contract' in value;

/** Key of an evidence's place. */
export function placeOf(e: Pick<Evidence, 'frame_path' | 'log_index'>): string {
  return e.log_index !== null
    ? `log ${e.log_index}`
    : e.frame_path !== null
      ? `frame ${e.frame_path.join('.')}`
      : 'transaction';
}

/** The log and the frame that evidence names: null where it names none, undefined where there is none. */
export const placesIn = ({ log_index: index, frame_path: path }: Evidence, chain: RawChain) => ({
  log: index === null ? null : chain.logs.get(index),
  frame: path === null ? null : chain.frames.get(path.join('.')),
});

/** Every value of the report with its JSON pointer, parents first. */
export function* walk(value: unknown, at = ''): Generator<[unknown, string]> {
  const stack: [unknown, string][] = [[value, at]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next;
    const [node, path] = next;
    if (node !== null && typeof node === 'object')
      for (const [key, child] of Object.entries(node).reverse()) stack.push([child, `${path}/${key}`]);
  }
}

/** Each frame and log a report points at exists, and belongs to the contract named beside it. */
export function checkEvidence(root: unknown, chain: RawChain, find: Report): void {
  const frames = new Map<number, string>();
  for (const [value, at] of walk(root)) {
    if (Array.isArray(value) && value.every(isEvidence) && new Set(value.map(placeOf)).size < value.length)
      find('evidence', at, 'lists one piece twice');
    if (!isEvidence(value)) continue;
    if (value.log_index !== null) {
      const path = JSON.stringify(value.frame_path);
      if ((frames.get(value.log_index) ?? path) !== path)
        find('evidence', at, `log ${value.log_index} is in another frame elsewhere`);
      frames.set(value.log_index, path);
    }
    for (const message of faultsOf(value, chain)) find('evidence', at, message);
  }
}

function* faultsOf(evidence: Evidence, chain: RawChain): Generator<string> {
  const { kind, log_index: index, frame_path: path } = evidence;
  const contract = evidence.contract.toLowerCase();
  const { log, frame } = placesIn(evidence, chain);
  if (log === undefined) yield `log ${index} is not in the receipt`;
  if (frame === undefined) yield `frame [${path}] is not in the trace`;
  if ((kind === 'log') !== (index !== null)) yield `kind ${kind} does not fit log_index ${index}`;
  if (kind === 'frame' && path === null) yield 'frame evidence without a frame_path';
  if (log && log.address !== contract)
    yield `log ${log.index} was emitted by ${log.address}, not ${contract}`;
  if (frame) yield* frameFaults(frame, log ?? null, contract, chain);
}

function* frameFaults(frame: RawFrame, log: RawLog | null, contract: string, chain: RawChain) {
  const name = `frame [${frame.path.replaceAll('.', ',')}]`;
  if (log !== null && frame.context !== log.address)
    yield `${name} runs as ${frame.context} and cannot emit for ${log.address}`;
  if (log === null && ![frame.to, frame.context, frame.from].includes(contract))
    yield `${name} does not involve ${contract}`;
  if (frame.failed && chain.succeeded) yield `${name} failed, so nothing can rest on it`;
}

/** Lists in which equal entries have a meaning: positions in a path, two like payments, two like acts. */
const MAY_REPEAT = /\/(frame_path|assets_in|assets_out|fragments|path|log_range|movements\/\d+\/evidence)$/;

/** No list names one thing twice. */
export function checkLists(root: unknown, find: Report): void {
  for (const [value, at] of walk(root)) {
    if (!Array.isArray(value) || value.length < 2 || MAY_REPEAT.test(at)) continue;
    const texts = value.map((entry) => JSON.stringify(entry));
    if (new Set(texts).size < texts.length) find('list', at, 'names one thing twice');
  }
}

/** Every address in the report is checksummed (EIP-55) and one the node's answers mention. */
export function checkAddresses(root: unknown, chain: RawChain, find: Report): void {
  for (const [value, at] of walk(root)) {
    if (typeof value !== 'string') continue;
    // Bytes of calldata and ids of pools may be as long as an address.
    if (/\/arguments\/\d+\/value$|\/pool_id$/.test(at)) continue;
    if (/^0x[0-9a-fA-F]{40}$/.test(value)) {
      if (getAddress(value.toLowerCase()) !== value) find('address', at, `${value} is not checksummed`);
      // A price source is an oracle or pool the transaction need not have touched.
      if (!chain.addresses.has(value.toLowerCase()) && !at.startsWith('/economics/valuation/prices'))
        find('address', at, `${value} does not occur in the transaction`);
    } else
      for (const [, address] of value.matchAll(/^eip155:1\/\w+:(0x[0-9a-f]{40})/g))
        if (!chain.addresses.has(address!))
          find('address', at, `${address} does not occur in the transaction`);
  }
}
