import { structural, type Found, type StructureContext } from './context.ts';

/** Contracts created and still standing when the transaction ended. */
export function findDeployments(context: StructureContext): Found[] {
  return context.tx.frames
    .filter((f) => (f.type === 'CREATE' || f.type === 'CREATE2') && f.effective && f.to !== null)
    .map((f) =>
      structural({
        kind: 'deployment',
        seq: f.seq,
        venue: f.to!,
        roles: [{ role: 'owner', account: f.from }],
        legs: [],
        invariants: [{ name: 'code_created', holds: true }],
        tags: f.parent === null ? [] : ['inner'],
        evidence: [{ kind: 'frame', frame: f.index, log: null, contract: f.to! }],
      }),
    );
}
