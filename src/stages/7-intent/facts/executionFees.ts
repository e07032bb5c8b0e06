import type { SubjectView } from './subjectView.ts';

/** Modes in which somebody else submits for the subject and may be repaid by it. */
const SUBMITTED_FOR: ReadonlySet<string> = new Set([
  'safe',
  'smart_account_4337',
  'delegated_7702',
  'meta_transaction',
  'permit_pull',
]);

const NONE: ReadonlySet<number> = new Set();

/** Indexes of movements. */
export interface ExecutionFees {
  readonly prefunds: ReadonlySet<number>;
  readonly compensation: ReadonlySet<number>;
}

/**
 * Movements that pay for execution and are no part of the purpose: prefunds and compensation through an
 * ERC-4337 entry point, the charge of a token paymaster, and an account's payment to its submitter.
 */
export function executionFees(view: SubjectView): ExecutionFees {
  const { mode, signer } = view.input.subject;
  return {
    prefunds: new Set([...prefunds(view), ...charges(view)]),
    compensation: SUBMITTED_FOR.has(mode) && !view.entity.has(signer) ? compensation(view) : NONE,
  };
}

function prefunds(view: SubjectView): ReadonlySet<number> {
  const operations = view.input.motifs.filter((motif) => view.kind(motif).executes === 'operation');
  if (operations.length === 0) return NONE;
  const { flow } = view;
  const found = new Set<number>();
  for (const entryPoint of new Set(operations.map((m) => m.venue))) {
    for (const side of [flow.outgoing, flow.incoming]) {
      for (const index of side.get(entryPoint) ?? []) {
        if (flow.assets.get(flow.movements[index]!.asset)?.kind === 'native') found.add(index);
      }
    }
  }
  return found;
}

/** Fees that paymasters of the subject's operations charged it, and their refunds. */
function charges(view: SubjectView): number[] {
  const { flow, entity, input } = view;
  const paymasters = new Set(
    input.motifs
      .filter((motif) => view.kind(motif).executes === 'operation')
      .flatMap(({ participants }) => participants.filter(({ role }) => role === 'paymaster'))
      .map(({ account }) => account),
  );
  if (paymasters.size === 0) return [];
  const fees = input.motifs.filter((motif) => view.kind(motif).fee && motif.status === 'Proven');
  const charged = new Set(fees.flatMap(({ movements }) => movements));
  return flow.movements
    .filter(
      ({ index, from, to }) =>
        (entity.has(from) && charged.has(index)) || (entity.has(to) && paymasters.has(from)),
    )
    .map(({ index }) => index);
}

function compensation({ flow, entity, input }: SubjectView): Set<number> {
  const found = new Set<number>();
  for (const index of flow.incoming.get(input.subject.signer) ?? [])
    if (entity.has(flow.movements[index]!.from)) found.add(index);
  return found;
}
