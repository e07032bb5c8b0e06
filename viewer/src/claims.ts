import { protocolName } from '../../src/tools/wording/accounts.ts';
import type { Motif, Movement } from '../../src/model/generated/report.ts';
import type { FlowEdge } from './graph/flow.ts';
import { quantity } from '../../src/tools/wording/amounts.ts';
import { claimText, amountText, type Sentence } from '../../src/tools/wording/sentences.ts';
import { h, type Child } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { plural, shortHex, shown, lower, words } from '../../src/tools/wording/text.ts';
import { addressLine, badge, longList, money } from './parts.ts';
import type { Claim, View } from './view.ts';

/** An account by name, as a control that opens its details. */
export function accountLink(view: View, address: string): HTMLElement {
  const onclick = (): void => view.inspect(accountClaim(view, address));
  const { role } = view.accounts.of(address);
  const attributes = { type: 'button', class: `account role-${role}`, title: address, onclick };
  return h('button', attributes, accountName(view, address));
}

/** An account by name, for places that are a control already. */
export function accountText(view: View, address: string): HTMLElement {
  const { role } = view.accounts.of(address);
  return h('span', { class: `account role-${role}`, title: address }, accountName(view, address));
}

function accountName(view: View, address: string): readonly Child[] {
  const account = view.accounts.of(address);
  return [
    h('span', { class: 'account-part' }, account.part),
    ' ',
    account.named && [h('bdi', { class: 'account-name' }, shown(account.name, 40)), ' '],
    h('code', {}, shortHex(address)),
  ];
}

/** A sentence, its accounts as controls unless `account` says otherwise. */
export function say(view: View, sentence: Sentence, account = accountLink): readonly Child[] {
  return sentence.map((part): Child => {
    if (typeof part === 'string') return part;
    if ('account' in part) return account(view, part.account);
    if ('code' in part) return h('code', {}, part.code);
    if ('said' in part) return h('bdi', {}, part.said);
    return h('bdi', { class: 'amount' }, amountText(part.asset, part.raw));
  });
}

const movementAt = (view: View, index: number): Movement | undefined => view.report.movements?.[index];
const amountOf = (view: View, m: Movement) =>
  quantity(BigInt(m.amount_raw), view.assets.get(m.asset_id), m.asset_id);

/** `0x549d… sent 1,000 USDC to Pool …`, exact. */
export function movementText(view: View, m: Movement): readonly Child[] {
  const verb = m.kind === 'mint' ? ' minted for ' : m.kind === 'burn' ? ' burnt by ' : ' to ';
  const amount = h('bdi', { class: 'amount' }, amountOf(view, m).exact);
  if (m.kind === 'mint') return [amount, verb, accountLink(view, m.to)];
  if (m.kind === 'burn') return [amount, verb, accountLink(view, m.from)];
  return [
    accountLink(view, m.from),
    ` ${m.kind === 'transfer' ? 'sent' : `${lower(m.kind)}s`} `,
    amount,
    verb,
    accountLink(view, m.to),
  ];
}

/** The same as plain text, for labels. */
export function movementPlain(view: View, m: Movement): string {
  return `${view.accounts.text(m.from)} sent ${amountOf(view, m).exact} to ${view.accounts.text(m.to)}`;
}

function movementList(view: View, indexes: readonly number[]): readonly Child[] {
  const list = h('ol', { class: 'moves' });
  return longList({ items: indexes, first: 30, what: 'movements', list }, (index) => {
    const m = movementAt(view, index);
    return h(
      'li',
      {},
      h('span', { class: 'step' }, String(index + 1)),
      h('div', {}, m ? movementText(view, m) : `movement ${index}`),
    );
  });
}

function evidenceOf(view: View, indexes: readonly number[]) {
  return indexes.flatMap((index) => movementAt(view, index)?.evidence ?? []).slice(0, 60);
}

/** A claim that rests on movements; `before` goes above their list. */
export function movementsClaim(
  view: View,
  { kind, title, before = null }: { kind: string; title: Child; before?: Child },
  indexes: readonly number[],
): Claim {
  return {
    ...(indexes.length === 1 && { key: `movement-${indexes[0]}` }),
    kind,
    title,
    body: [
      before,
      movementList(view, indexes),
      indexes.length === 1 && locateButton(view, `[data-movement="${indexes[0]}"]`),
    ],
    evidence: evidenceOf(view, indexes),
    movements: indexes,
  };
}

export function edgeClaim(view: View, edge: FlowEdge, name: (id: string) => string): Claim {
  return movementsClaim(
    view,
    { kind: plural(edge.movements.length, 'Movement'), title: [name(edge.from), ' → ', name(edge.to)] },
    edge.movements,
  );
}

