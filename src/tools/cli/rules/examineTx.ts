import { labelFormat } from '../../../value/labelFormat.ts';
import type { Address } from '../../../model/hex.ts';
import type { Attribution } from '../../../model/attribution.ts';
import type { Motif } from '../../../model/motif.ts';
import type { Primitive } from '../../../model/primitive.ts';
import type { CanonicalTx } from '../../../model/canonicalTx.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import { canonicalize } from '../../../stages/2-canonical/canonicalize.ts';
import { readBlockHeader } from '../../../stages/2-canonical/readBlockHeader.ts';
import { buildValueFlow } from '../../../stages/3-flow/buildValueFlow.ts';
import { findPrimitives } from '../../../stages/4-primitives/findPrimitives.ts';
import { buildMotifs } from '../../../stages/5-motifs/buildMotifs.ts';
import { subjectOf, type IntentInput } from '../../../stages/7-intent/intentInput.ts';
import { explainIntents, type ExplainedVerdict } from '../../../stages/7-intent/matchIntents.ts';
import { electActor } from '../../../stages/6-actor/electActor.ts';
import type { Recording } from './recordings.ts';

/** What the rules made of a transaction, seen from one account. */
export interface SubjectReading {
  readonly account: Address;
  readonly explained: ExplainedVerdict;
}

export interface ExaminedTx {
  readonly recording: Recording;
  readonly tx: CanonicalTx;
  readonly primitives: readonly Primitive[];
  readonly motifs: readonly Motif[];
  readonly attribution: Attribution;
  /** What the intent stage was given for the subject. */
  readonly input: IntentInput;
  /** The elected actor (the signer where nobody is), or the account asked for. */
  readonly subject: SubjectReading;
  /** Reads the transaction from another candidate's place. */
  readonly readAs: (account: Address) => Promise<SubjectReading>;
}

/** Runs the pure stages up to the verdict and keeps what they were made of; `actor` overrides the elected subject. */
export async function examineTx(
  recording: Recording,
  rulebook: Rulebook,
  actor?: string,
): Promise<ExaminedTx> {
  const { raw, context } = recording;
  const tx = canonicalize(raw);
  const header = readBlockHeader(context.block, tx);
  const flow = buildValueFlow(tx, rulebook);
  const primitives = findPrimitives(tx, flow, rulebook);
  const motifs = buildMotifs({ tx, flow, primitives, rulebook, coinbase: header.coinbase });
  const attribution = electActor({ tx, flow, motifs, rulebook, header, delegations: context.delegations });
  const elected = subjectOf(attribution);
  const format = labelFormat(context.tokens, rulebook);
  const inputAs = (account: Address): IntentInput => ({
    tx,
    flow,
    motifs,
    rulebook,
    subject: account === elected.account ? elected : { ...elected, account, entity: new Set([account]) },
  });
  const readAs = async (account: Address): Promise<SubjectReading> => ({
    account,
    explained: await explainIntents(inputAs(account), format),
  });
  const account = (actor as Address | undefined) ?? elected.account;
  return {
    recording,
    tx,
    primitives,
    motifs,
    attribution,
    input: inputAs(account),
    subject: await readAs(account),
    readAs,
  };
}
