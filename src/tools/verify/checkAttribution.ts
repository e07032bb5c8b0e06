import type { Evidence, TxReport } from '../../model/generated/report.ts';
import { placeOf } from './checkEvidence.ts';
import type { Report } from './finding.ts';
import type { RawChain } from './rawChain.ts';

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
