import { addressAt } from '../../../evm/hex.ts';
import { createdIn } from '../../../value/frames.ts';
import { isCommanded } from '../../../lib/motifKinds.ts';
import { isNft, NATIVE_ASSET } from '../../../value/asset.ts';
import { netSides, type Balance } from '../../../value/balances.ts';
import { count, entityTags, flag, kinds, oneOf, type Facts } from './factSpec.ts';
import type { SubjectView } from './subjectView.ts';
import type { Address } from '../../../model/hex.ts';

type Test = (of: Balance, v: SubjectView) => boolean;

const isMinted: Test = ({ incoming }, v) => incoming.length > 0 && incoming.every((m) => v.isMint(m));
const isBurnt: Test = ({ outgoing }, v) => outgoing.length > 0 && outgoing.every((m) => v.isBurn(m));
const isErc20: Test = ({ asset }) => asset.kind === 'erc20';
const isNftBalance: Test = ({ asset }) => isNft(asset);
const not =
  (test: Test): Test =>
  (balance, v) =>
    !test(balance, v);

/** The called contract and the direct recipients of the actor's assets. */
const takers = ({ tx, sent }: SubjectView): (Address | null)[] => [
  tx.to,
  ...sent.flatMap(({ outgoing }) => outgoing.map(({ to }) => to)),
];

type Side = 'sent' | 'received';

/** Counts the actor's sent, or received, assets that pass all tests. */
const countsOf =
  (side: Side) =>
  (doc: string, ...tests: Test[]) =>
    count(doc, (v) => v[side].filter((one) => tests.every((test) => test(one, v))));
const [sent, received] = [countsOf('sent'), countsOf('received')];

/** The counts that both sides have. */
function eitherSide(side: Side, word: 'less' | 'more'): Facts {
  const counts = countsOf(side);
  return {
    [`actor.${side}.assets`]: counts(`Assets the actor ended with ${word} of.`),
    [`actor.${side}.native`]: flag(
      `The actor ended with ${word} native value. Wrapped native counts where both moved, else as an ERC-20.`,
      (v) => v[side].some(({ asset }) => asset.kind === 'native'),
    ),
    [`actor.${side}.erc20`]: counts(`ERC-20 assets the actor ended with ${word} of.`, isErc20),
    [`actor.${side}.nfts`]: counts(`Non-fungible assets the actor ended with ${word} of.`, isNftBalance),
    [`actor.${side}.fungible`]: counts(`Fungible assets the actor ended with ${word} of.`, not(isNftBalance)),
  };
}

function kindsIn(ends: SubjectView['takers']): string[] {
  return [...ends.values()].flatMap((motifs) => [...motifs].map(({ kind }) => kind));
}

/** The subject's identity. */
const WHO: Facts = {
  'actor.is_signer': flag('The actor signed the transaction.', (v) => v.input.subject.account === v.tx.from),
  'actor.elected': flag('One actor could be elected.', (v) => v.input.subject.elected),
  'actor.mode': oneOf(
    [
      'self',
      'smart_account_4337',
      'safe',
      'solver_settlement',
      'meta_transaction',
      'delegated_7702',
      'permit_pull',
      'bot_contract',
      'own_contract',
      'none',
    ],
    'How the actor acted.',
    (v) => v.input.subject.mode,
  ),
  'actor.submitter': oneOf(
    ['self', 'bundler', 'relayer', 'solver', 'resolver', 'safe_executor', 'keeper', 'mev_bot', 'operator'],
    'Who brought the transaction on chain, in relation to the actor.',
    (v) => v.input.subject.submitterRole,
  ),
  'actor.claimed': flag(
    'Only an event or balances point at the actor; the verdict is then never Proven.',
    (v) => v.input.subject.claimed,
  ),
};

/** The subject's sent and received assets, net and without forwarded ones; wrapped native is native. */
const BALANCES: Facts = {
  'actor.sides': oneOf(['none', 'sent', 'received', 'both'], 'Which way value went, net.', (v) =>
    netSides(v.balances),
  ),
  ...eitherSide('sent', 'less'),
  'actor.sent.burnt': sent('Assets the actor sent that were burnt from it.', isBurnt),
  'actor.sent.kept': sent('Assets the actor sent that were not burnt from it.', not(isBurnt)),
  ...eitherSide('received', 'more'),
  'actor.received.minted': received('Assets the actor received that were minted to it.', isMinted),
  'actor.received.minted_erc20': received('ERC-20 assets minted to the actor.', isErc20, isMinted),
  'actor.received.minted_nfts': received('Non-fungible assets minted to the actor.', isNftBalance, isMinted),
  'actor.received.fungible_transferred': received(
    'Fungible assets the actor received by transfer, not by a mint.',
    not(isNftBalance),
    not(isMinted),
  ),
  'actor.received.transferred': received(
    'Assets the actor received by transfer, not by a mint.',
    not(isMinted),
  ),
  'actor.received.unexplained': received(
    'Assets the actor received that no recognised act paid out.',
    ({ id }, v) => !v.payers.get(id)?.size,
  ),
  'actor.received.gas_back': flag(
    'All the actor received is native currency in plain payments, 0.9 to 2 times what the gas cost.',
    (v) => {
      const gas = v.tx.gasUsed * v.tx.effectiveGasPrice;
      return (
        v.received.length === 1 &&
        v.received[0]!.asset.kind === 'native' &&
        v.payersOf(v.received[0]!.id).every((motif) => motif.traits.plain) &&
        v.received[0]!.net * 10n >= gas * 9n &&
        v.received[0]!.net <= gas * 2n
      );
    },
  ),
  'actor.received.minted_by_payee': flag(
    'An asset minted to the actor is issued by the contract that took what the actor sent, or ' +
      'that the actor called.',
    (v) => v.received.some((l) => isMinted(l, v) && takers(v).includes(l.asset.address)),
  ),
  'actor.sent.burnt_by_payer': flag(
    'An asset burnt from the actor is issued by the contract that paid the actor, or that the actor called.',
    (v) => v.sent.some((l) => isBurnt(l, v) && [v.tx.to, ...v.senders].includes(l.asset.address)),
  ),
  'actor.converts': oneOf(
    ['none', 'to_wrapped', 'to_native'],
    'The actor ended with nothing but native currency turned into its wrapped token, or back, ' +
      'less at most 5 %.',
    conversionOf,
  ),
  'actor.returns_to_issuer': flag('An asset the actor sent went to the contract that issues it.', (v) =>
    v.sent.some((l) => l.outgoing.some((m) => m.to === l.asset.address)),
  ),
};

