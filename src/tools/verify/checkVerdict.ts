import type { TxReport, Evidence } from '../../model/generated/report.ts';
import { netsOf, partiesOf, type Report } from './finding.ts';
import { decimalText } from './checkDeltas.ts';
import { placeOf } from './checkEvidence.ts';
import type { RawChain } from './rawChain.ts';

/** The parts of a report that must agree with each other: verdict, actor, economics. */
export function checkVerdict(report: TxReport, find: Report): void {
  const { classification: c, economics: e, attribution: a, execution, tx } = report;
  const must = (holds: boolean, at: string, message: string) => {
    if (!holds) find('verdict', at, message);
  };
  must(
    c.structural_proof === (c.status === 'Proven'),
    '/classification/structural_proof',
    'does not agree with status',
  );
  must(
    (c.rule_version === null) === (c.matched_rule === null),
    '/classification/rule_version',
    'stands without its rule',
  );
  must(
    c.matched_rule !== null || c.status === 'Suspected',
    '/classification/status',
    'no rule matched, so nothing is proven',
  );
  must(
    c.actor_matches_signer === (c.actor === tx.signer),
    '/classification/actor_matches_signer',
    'does not agree with actor and signer',
  );
  must(c.actor === a.actor, '/classification/actor', 'is not the actor of attribution');
  must(
    c.fragments.some(({ kind }) => kind === c.intent_kind),
    '/classification/fragments',
    'the headline is not among them',
  );
  must(
    (c.intent_kind === 'Reverted') === execution.reverted,
    '/classification/intent_kind',
    'does not agree with the outcome',
  );
  must(
    e.subject === (c.actor ?? tx.signer),
    '/economics/subject',
    'is neither the actor nor, without one, the signer',
  );
  must(!a.ambiguous || a.actor === null, '/attribution/actor', 'named although ambiguous');
  const elected = a.candidates.filter((candidate) => candidate.elected);
  must(
    a.actor === null ? elected.length === 0 : elected.length === 1 && elected[0]!.account === a.actor,
    '/attribution/candidates',
    'do not agree with the actor',
  );
  must(
    e.warnings.includes('IntentActorDiffersFromSigner') === (c.actor !== null && c.actor !== tx.signer),
    '/economics/warnings',
    'IntentActorDiffersFromSigner does not agree with the actor',
  );
  checkTokenLists(report, find);
}

/**
 * `token_in` and `token_out` are a party's net gains and losses without debt tokens, one entry each, exact.
 */
function checkTokenLists(report: TxReport, find: Report): void {
  for (const party of partiesOf(report)) {
    const debts = new Set(
      report.position_effects
        .filter((e) => e.owner === party.owner && e.category === 'lending_debt')
        .map((e) => e.position_asset?.id),
    );
    const own = netsOf(report, party).filter(({ asset }) => !debts.has(asset.id));
    for (const [list, sign] of [
      ['token_in', 1n],
      ['token_out', -1n],
    ] as const) {
      const text = party.figures[list];
      const shown = text === '' ? [] : text.split(', ').map((entry) => entry.split(' ')[0]!);
      const wanted = own
        .filter(({ raw }) => raw * sign > 0n)
        .map(({ asset, raw }) => decimalText(raw * sign, asset.decimals ?? 0));
      if ([...shown].sort().join() !== [...wanted].sort().join())
        find(
          'economics',
          `${party.at}/${list}`,
          `reads ${shown.join(', ') || 'nothing'}, the deltas say ${wanted.join(', ') || 'nothing'}`,
        );
    }
  }
}

/**
 * Evidence for an account names it, in the log or as a party of the frame; or all of it belongs to one motif
 * with the account as participant. An order's log without an owner may accompany evidence that names it.
 */
export function checkAttribution(report: TxReport, chain: RawChain, find: Report): void {
  const { attribution } = report;
  const names = ({ log_index: index, frame_path: path }: Evidence, account: string): boolean => {
    const digits = account.slice(2).toLowerCase();
    const log = index === null ? undefined : chain.logs.get(index);
    if (log)
      return (
        log.address.endsWith(digits) ||
        log.data.includes(digits) ||
        log.topics.some((topic) => topic.endsWith(digits))
      );
    const frame = path === null ? undefined : chain.frames.get(path.join('.'));
    return (
      frame === undefined || [frame.from, frame.to, frame.context].some((party) => party.endsWith(digits))
    );
  };
  const motifs = report.motifs.map(({ participants, evidence }) => ({
    accounts: new Set(participants.map(({ account }) => account)),
    places: new Set(evidence.map(placeOf)),
  }));
  const orders = new Set(
    report.motifs
      .filter(({ kind }) => kind === 'order_settled')
      .flatMap(({ evidence }) => evidence.map(placeOf)),
  );
  const claimed = new Set<string>();
  const check = (list: readonly Evidence[], account: string, at: string) =>
    list.forEach((evidence, i) => {
      claimed.add(placeOf(evidence));
      const ofMotif = motifs.some(
        (motif) => motif.accounts.has(account) && list.every((e) => motif.places.has(placeOf(e))),
      );
      const ofOrder =
        orders.has(placeOf(evidence)) && list.some((e) => !orders.has(placeOf(e)) && names(e, account));
      if (!ofMotif && !ofOrder && !names(evidence, account))
        find('attribution', `${at}/evidence/${i}`, `${placeOf(evidence)} does not speak of ${account}`);
    });
  attribution.orders.forEach((order, i) => check(order.evidence, order.owner, `/attribution/orders/${i}`));
  attribution.candidates.forEach((candidate, i) => {
    if (!candidate.reasons.includes('gave_and_got')) return;
    const first = (end: 'from' | 'to') =>
      (report.movements ?? [])
        .filter((m) => m[end] === candidate.account)
        .slice(0, 1)
        .map((m) => placeOf(m.evidence));
    const shown = (candidate.evidence ?? []).map(placeOf);
    if (shown.join() !== [...first('from'), ...first('to')].join())
      find(
        'attribution',
        `/attribution/candidates/${i}`,
        `${shown.join()} is not what it first sent and first received`,
      );
  });
  attribution.candidates.forEach((candidate, i) =>
    check(candidate.evidence ?? [], candidate.account, `/attribution/candidates/${i}`),
  );
  attribution.evidence.forEach((evidence, i) => {
    if (!claimed.has(placeOf(evidence)))
      find(
        'attribution',
        `/attribution/evidence/${i}`,
        `${placeOf(evidence)} stands behind no candidate and no order`,
      );
  });
}
