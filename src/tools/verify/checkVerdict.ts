import type { Asset, Evidence, Motif, TxReport } from '../../model/generated/report.ts';
import { formatUnits } from 'viem/utils';
import { mustOf, netsOf, partiesOf, type Must, type Report } from './finding.ts';
import type { RuleFacts } from './ruleFacts.ts';
import { isRecord } from '../../lib/shape.ts';
import { placeOf, placesIn, walk } from './checkEvidence.ts';
import type { RawChain } from './rawChain.ts';

/** The parts of a report that must agree with each other: verdict, actor, economics. */
export function checkVerdict(report: TxReport, find: Report): void {
  const { classification: c, economics: e, attribution: a, execution, tx } = report;
  const must = mustOf(find, 'verdict', '/classification');
  must(c.structural_proof === (c.status === 'Proven'), '/structural_proof', 'does not agree with status');
  must((c.rule_version === null) === (c.matched_rule === null), '/rule_version', 'has no rule');
  const isProvable = c.matched_rule !== null || c.status === 'Suspected';
  must(isProvable, '/status', 'no rule matched, so nothing is proven');
  const isOwn = c.actor === tx.signer;
  must(c.actor_matches_signer === isOwn, '/actor_matches_signer', 'does not agree with actor and signer');
  must(c.actor === a.actor, '/actor', 'is not the actor of attribution');
  const isListed = c.fragments.some(
    ({ kind, status }) => kind === c.intent_kind && (status === 'Proven' || c.status !== 'Proven'),
  );
  must(isListed, '/fragments', 'the headline is not among them with its status');
  const isReverted = c.intent_kind === 'Reverted';
  must(isReverted === execution.reverted, '/intent_kind', 'does not agree with the outcome');
  if (e.subject !== (c.actor ?? tx.signer))
    find('verdict', '/economics/subject', 'is neither the actor nor, without one, the signer');
  const isHigh = c.confidence === 'High';
  must(c.status === 'Proven' || !isHigh, '/confidence', 'High without proof');
  const isBest = c.status === 'Proven' && isHigh;
  const agrees = c.caveats === undefined || (c.caveats.length === 0) === isBest;
  must(agrees, '/caveats', 'do not agree with status and confidence');
  checkGround(report, mustOf(find, 'verdict', '/attribution'));
  checkTokenLists(report, find);
}

/** The ground of the election allows no better verdict than it names. */
function checkGround({ classification: c, attribution: a, tx }: TxReport, actor: Must): void {
  actor(!a.ambiguous || a.actor === null, '/actor', 'named although ambiguous');
  const elected = a.candidates.filter((candidate) => candidate.elected).map(({ account }) => account);
  actor(elected.join() === (a.actor ?? ''), '/candidates', 'do not agree with the actor');
  const { ground } = a;
  if (ground === undefined) return;
  actor((ground === null) === (a.actor === null), '/ground', 'does not agree with the actor');
  actor((ground === 'signed') === (a.actor === tx.signer), '/ground', 'does not agree with the signer');
  actor(ground !== 'claimed' || c.status !== 'Proven', '/ground', 'is a claim, which proves nothing');
  actor((a.mode === 'self') === (ground === 'signed'), '/mode', 'does not agree with the ground');
}

