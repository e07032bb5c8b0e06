import { examine, read, type Examined } from '../../../analyze.ts';
import { labelFormat } from '../../../value/labelFormat.ts';
import type { Address } from '../../../model/hex.ts';
import type { Rulebook } from '../../../model/rulebook.ts';
import type { IntentInput } from '../../../stages/7-intent/intentInput.ts';
import { explainIntents, type ExplainedVerdict } from '../../../stages/7-intent/matchIntents.ts';
import type { Recording } from './recordings.ts';

/** The rules' result for a transaction, seen from one account. */
export interface SubjectReading {
  readonly account: Address;
  readonly explained: ExplainedVerdict;
}

export interface ExaminedTx extends Examined {
  readonly recording: Recording;
  /** Input of the intent stage for the subject. */
  readonly input: IntentInput;
  /** The elected actor (the signer without one), or the account asked for. */
  readonly reading: SubjectReading;
  /** Reads the transaction from another candidate's place. */
  readonly readAs: (account: Address) => Promise<SubjectReading>;
}

/** Runs the pipeline up to the verdict, explained; `actor` overrides the elected subject. */
export async function examineTx(
  recording: Recording,
  rulebook: Rulebook,
  actor?: string,
): Promise<ExaminedTx> {
  const { raw, context } = recording;
  const examined = examine(read(raw, context), context, rulebook);
  const { subject: elected } = examined;
  const format = labelFormat(examined.context.tokens, rulebook);
  const inputAs = (account: Address): IntentInput => ({
    ...examined,
    rulebook,
    subject: account === elected.account ? elected : { ...elected, account, entity: new Set([account]) },
  });
  const readAs = async (account: Address): Promise<SubjectReading> => ({
    account,
    explained: await explainIntents(inputAs(account), format),
  });
  const account = (actor as Address | undefined) ?? elected.account;
  return { ...examined, recording, input: inputAs(account), reading: await readAs(account), readAs };
}