export function accountClaim(view: View, address: string): Claim {
  const account = view.accounts.of(address);
  const deltas = view.report.inventory_deltas.filter((d) => d.subject === address);
  const movements = (view.report.movements ?? []).flatMap((m, i) =>
    m.from === address || m.to === address ? [i] : [],
  );
  const motifs = view.report.motifs.filter((m) => m.participants.some((p) => p.account === address));
  return {
    key: address,
    kind: account.part,
    title: h('bdi', {}, shown(account.name, 60)),
    movements,
    evidence: evidenceOf(view, movements),
    body: [
      h('p', {}, addressLine(view, address)),
      deltas.length > 0 && [
        h('h3', {}, 'Net change'),
        h(
          'ul',
          { class: 'nets' },
          deltas.map((d) =>
            h(
              'li',
              { class: sign(d.delta_raw) },
              h(
                'bdi',
                { class: 'amount' },
                signed(d.delta_raw),
                quantity(BigInt(d.delta_raw), d.asset, d.asset.id).exact,
              ),
              ' ',
              money(view, d.usd),
            ),
          ),
        ),
      ],
      motifs.length > 0 && [
        h('h3', {}, 'Takes part in'),
        h(
          'ul',
          { class: 'plain' },
          motifs.slice(0, 20).map((m) =>
            h(
              'li',
              {},
              h(
                'button',
                { type: 'button', class: 'inline', onclick: () => view.inspect(motifClaim(view, m)) },
                `${m.id} ${words(m.kind)}`,
              ),
              ` as ${m.participants
                .filter((p) => p.account === address)
                .map((p) => lower(p.role))
                .join(', ')}`,
            ),
          ),
        ),
      ],
      movements.length > 0 && [
        h('h3', {}, plural(movements.length, 'movement')),
        movementList(view, movements),
      ],
      deltas.length === 0 &&
        movements.length === 0 &&
        h('p', { class: 'hint' }, 'No value went to or from this account.'),
    ],
  };
}

/** The claim that a key names; null where the report has none of it. */
export function claimOf(view: View, key: string): Claim | null {
  const motif = view.report.motifs.find(({ id }) => id === key);
  if (motif) return motifClaim(view, motif);
  const index = Number(/^movement-(\d+)$/.exec(key)?.[1] ?? -1);
  if (movementAt(view, index))
    return movementsClaim(view, { kind: 'Movement', title: `Movement ${index + 1}` }, [index]);
  return /^0x[0-9a-fA-F]{40}$/.test(key) ? accountClaim(view, key) : null;
}

export function motifClaim(view: View, m: Motif): Claim {
  const legs = (heading: string, list: Motif['assets_in']): Child =>
    list.length > 0 && [
      h('h3', {}, heading),
      h(
        'ul',
        { class: 'plain' },
        list.map((leg) =>
          h(
            'li',
            {},
            h('bdi', { class: 'amount' }, quantity(BigInt(leg.amount_raw), leg.asset, leg.asset.id).exact),
            h('span', { class: 'tag' }, lower(leg.role)),
          ),
        ),
      ),
    ];
  const parent = view.report.motifs.find((other) => other.id === m.parent_id);
  return {
    key: m.id,
    kind: `Step ${m.id}`,
    title: words(m.kind),
    movements: m.movements,
    evidence: m.evidence,
    body: [
      h(
        'p',
        {},
        badge(m.status, m.confidence),
        m.protocol
          ? [
              ' ',
              h('strong', {}, protocolName(view.report, m.protocol)),
              h('span', { class: 'hint' }, recognised(m.protocol.matched_by)),
            ]
          : h('span', { class: 'hint' }, ' recognised by what moved'),
      ),
      parent &&
        h(
          'p',
          {},
          'Part of ',
          h(
            'button',
            { type: 'button', class: 'inline', onclick: () => view.inspect(motifClaim(view, parent)) },
            `${parent.id} ${words(parent.kind)}`,
          ),
        ),
      legs('Sent', m.assets_out),
      legs('Received', m.assets_in),
      m.participants.length > 0 && [
        h('h3', {}, 'Participants'),
        h(
          'ul',
          { class: 'plain' },
          m.participants
            .slice(0, 40)
            .map((p) =>
              h('li', {}, h('span', { class: 'tag' }, words(p.role)), ' ', accountLink(view, p.account)),
            ),
        ),
      ],
      m.invariants.length > 0 && [
        h('h3', {}, 'Checks'),
        h(
          'ul',
          { class: 'checks' },
          [
            ...m.invariants.map(({ name, holds }) => ({ text: words(name), holds })),
            ...(m.claims ?? []).slice(0, 40).map((claim) => ({ text: claimText(claim), holds: claim.holds })),
          ].map(({ text, holds }) =>
            h(
              'li',
              { class: holds ? 'holds' : 'fails' },
              icon(holds ? 'check' : 'cross'),
              text,
              !holds && h('strong', {}, ' does not hold'),
            ),
          ),
        ),
      ],
      locateButton(view, `[data-motif="${m.id}"]`),
      m.movements.length > 0 && [
        h('h3', {}, plural(m.movements.length, 'movement')),
        movementList(view, m.movements),
      ],
    ],
  };
}

/** A button that leads to a place in the call tree. */
function locateButton(view: View, selector: string): HTMLElement {
  return h(
    'button',
    { type: 'button', class: 'quiet', onclick: () => view.locate(selector) },
    'Show in the call tree',
  );
}

function recognised(by: string | undefined): string {
  return by === 'address'
    ? ' recognised by its address'
    : by === 'create2'
      ? ' recognised by a CREATE2 proof'
      : by === 'family'
        ? ' recognised as one of its family'
        : '';
}

export const sign = (raw: string): string =>
  raw.startsWith('-') ? 'out-of' : /^0+$/.test(raw) ? 'flat' : 'into';
export const signed = (raw: string): string => (raw.startsWith('-') ? '−' : /^0+$/.test(raw) ? '' : '+');