/** A number with the word behind it, as labels write amounts. */
const LABEL_AMOUNT = /(?<![\w.#\u2026])(\d[\d,]*(?:\.\d+)?) ([^\s,]+)/g;
const lettersOf = (text: string): string => text.replace(/\[.*$/, '').replace(/[^\p{L}\p{N}]/gu, '');

/** Labels about movements of others, or about movements to come. */
const OF_OTHERS = /^(Reverted|ContractCall)$/;

/**
 * Amounts of the label, in six digits: those of the acts it rests on or of the subject, in the token they
 * name. In its further clauses, as of fees, any amount of the report.
 */
export function checkLabelAmounts(report: TxReport, rules: RuleFacts | null, find: Report): void {
  const { classification: c, motifs, position_effects: positions, inventory_deltas: deltas } = report;
  const label = c.intent_label;
  const must = mustOf(find, 'verdict', '/classification/intent_label');
  checkLabelToken(report, must);
  if (OF_OTHERS.test(c.intent_kind) || label.startsWith('Move ')) return;
  const all = amountsBySymbol([motifs, positions, deltas, report.allowances ?? []]);
  const own = amountsBySymbol(ownParts(report, rules));
  // A token without a symbol may be wrapped ether, which labels know by the rules.
  if (deltas.some(({ asset }) => asset.symbol === null)) all.delete('ETH');
  for (const { text, symbol, shown, isOwn } of amountsIn(label)) {
    const known = sums((isOwn ? own : all).get(symbol) ?? []);
    const isRight = !all.has(symbol) || known.some((amount) => isShownAs(amount, shown));
    must(isRight, '', `${text} is no amount of what the label rests on`);
  }
}

/** The amounts of a label, with the letters of their token; `isOwn`: not in a further clause. */
function* amountsIn(label: string) {
  const end = /, | \(/.exec(label.replace(/\d,\d/g, '0.0'))?.index ?? Infinity;
  for (const { 0: text, 1: number, 2: word, index } of label.matchAll(LABEL_AMOUNT)) {
    const symbol = word === 'WETH' ? 'ETH' : lettersOf(word!);
    yield { text, symbol, shown: Number(number!.replaceAll(',', '')), isOwn: index < end };
  }
}

/** The label of one approval names its token. */
function checkLabelToken({ classification: c, allowances = [] }: TxReport, must: Must): void {
  const [allowance, ...more] = allowances;
  if (c.intent_kind !== 'Approval' || allowance?.asset.kind !== 'erc20' || more.length > 0) return;
  const name = allowance.asset.symbol ?? allowance.asset.address!.slice(0, 6);
  must(c.intent_label.includes(name), '', `does not name ${name}`);
}

/**
 * The acts of the label, parts of others aside, and the gains, losses and holdings of the subject; of a trade
 * also those of its recipients.
 */
function ownParts(report: TxReport, rules: RuleFacts | null): readonly unknown[] {
  const { classification: c, economics, motifs } = report;
  const rule = rules?.rules.get(c.matched_rule ?? '');
  const isHeadline = ({ kind }: Motif): boolean =>
    rules === null || rules.motifs.get(kind)?.fragment === c.intent_kind;
  const isOwn = (motif: Motif): boolean => isHeadline(motif) || rule?.rests_on?.includes(motif.kind) === true;
  const resting = motifs.filter(isOwn);
  const ids = new Set<string | null>(resting.map(({ id }) => id));
  const acts = resting.filter((motif) => isHeadline(motif) || !ids.has(motif.parent_id));
  const { subject: account } = economics;
  const named = c.category === 'trade' ? acts.flatMap(({ participants }) => participants) : [];
  const paid = named.filter(({ role }) => role === 'recipient');
  const parties = new Set([account, ...paid.map((one) => one.account)]);
  return [
    acts,
    report.inventory_deltas.filter(({ subject }) => parties.has(subject)),
    report.position_effects.filter(
      ({ owner, motif_ids: of }) => owner === account || of.some((id) => ids.has(id)),
    ),
    acts.length === 0 || c.intent_kind === 'Approval' ? (report.allowances ?? []) : [],
  ];
}

/** More amounts of one token than this are not added up in all ways. */
const MOST_ADDED = 10;

function sums(amounts: readonly number[]): number[] {
  const distinct = [...new Set(amounts)].slice(0, MOST_ADDED);
  const all = distinct.reduce<number[]>((found, one) => [...found, ...found.map((sum) => sum + one)], [0]);
  return [...all.filter((sum) => sum > 0), ...amounts.filter((one) => one > 0)];
}

function isShownAs(amount: number, shown: number): boolean {
  const digits = amount > 0 ? Math.floor(Math.log10(amount)) : 0;
  return Math.abs(amount - shown) <= 0.51 * 10 ** Math.min(digits - 5, 0);
}

/** Amounts of tokens by the letters of their symbols, ether and wrapped ether as one; ids aside. */
function amountsBySymbol(parts: readonly unknown[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [value] of walk(parts)) {
    if (!isRecord(value)) continue;
    const asset = (value['asset'] ?? value['position_asset']) as Asset | undefined;
    if (!asset || asset.symbol === null || asset.kind.startsWith('erc7') || asset.kind === 'erc1155')
      continue;
    const raws = Object.entries(value).filter(([key, text]) => key.endsWith('_raw') && text !== null);
    const amounts = raws.map(([, text]) => Math.abs(Number(text) / 10 ** (asset.decimals ?? 0)));
    const key = asset.symbol === 'WETH' ? 'ETH' : lettersOf(asset.symbol);
    found.set(key, [...(found.get(key) ?? []), ...amounts]);
  }
  return found;
}

/** `token_in` and `token_out` are a party's exact net gains and losses, without debt tokens. */
function checkTokenLists(report: TxReport, find: Report): void {
  for (const party of partiesOf(report))
    for (const [list, sign] of [['token_in', 1n] as const, ['token_out', -1n] as const]) {
      const parts = party.figures[list].split(', ').filter((entry) => entry !== '');
      const shown = parts.map((entry) => entry.split(' ')[0]! + (/#\d+$/.exec(entry)?.[0] ?? ''));
      const own = netsOf(report, party).filter(({ raw }) => raw * sign > 0n);
      const wanted = own.map(({ asset, raw }) => {
        // Long ids are shortened.
        const id = /\/(\d{1,12})$/.exec(asset.id)?.[1];
        return formatUnits(raw * sign, asset.decimals ?? 0) + (id === undefined ? '' : `#${id}`);
      });
      const [read, right] = [shown, wanted].map((one) => one.join(', ') || 'nothing');
      if ([...shown].sort().join() !== [...wanted].sort().join())
        find('economics', `${party.at}/${list}`, `reads ${read}, the deltas say ${right}`);
    }
}

/**
 * Evidence for an account names it, in the log or as a party of the frame; or all of it belongs to one motif
 * with the account as participant. An order's log without an owner may accompany evidence that names it.
 */
export function checkAttribution(report: TxReport, chain: RawChain, find: Report): void {
  const { attribution, movements = [] } = report;
  const names = (evidence: Evidence, account: string): boolean => {
    const digits = account.slice(2).toLowerCase();
    const { log, frame } = placesIn(evidence, chain);
    if (log)
      return log.data.includes(digits) || [log.address, ...log.topics].some((text) => text.endsWith(digits));
    return !frame || [frame.from, frame.to, frame.context].some((party) => party.endsWith(digits));
  };
  const motifs = report.motifs.map(({ participants, evidence }) => ({
    accounts: new Set(participants.map(({ account }) => account)),
    places: new Set(evidence.map(placeOf)),
  }));
  const settled = report.motifs.filter(({ kind }) => kind === 'order_settled');
  const orders = new Set(settled.flatMap(({ evidence }) => evidence.map(placeOf)));
  const check = (list: readonly Evidence[], account: string, at: string) =>
    list.forEach((evidence, i) => {
      const ofMotif = motifs.some(
        (motif) => motif.accounts.has(account) && list.every((e) => motif.places.has(placeOf(e))),
      );
      const ofOrder =
        orders.has(placeOf(evidence)) && list.some((e) => !orders.has(placeOf(e)) && names(e, account));
      if (!ofMotif && !ofOrder && !names(evidence, account))
        find('attribution', `${at}/evidence/${i}`, `${placeOf(evidence)} does not mention ${account}`);
    });
  attribution.orders.forEach((order, i) => check(order.evidence, order.owner, `/attribution/orders/${i}`));
  attribution.candidates.forEach(({ account, evidence = [], reasons }, i) => {
    const at = `/attribution/candidates/${i}`;
    check(evidence, account, at);
    if (!reasons.includes('gave_and_got')) return;
    const ends = [movements.find(({ from }) => from === account), movements.find(({ to }) => to === account)];
    const first = ends.flatMap((movement) => (movement ? placeOf(movement.evidence) : []));
    const shown = evidence.map(placeOf).join();
    if (shown !== first.join())
      find('attribution', at, `${shown} is not what it first sent and first received`);
  });
}
