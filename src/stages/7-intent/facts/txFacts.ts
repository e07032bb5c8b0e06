import { gasOfData } from '../../../evm/gas.ts';
import { addressOfWord } from '../../../evm/hex.ts';
import { keyOfLog } from '../../../evm/signatures.ts';
import { creationsIn } from '../../../value/frames.ts';
import { isFungible, isNft } from '../../../value/asset.ts';
import { tokensOf } from '../../../value/parties.ts';
import { isCallOf } from '../../../value/tokenCall.ts';
import { blobsOf } from '../../../value/parties/execution.ts';
import { namedAct } from '../calledWords.ts';
import { count, entityTags, flag, kinds, oneOf, text, type Facts } from './factSpec.ts';
import type { SubjectView } from './subjectView.ts';
import type { NonEconomicMovement } from '../../../model/valueFlow.ts';

/** Facts about the transaction itself, for any subject. */
export const TX_FACTS: Facts = {
  'tx.outcome': oneOf(['success', 'reverted'], 'Whether the transaction took effect.', (v) =>
    v.tx.succeeded ? 'success' : 'reverted',
  ),
  'tx.creates_contract': flag(
    'The transaction itself is a contract creation (`to` is null).',
    (v) => v.tx.to === null,
  ),
  'tx.contracts_created': count('Contracts created anywhere in the trace, in frames that took effect.', (v) =>
    creationsIn(v.tx.frames),
  ),
  'tx.selector': text(
    '^(0x[0-9a-f]{8})?$',
    'Selector of the function that the transaction calls, as `"0x12345678"`; empty for ' +
      'creations and plain payments.',
    (v) => v.tx.frames[0]?.selector ?? '',
  ),
  'tx.index': count(
    'Position of the transaction in its block, from 0. Where the node leaves it out: 1000000, ' +
      'so that no early place is assumed.',
    (v) => v.tx.indexInBlock ?? 1_000_000,
  ),
  'tx.events_about_created': flag(
    'Every event that moves nothing names a contract created here, or was emitted by one.',
    onlySpeaksOfCreated,
  ),
  'tx.empty_calldata': flag('The transaction carries no calldata.', (v) => v.tx.input === '0x'),
  'tx.plain_call': flag(
    'No calldata, or fewer than the four bytes of a function selector.',
    (v) => v.tx.input.length < 10,
  ),
  'tx.names_act': flag(
    "The called function's name begins with the word of a motif kind: `unstake`, `claimFor`.",
    (v) => namedAct(v) !== null,
  ),
  'tx.logs_known': flag(
    'An event has the signature of one that a shape reads, whoever emitted it.',
    ({ tx, input }) => tx.logs.some((log) => input.rulebook.events.has(keyOfLog(log))),
  ),
  'tx.to_self': flag('The transaction is addressed to its own signer.', (v) => v.tx.to === v.tx.from),
  'tx.sends_value': flag(
    'The transaction carries native value.',
    (v) => (v.tx.frames[0]?.value ?? v.tx.value) > 0n || v.tx.value > 0n,
  ),
  'tx.to_is_token': flag(
    'The called contract is itself one of the assets that moved.',
    (v) => v.tx.to !== null && tokensOf(v.flow).has(v.tx.to),
  ),
  'tx.to_shows_code': flag(
    'The called address has code: it emitted events, made calls or answered.',
    (v) => (v.tx.to !== null && v.codeAccounts.has(v.tx.to)) || v.tx.input.length >= 10,
  ),
  'tx.runs_code': flag(
    'The transaction cost other gas than its data alone: code ran, or other things were paid for.',
    ({ tx }) => tx.gasUsed !== BigInt(gasOfData(tx.input)),
  ),
  'tx.authorizations': count('EIP-7702 authorisations in the transaction.', (v) => v.tx.authorizations),
  'tx.delegates': oneOf(
    ['no', 'yes', 'unknown'],
    'Whether one of its EIP-7702 authorisations took effect; `unknown`: none is shown that did.',
    ({ input: { subject } }) => {
      const effects = subject.authorizations.map(({ tookEffect }) => tookEffect);
      if (effects.includes(true)) return 'yes';
      return effects.includes(null) ? 'unknown' : 'no';
    },
  ),
  'tx.blobs': count('Blobs the transaction carries (EIP-4844).', (v) => Number(blobsOf(v.tx))),
  'tx.logs': count('Events in the receipt.', (v) => v.tx.logs),
  'tx.calls': count('Call frames below the root that took effect.', (v) =>
    v.tx.frames.filter((f) => f.effective && f.parent !== null),
  ),
  'tx.to_tags': entityTags('Entity tags of the called address.', (v) => v.tagsOf(v.tx.to)),
  'tx.touched_tags': entityTags(
    'Entity tags of every address that was called or emitted an event.',
    touchedTags,
  ),
  'tx.signer_tags': entityTags('Entity tags of the signer.', (v) => v.tagsOf(v.tx.from)),
};

function onlySpeaksOfCreated({ tx, events }: SubjectView): boolean {
  const created = creationsIn(tx.frames).map(({ to }) => to!);
  return events.every(({ address, topics, data }) => {
    const text = topics.join('') + data;
    return created.some((contract) => contract === address || text.includes(contract.slice(2)));
  });
}

