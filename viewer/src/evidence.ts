import type { Evidence } from '../../src/model/generated/report.ts';
import { h, link, type Child } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { addressLine, copyButton } from './parts.ts';
import type { View } from './view.ts';

/** `root › 0 › 2`: which call, counted among siblings from 0. */
function framePath(path: readonly number[] | null): string {
  return path === null ? 'unknown' : ['root', ...path].join(' › ');
}

const place = (e: Evidence): string =>
  `${e.kind}:${e.log_index ?? ''}:${e.frame_path?.join('.') ?? ''}:${e.contract}`;

/** Each place once. */
function distinct(evidence: readonly Evidence[]): Evidence[] {
  return [...new Map(evidence.map((e) => [place(e), e])).values()];
}

/** Where to check on chain: one entry per place, with the node request and the explorer link. */
export function evidenceList(view: View, evidence: readonly Evidence[]): HTMLElement {
  return h(
    'ol',
    { class: 'evidence' },
    distinct(evidence).map((e) =>
      h(
        'li',
        {},
        h('div', { class: 'evidence-head' }, h('strong', {}, heading(e)), explorerLink(view, e)),
        h(
          'dl',
          {},
          e.kind !== 'transaction' && [
            h('dt', {}, 'Call'),
            h('dd', {}, h('code', {}, framePath(e.frame_path))),
          ],
          h('dt', {}, e.kind === 'log' ? 'Emitted by' : 'Called account'),
          h('dd', {}, accountName(view, e.contract), addressLine(view, e.contract)),
          h('dt', {}, 'Check'),
          h('dd', { class: 'check' }, check(view, e)),
        ),
      ),
    ),
  );
}

function accountName(view: View, address: string): Child {
  const account = view.accounts.of(address);
  return account.named && h('bdi', { class: 'account-name' }, account.name);
}

function heading(e: Evidence): string {
  if (e.kind === 'log') return `Log ${e.log_index ?? '?'}`;
  if (e.kind === 'transaction') return 'The transaction itself';
  return e.frame_path?.length === 0 ? 'The root call' : `Call ${e.frame_path?.join('.') ?? '?'}`;
}

function explorerLink({ explorer }: View, e: Evidence): Child {
  if (explorer === null) return null;
  const url = e.kind === 'log' ? explorer.logs : e.kind === 'frame' ? explorer.calls : explorer.tx;
  return link(
    url,
    { class: 'out' },
    e.kind === 'log' ? 'logs' : e.kind === 'frame' ? 'calls' : 'transaction',
    ' at ',
    explorer.host,
    icon('out'),
  );
}

/** The request that shows the same on any node. */
function check({ report }: View, e: Evidence): Child {
  const ask = (method: string, rest: string): string => `${method} ${report.tx.hash}${rest}`;
  const text =
    e.kind === 'log' && e.log_index !== null
      ? ask('eth_getTransactionReceipt', ` → logs with logIndex 0x${e.log_index.toString(16)}`)
      : e.kind === 'frame' && e.frame_path !== null
        ? ask(
            'debug_traceTransaction',
            ` callTracer → root${e.frame_path.map((i) => `.calls[${i}]`).join('')}, calls of precompiles without value left out`,
          )
        : ask('eth_getTransactionByHash', '');
  return [h('code', {}, text), copyButton(text, 'Copy')];
}
