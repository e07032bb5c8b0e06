import { cycleOf } from './cycles.ts';
import { commonFrame } from '../../value/frames.ts';
import {
  composite,
  joinEvidence,
  joinMovements,
  unique,
  type MotifDraft,
  type MotifInput,
} from './draftMotif.ts';
import { entityOf, type Entity } from './cycleEntity.ts';
import { connectedHops, tradeBalance, type Hop } from './hops.ts';
import { actingAsOne } from '../../value/parties/entity.ts';
import { routeOf } from './routes.ts';
import type { Address } from '../../model/hex.ts';
import { groupBy } from '../../lib/lists.ts';
import { kindOf } from '../../lib/motifKinds.ts';
import { summed } from '../../value/amount.ts';
import { evaluate, sentClaims } from '../../value/claims.ts';
import { balances } from '../../value/balances.ts';
import { feeRecipientsOf, tracingOf } from '../../value/parties.ts';
import { roleOf } from '../../lib/roles.ts';

/** Closed cycles and routes that hops form; it takes hops at two pools to form one. */
export function compositesOf(
  hops: readonly Hop[],
  drafts: readonly MotifDraft[],
  input: MotifInput,
): MotifDraft[] {
  const tracing = tracingOf(input.flow, input.rulebook.wrappedNative);
  const venues = new Set(hops.map((hop) => hop.motif.venue));
  const entities = new Map<string, Entity>();
  const entity = (group: readonly Hop[]): Entity => {
    const acts = group.map(({ motif }) => motif);
    const accounts = actingAsOne([input.tx.from], acts, { ...input, venues });
    const key = [...accounts.keys()].join();
    const known = entities.get(key) ?? entityOf(input, venues, accounts);
    entities.set(key, known);
    return known;
  };
  const context = { tx: input.tx, entity };
  const feeRecipients = feeRecipientsOf(drafts, input.rulebook);
  return connectedHops(hops, input).flatMap((group) => {
    if (new Set(group.map((hop) => hop.pool)).size < 2) return [];
    const balance = tradeBalance(group);
    return cycleOf(group, balance, context) ?? routeOf(group, balance, tracing, feeRecipients) ?? [];
  });
}

/** One payer, two or more recipients, and nothing that came back for it. */
export function batchTransfers(drafts: readonly MotifDraft[], input: MotifInput): readonly MotifDraft[] {
  if (drafts.length < 2) return [];
  const byPayer = groupBy(drafts, (draft) => {
    const { plain, serves } = kindOf(input.rulebook, draft.kind);
    return plain && serves === null ? roleOf(draft, 'payer') : null;
  });
  return [...byPayer].flatMap(([payer, payments]) => batchOf(payer, payments, input) ?? []);
}

function batchOf(
  payer: Address,
  payments: readonly MotifDraft[],
  { tx, flow }: MotifInput,
): MotifDraft | null {
  const recipients = unique(payments.map((draft) => roleOf(draft, 'recipient')!));
  const noGain = evaluate('no_counter_flow', [...balances(flow, payer).values()], [payer]);
  if (recipients.length < 2 || !noGain.holds) return null;
  const payers = unique(payments.map((draft) => roleOf(draft, 'payer')!));
  const moved = joinMovements(payments).map((index) => flow.movements[index]!);
  const paid = payments.flatMap((payment) => payment.assetsOut);
  const assetsOut = summed(paid.map(({ asset, amount }) => ({ asset, amount, role: 'paid' })));
  return composite(
    {
      kind: 'batch_transfer',
      venue: payer,
      scopeFrame: commonFrame(tx, joinEvidence(payments)),
      participants: [
        { role: 'owner', account: payer },
        { role: 'payer', account: payer },
        ...recipients.map((account) => ({ role: 'recipient', account })),
      ],
      assetsIn: [],
      assetsOut,
      claims: [...sentClaims(assetsOut, moved), evaluate('one_payer', payers, payers), noGain],
    },
    payments,
  );
}
