import { addressAt } from '../../../evm/hex.ts';
import { createdIn } from '../../../value/frames.ts';
import { isCommanded } from '../../../lib/motifKinds.ts';
import { isNft, NATIVE_ASSET } from '../../../value/asset.ts';
import { netSides, type Balance } from '../../../value/balances.ts';
import { count, entityTags, flag, kinds, oneOf, type FactSpec } from './factSpec.ts';
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

/** Counts the actor's sent, or received, assets that pass all tests. */
function balancesThat(
  name: `actor.${'sent' | 'received'}.${string}`,
  doc: string,
  ...tests: Test[]
): FactSpec {
  const side = name.startsWith('actor.sent.') ? 'sent' : 'received';
  return count(name, doc, (v) => v[side].filter((one) => tests.every((test) => test(one, v))).length);
}

const nativeThat = (side: 'sent' | 'received', word: string): FactSpec =>
  flag(
    `actor.${side}.native`,
    `The actor ended with ${word} native value. Wrapped native counts where both moved, else as an ERC-20.`,
    (v) => v[side].some(({ asset }) => asset.kind === 'native'),
  );

function kindsIn(ends: SubjectView['takers']): string[] {
  return [...ends.values()].flatMap((motifs) => [...motifs].map(({ kind }) => kind));
}

