import type { Address } from '../../../model/hex.ts';
import type { Allowance } from '../../../model/valueFlow.ts';
import { count, entityTags, flag, type Facts } from './factSpec.ts';
import type { SubjectView } from './subjectView.ts';

const GRANTS: ReadonlySet<Allowance['kind']> = new Set(['granted', 'increased', 'operator']);

const own = ({ flow, entity, input: { suspects } }: SubjectView): readonly Allowance[] =>
  flow.allowances.filter(
    ({ owner, evidence }) => entity.has(owner) && !suspects?.allowances.has(evidence.log!),
  );
const granted = (view: SubjectView): readonly Allowance[] => own(view).filter(({ kind }) => GRANTS.has(kind));

/** Allowances the actor changed, and tokens it pulled from others. */
export const ALLOWANCE_FACTS: Facts = {
  'allowances.granted': count(
    'Allowances of the actor that were granted or raised.',
    (v) => granted(v).length,
  ),
  'allowances.unlimited': count(
    'Of these, those over at least what the vocabulary calls unlimited, or over all NFTs of a collection.',
    (v) => granted(v).filter(({ unlimited }) => unlimited).length,
  ),
  'allowances.reduced': count(
    'Allowances of the actor that were lowered or revoked.',
    (v) => own(v).length - granted(v).length,
  ),
  'allowances.spenders': count(
    'Distinct accounts that may take tokens of the actor after this.',
    (v) => new Set(granted(v).map(({ spender }) => spender)).size,
  ),
  'allowances.to_called': flag('The called contract is one of them.', (v) =>
    granted(v).some(({ spender }) => spender === v.tx.to),
  ),
  'allowances.to_plain_account': flag(
    'One of them shows no code in this transaction and is no known contract.',
    (v) =>
      granted(v).some(
        ({ spender }) =>
          !v.codeAccounts.has(spender) &&
          !v.input.rulebook.entities.has(spender) &&
          !v.input.rulebook.protocolAt.has(spender),
      ),
  ),
  'allowances.spender_tags': entityTags('Entity tags of these accounts.', (v) =>
    granted(v).flatMap(({ spender }) => v.tagsOf(spender)),
  ),
  'flow.unpaid_accounts': count(
    'Accounts without code, other than the signer and the actor, that ended with less of ' +
      'something and more of nothing: their tokens were taken by an allowance.',
    unpaidAccounts,
  ),
};

function unpaidAccounts({ netHolders, entity, tx, codeAccounts, input: { rulebook } }: SubjectView): number {
  const isOther = (account: Address): boolean => account !== tx.from && !entity.has(account);
  const shown = (account: Address): boolean => codeAccounts.has(account) || rulebook.entities.has(account);
  const unpaid = [...netHolders.payers].filter((account) => !netHolders.receivers.has(account));
  return unpaid.filter((account) => isOther(account) && !shown(account)).length;
}
