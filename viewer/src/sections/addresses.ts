import { h } from '../lib/dom.ts';
import { accountLink } from '../claims.ts';
import { addressLine, longList, section } from '../parts.ts';
import type { View } from '../view.ts';

/** Every account that moved value or acted, with its full address: to search the page and to copy from. */
export function addressesSection(view: View): HTMLElement | null {
  const { report } = view;
  const { attribution: a, execution, tx } = report;
  const named = [a.actor, tx.signer, tx.to, a.fee_payer, ...report.inventory_deltas.map((d) => d.subject)];
  const allowed = (report.allowances ?? []).flatMap(({ owner, spender }) => [owner, spender]);
  const acting = report.motifs.flatMap(({ participants }) => participants.map(({ account }) => account));
  const failing = [execution.failure, execution.failure?.cause].map((one) => one?.contract);
  const all = [...new Set([...named, ...allowed, ...acting, ...failing])].filter(
    (one) => typeof one === 'string',
  );
  if (all.length === 0) return null;
  return section(
    'addresses',
    'Addresses',
    null,
    longList({ items: all, first: 40, what: 'addresses', list: h('ul', { class: 'plain' }) }, (address) =>
      h('li', { class: 'address' }, accountLink(view, address), addressLine(view, address)),
    ),
  );
}