function touchedTags(v: SubjectView): string[] {
  const touched = [...v.tx.frames.map(({ to }) => to), ...v.tx.logs.map(({ address }) => address)];
  return touched.flatMap((account) => v.tagsOf(account));
}

/** Facts about the whole value flow without payments for execution, for any subject. */
export const FLOW_FACTS: Facts = {
  'flow.movements': count('Movements of value.', (v) => v.movements),
  'flow.mints': count('Tokens minted: movements out of the zero address, wrapping excluded.', (v) =>
    v.movements.filter((m) => v.isMint(m)),
  ),
  'flow.burns': count('Tokens burnt: movements into the zero address, unwrapping excluded.', (v) =>
    v.movements.filter((m) => v.isBurn(m)),
  ),
  'flow.assets': count('Distinct assets that moved.', (v) =>
    v.fees.size === 0 ? v.flow.assets.size : new Set(v.movements.map((m) => m.asset)).size,
  ),
  'flow.native_movements': count('Movements of the native asset.', (v) =>
    v.movements.filter((m) => v.flow.assets.get(m.asset)?.kind === 'native'),
  ),
  'flow.fungible_movements': count('Movements of native or ERC-20 assets.', (v) =>
    v.movements.filter((m) => isFungible(v.flow.assets.get(m.asset)!)),
  ),
  'flow.nft_movements': count('Movements of non-fungible or ERC-1155 tokens.', (v) =>
    v.movements.filter((m) => isNft(v.flow.assets.get(m.asset)!)),
  ),
  'flow.payers': count(
    'Accounts other than the zero address that ended with less of something.',
    (v) => v.netHolders.payers,
  ),
  'flow.receivers': count(
    'Accounts other than the zero address that ended with more of something.',
    (v) => v.netHolders.receivers,
  ),
  'flow.payers_speak': kinds(
    'Motif kinds spoken by the known protocols whose addresses ended with less of something.',
    (v) => [...v.netHolders.payers].flatMap((a) => [...(v.input.rulebook.prepared.kindsOf(a) ?? [])]),
  ),
  'noneconomic.approvals': count('Allowances granted or revoked.', (v) => v.nonEconomic('approval')),
  'noneconomic.zero_transfers': count('Transfers of nothing.', (v) => v.nonEconomic('zero_transfer')),
  'noneconomic.signer_zero_transfers': count(
    'Transfers of nothing out of the signer or into it, or out of an account that shows code.',
    ({ flow, tx: { from: signer }, codeAccounts: shown }) =>
      flow.nonEconomic.filter(
        ({ kind, from, to }) =>
          kind === 'zero_transfer' && (from === signer || to === signer || shown.has(from!)),
      ),
  ),
  'noneconomic.self_transfers': count('Transfers to oneself.', (v) => v.nonEconomic('self_transfer')),
  'noneconomic.own_self_transfers': count(
    'Token transfers of the actor to itself, by its own call of the token.',
    (v) => ownSelfTransfers(v),
  ),
  'noneconomic.own_self_nfts': count(
    'Transfers of NFTs of the actor to itself, by its own call of their contract.',
    (v) => ownSelfTransfers(v).filter(({ evidence: { log } }) => v.tx.logs[log!]!.topics.length === 4),
  ),
  'noneconomic.forged_transfers': count('Transfer events no balance can answer for.', (v) =>
    v.nonEconomic('forged_transfer'),
  ),
  'noneconomic.events': count('Events that move nothing.', (v) => v.events),
  'noneconomic.unread_events': count('Events that move nothing and of which no act speaks.', unreadEvents),
  'noneconomic.names_accounts': flag(
    'An event that moves nothing names the actor, or an account that shows no code: by a word that has the ' +
      'form of an address.',
    namesAccounts,
  ),
};

/** Numbers seldom have so many bytes; addresses mined for zeros in front do. */
const LEAST_ADDRESS = 1n << 112n;

function namesAccounts(view: SubjectView): boolean {
  const isNamed = (word: string): boolean => {
    const account = addressOfWord(word);
    if (account === null || BigInt(account) < LEAST_ADDRESS) return false;
    return view.entity.has(account) || !view.codeAccounts.has(account);
  };
  return view.events.some(({ topics, data }) => {
    const words = data.slice(2).match(/.{64}/g) ?? [];
    return topics.slice(1).some(isNamed) || words.some(isNamed);
  });
}

function unreadEvents(view: SubjectView): number {
  const read = new Set(view.input.motifs.flatMap(({ evidence }) => evidence.map(({ log }) => log)));
  return view.events.filter(({ index }) => !read.has(index)).length;
}

function ownSelfTransfers({ flow, entity, tx, input }: SubjectView): NonEconomicMovement[] {
  const own = flow.nonEconomic.filter(
    ({ kind, from, evidence: { log } }) => kind === 'self_transfer' && entity.has(from!) && log !== null,
  );
  if (own.length === 0) return own;
  const { tokenCalls } = input.rulebook;
  const calls = tx.frames.filter((call) => tokenCalls.has(call.selector!) && isCallOf(call, call.to!));
  const called = new Set(calls.map(({ from, to }) => `${from} ${to}`));
  return own.filter(({ from, evidence: { contract } }) => called.has(`${from} ${contract}`));
}