/** The subject's identity. */
const WHO: readonly FactSpec[] = [
  flag('actor.is_signer', 'The actor signed the transaction.', (v) => v.input.subject.account === v.tx.from),
  flag('actor.elected', 'One actor could be elected.', (v) => v.input.subject.elected),
  oneOf(
    'actor.mode',
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
  oneOf(
    'actor.submitter',
    ['self', 'bundler', 'relayer', 'solver', 'resolver', 'safe_executor', 'keeper', 'mev_bot', 'operator'],
    'Who brought the transaction on chain, in relation to the actor.',
    (v) => v.input.subject.submitterRole,
  ),
  flag(
    'actor.claimed',
    'Only an event or balances point at the actor; the verdict is then never Proven.',
    (v) => v.input.subject.claimed,
  ),
];

/**
 * The subject's sent and received assets, net; native and wrapped native are one asset; forwarded amounts
 * are left out.
 */
const BALANCES: readonly FactSpec[] = [
  oneOf('actor.sides', ['none', 'sent', 'received', 'both'], 'Which way value went, net.', (v) =>
    netSides(v.balances),
  ),
  balancesThat('actor.sent.assets', 'Assets the actor ended with less of.'),
  nativeThat('sent', 'less'),
  balancesThat('actor.sent.erc20', 'ERC-20 assets the actor ended with less of.', isErc20),
  balancesThat('actor.sent.nfts', 'Non-fungible assets the actor ended with less of.', isNftBalance),
  balancesThat('actor.sent.burnt', 'Assets the actor sent that were burnt from it.', isBurnt),
  balancesThat('actor.sent.kept', 'Assets the actor sent that were not burnt from it.', not(isBurnt)),
  balancesThat('actor.received.assets', 'Assets the actor ended with more of.'),
  nativeThat('received', 'more'),
  balancesThat('actor.received.erc20', 'ERC-20 assets the actor ended with more of.', isErc20),
  balancesThat('actor.received.nfts', 'Non-fungible assets the actor ended with more of.', isNftBalance),
  balancesThat('actor.received.minted', 'Assets the actor received that were minted to it.', isMinted),
  balancesThat('actor.received.minted_erc20', 'ERC-20 assets minted to the actor.', isErc20, isMinted),
  balancesThat(
    'actor.received.minted_nfts',
    'Non-fungible assets minted to the actor.',
    isNftBalance,
    isMinted,
  ),
  balancesThat('actor.sent.fungible', 'Fungible assets the actor ended with less of.', not(isNftBalance)),
  balancesThat('actor.received.fungible', 'Fungible assets the actor ended with more of.', not(isNftBalance)),
  balancesThat(
    'actor.received.fungible_transferred',
    'Fungible assets the actor received by transfer, not by a mint.',
    not(isNftBalance),
    not(isMinted),
  ),
  balancesThat(
    'actor.received.transferred',
    'Assets the actor received by transfer, not by a mint.',
    not(isMinted),
  ),
  balancesThat(
    'actor.received.unexplained',
    'Assets the actor received that no recognised act paid out.',
    ({ id }, v) => !v.payers.get(id)?.size,
  ),
  flag(
    'actor.received.gas_back',
    'All the actor received is native currency in plain payments, 0.9 to 2 times what the gas cost.',
    (v) => {
      const gas = v.tx.gasUsed * v.tx.effectiveGasPrice;
      return (
        v.received.length === 1 &&
        v.received[0]!.asset.kind === 'native' &&
        v.payersOf(v.received[0]!.id).every((motif) => v.kind(motif).plain) &&
        v.received[0]!.net * 10n >= gas * 9n &&
        v.received[0]!.net <= gas * 2n
      );
    },
  ),
  flag(
    'actor.received.minted_by_payee',
    'An asset minted to the actor is issued by the contract that took what the actor sent, or ' +
      'that the actor called.',
    (v) => v.received.some((l) => isMinted(l, v) && takers(v).includes(l.asset.address)),
  ),
  flag(
    'actor.sent.burnt_by_payer',
    'An asset burnt from the actor is issued by the contract that paid the actor, or that the actor called.',
    (v) => v.sent.some((l) => isBurnt(l, v) && [v.tx.to, ...v.senders].includes(l.asset.address)),
  ),
  oneOf(
    'actor.converts',
    ['none', 'to_wrapped', 'to_native'],
    'The actor ended with nothing but native currency turned into its wrapped token, or back, ' +
      'less at most 5 %.',
    conversionOf,
  ),
  flag('actor.returns_to_issuer', 'An asset the actor sent went to the contract that issues it.', (v) =>
    v.sent.some((l) => l.outgoing.some((m) => m.to === l.asset.address)),
  ),
];

/** Routers that wrap for their caller keep a fee of a few percent at most. */
const MOST_KEPT_PERCENT = 5n;

function conversionOf({ exchange, input }: SubjectView): 'none' | 'to_wrapped' | 'to_native' {
  const own = exchange.unmerged();
  const native = own.find(({ id }) => id === NATIVE_ASSET)?.net ?? 0n;
  const wrapped = own.find(({ asset }) => asset.address && input.rulebook.wrappedNative.has(asset.address));
  if (own.length !== 2 || !wrapped || native * wrapped.net >= 0n) return 'none';
  const [given, received] = native < 0n ? [-native, wrapped.net] : [-wrapped.net, native];
  const kept = given - received;
  if (kept < 0n || kept * 100n > given * MOST_KEPT_PERCENT) return 'none';
  return native < 0n ? 'to_wrapped' : 'to_native';
}

/** The subject's counterparties. */
const COUNTERPARTIES: readonly FactSpec[] = [
  kinds(
    'actor.sent.into',
    'Kinds of the motifs that took what the actor sent, behind routers and proxies.',
    (v) => kindsIn(v.takers),
  ),
  kinds(
    'actor.received.out_of',
    'Kinds of the motifs that paid what the actor received, behind routers and proxies.',
    (v) => kindsIn(v.payers),
  ),
  count(
    'actor.payees',
    'Accounts that kept what the actor sent, behind forwarders and routers.',
    (v) => v.recipients.size,
  ),
  flag(
    'actor.pays_directly',
    'Everything the actor sent went straight to who kept it.',
    (v) => v.sent.length > 0 && v.sent.every((l) => l.outgoing.every((m) => v.recipients.has(m.to))),
  ),
  flag(
    'actor.payee_shows_code',
    'An account that kept what the actor sent has code: it emitted events, made calls or answered.',
    (v) => [...v.recipients].some((a) => v.codeAccounts.has(a)),
  ),
  flag(
    'actor.payee_is_called',
    'The called contract kept what the actor sent.',
    (v) => v.tx.to !== null && v.recipients.has(v.tx.to),
  ),
  flag(
    'actor.payee_named',
    'The calldata is a function with one or two words, the first of them the account that kept the payment.',
    (v) => v.tx.input.length <= 138 && v.recipients.has(addressAt(v.tx.input, 4)!),
  ),
  entityTags('actor.payee_tags', 'Entity tags of the accounts that kept what the actor sent.', (v) =>
    [...v.recipients].flatMap((a) => v.tagsOf(a)),
  ),
  count(
    'actor.sources',
    'Accounts the actor received something from directly, the zero address included.',
    (v) => v.senders.size,
  ),
  flag(
    'actor.sources_speak',
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
  count(
    'actor.received.unasked',
    'Movements to the actor that no call or signature of the payer asked for.',
    (v) => v.received.flatMap((l) => l.incoming.filter((m) => v.input.suspects?.unasked.has(m.index))).length,
  ),
  flag(
    'actor.paid_by_created',
    'Contracts created here paid all that the actor received.',
    ({ senders, tx }) => {
      const created = createdIn(tx.frames);
      return senders.size > 0 && [...senders].every((account) => created.has(account));
    },
  ),
  flag('actor.paid_by_called', 'The called contract paid the actor.', (v) =>
    v.received.some((l) => l.incoming.some((m) => m.from === v.tx.to)),
  ),
  entityTags('actor.source_tags', 'Entity tags of the accounts the actor received something from.', (v) =>
    [...v.senders].flatMap((a) => v.tagsOf(a)),
  ),
  kinds(
    'actor.payee_speaks',
    'Motif kinds spoken by the known protocols whose addresses kept what the actor sent.',
    (v) => [...v.recipients].flatMap((a) => [...(v.input.rulebook.prepared.kindsOf(a) ?? [])]),
  ),
  kinds(
    'actor.source_speaks',
    'Motif kinds spoken by the known protocols whose addresses paid the actor directly.',
    (v) => [...v.senders].flatMap((a) => [...(v.input.rulebook.prepared.kindsOf(a) ?? [])]),
  ),
  entityTags('actor.tags', 'Entity tags of the actor.', (v) => v.tagsOf(v.input.subject.account)),
];

export const ACTOR_FACTS: readonly FactSpec[] = [...WHO, ...BALANCES, ...COUNTERPARTIES];
