import type { RawChain } from './rawChain.ts';
import type { Report } from './finding.ts';

interface EvidenceLike {
  kind: string;
  frame_path: number[] | null;
  log_index: number | null;
  contract: string;
}

const isEvidence = (value: object): value is EvidenceLike =>
  'log_index' in value && 'frame_path' in value && 'contract' in value;

/** What an evidence points at, as a key. */
export function placeOf(e: {
  readonly kind?: string;
  readonly frame_path: readonly number[] | null;
  readonly log_index: number | null;
}): string {
  return e.log_index !== null
    ? `log ${e.log_index}`
    : e.frame_path !== null
      ? `frame ${e.frame_path.join('.')}`
      : 'transaction';
}

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
export function checkEvidence(root: unknown, chain: RawChain, report: Report): void {
  for (const [value, at] of walk(root)) {
    if (
      Array.isArray(value) &&
      value.length > 1 &&
      value.every((item) => item !== null && typeof item === 'object' && isEvidence(item)) &&
      new Set(value.map(placeOf)).size < value.length
    )
      report('evidence', at, 'lists one piece twice');
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !isEvidence(value)) continue;
    const contract = value.contract.toLowerCase();
    const log = value.log_index === null ? null : chain.logs.get(value.log_index);
    const frame = value.frame_path === null ? null : chain.frames.get(value.frame_path.join('.'));
    if (log === undefined) report('evidence', at, `log ${value.log_index} is not in the receipt`);
    if (frame === undefined) report('evidence', at, `frame [${value.frame_path}] is not in the trace`);
    if ((value.kind === 'log') !== (value.log_index !== null))
      report('evidence', at, `kind ${value.kind} does not fit log_index ${value.log_index}`);
    if (value.kind === 'frame' && value.frame_path === null)
      report('evidence', at, 'frame evidence without a frame_path');
    if (log && log.address !== contract)
      report('evidence', at, `log ${log.index} was emitted by ${log.address}, not ${contract}`);
    if (log && frame && frame.context !== log.address)
      report(
        'evidence',
        at,
        `frame [${value.frame_path}] runs as ${frame.context} and cannot emit for ${log.address}`,
      );
    if (frame && !log && frame.to !== contract && frame.context !== contract && frame.from !== contract)
      report('evidence', at, `frame [${value.frame_path}] does not involve ${contract}`);
    if (frame?.failed && chain.succeeded)
      report('evidence', at, `frame [${value.frame_path}] failed, so nothing can rest on it`);
  }
}