/** Routers that wrap for their caller keep a fee of a few percent at most. */
const MOST_KEPT_PERCENT = 5n;

function conversionOf({ exchange, flow }: SubjectView): 'none' | 'to_wrapped' | 'to_native' {
  const own = exchange.unmerged();
  const native = own.find(({ id }) => id === NATIVE_ASSET)?.net ?? 0n;
  const wrapped = own.find(({ asset }) => asset.address && flow.wrappedNative.has(asset.address));
  if (own.length !== 2 || !wrapped || native * wrapped.net >= 0n) return 'none';
  const [given, received] = native < 0n ? [-native, wrapped.net] : [-wrapped.net, native];
  const kept = given - received;
  if (kept < 0n || kept * 100n > given * MOST_KEPT_PERCENT) return 'none';
  return native < 0n ? 'to_wrapped' : 'to_native';
}

/** The subject's counterparties. */
const COUNTERPARTIES: Facts = {
  'actor.sent.into': kinds(
    'Kinds of the motifs that took what the actor sent, behind routers and proxies.',
    (v) => kindsIn(v.takers),
  ),
  'actor.received.out_of': kinds(
    'Kinds of the motifs that paid what the actor received, behind routers and proxies.',
    (v) => kindsIn(v.payers),
  ),
  'actor.payees': count(
    'Accounts that kept what the actor sent, behind forwarders and routers.',
    (v) => v.recipients,
  ),
  'actor.pays_directly': flag(
    'Everything the actor sent went straight to who kept it.',
    (v) => v.sent.length > 0 && v.sent.every((l) => l.outgoing.every((m) => v.recipients.has(m.to))),
  ),
  'actor.payee_shows_code': flag(
    'An account that kept what the actor sent has code: it emitted events, made calls or answered.',
    (v) => [...v.recipients].some((a) => v.codeAccounts.has(a)),
  ),
  'actor.payee_is_called': flag(
    'The contract that the transaction calls or creates kept what the actor sent.',
    ({ recipients, tx: { to, createdContract } }) => recipients.has((to ?? createdContract)!),
  ),
  'actor.payee_named': flag(
    'The calldata is a function with one or two words, the first of them the account that kept the payment.',
    (v) => v.tx.input.length <= 138 && v.recipients.has(addressAt(v.tx.input, 4)!),
  ),
  'actor.payee_tags': entityTags('Entity tags of the accounts that kept what the actor sent.', (v) =>
    [...v.recipients].flatMap((a) => v.tagsOf(a)),
  ),
  'actor.sources': count(
    'Accounts the actor received something from directly, the zero address included.',
    (v) => v.senders,
  ),
  'actor.sources_speak': flag(
    'A payer of the actor, or the contract it called, emitted an event that is no transfer or approval. An ' +
      'account that the called contract passed the same function on to is only emptied: it does not count.',
    (v) => {
      const emitters = new Set(v.events.map(({ address }) => address));
      return (
        (v.tx.to !== null && emitters.has(v.tx.to)) ||
        v.received.some((l) => l.incoming.some((m) => emitters.has(m.from) && !isCommanded(v.tx, m.from)))
      );
    },
  ),
  'actor.received.unasked': count(
    'Movements to the actor that no call or signature of the payer asked for.',
    (v) => v.received.flatMap((l) => l.incoming.filter((m) => v.input.suspects?.unasked.has(m.index))),
  ),
  'actor.paid_by_created': flag(
    'Contracts created here paid all that the actor received.',
    ({ senders, tx }) => {
      const created = createdIn(tx.frames);
      return senders.size > 0 && [...senders].every((account) => created.has(account));
    },
  ),
  'actor.paid_by_called': flag('The called contract paid the actor.', (v) =>
    v.received.some((l) => l.incoming.some((m) => m.from === v.tx.to)),
  ),
  'actor.source_tags': entityTags('Entity tags of the accounts the actor received something from.', (v) =>
    [...v.senders].flatMap((a) => v.tagsOf(a)),
  ),
  'actor.payee_speaks': kinds(
    'Motif kinds spoken by the known protocols whose addresses kept what the actor sent.',
    (v) => [...v.recipients].flatMap((a) => [...(v.input.rulebook.prepared.kindsOf(a) ?? [])]),
  ),
  'actor.source_speaks': kinds(
    'Motif kinds spoken by the known protocols whose addresses paid the actor directly.',
    (v) => [...v.senders].flatMap((a) => [...(v.input.rulebook.prepared.kindsOf(a) ?? [])]),
  ),
  'actor.tags': entityTags('Entity tags of the actor.', (v) => v.tagsOf(v.input.subject.account)),
};

export const ACTOR_FACTS: Facts = { ...WHO, ...BALANCES, ...COUNTERPARTIES };
