import type { SubjectView } from './subjectView.ts';

/** Modes in which somebody else submits for the subject and may be repaid by it. */
const SUBMITTED_FOR: ReadonlySet<string> = new Set(['safe', 'smart_account_4337', 'delegated_7702', 'meta_transaction', 'permit_pull']);

/**
 * Movements that pay for execution and are no part of what a transaction was for: prefunds and compensation through an
 * ERC-4337 entry point, and what an account paid to whoever submitted for it.
 */
export function executionFees(view: SubjectView): { readonly prefunds: ReadonlySet<number>; readonly compensation: ReadonlySet<number> } {
  const { flow, entity, input } = view;
  const entryPoints = new Set((view.byKind.get('user_operation') ?? []).map((m) => m.venue));
  const prefunds = new Set<number>();
  for (const entryPoint of entryPoints) {
    for (const side of [flow.outgoing, flow.incoming]) {
      for (const index of side.get(entryPoint) ?? []) {
        if (flow.assets.get(flow.movements[index]!.asset)?.kind === 'native') prefunds.add(index);
      }
    }
  }
  const compensation = new Set<number>();
  const { mode, signer } = input.subject;
  if (SUBMITTED_FOR.has(mode) && !entity.has(signer)) {
    for (const index of flow.incoming.get(signer) ?? []) if (entity.has(flow.movements[index]!.from)) compensation.add(index);
  }
  return { prefunds, compensation };
}
