import type { TxReport } from '../../model/generated/report.ts';
import { netsOf, partiesOf, type Report } from './finding.ts';
import { decimalText } from './checkDeltas.ts';

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
