import { addressOfWord, wordAt, wordOf, ZERO_ADDRESS } from '../../evm/hex.ts';
import { frameEvidence } from '../../lib/evidence.ts';
import { isCallOf, isUnlimited } from '../../value/tokenCall.ts';
import { readAround, type WordsAround } from '../../stages/1-fetch/simulatedBatch.ts';
import type { Session } from '../../stages/1-fetch/rpc/session.ts';
import type { CanonicalTx, Frame } from '../../model/canonicalTx.ts';
import type { Address, Hex } from '../../model/hex.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { SimulatedRun, SimulationRequest } from '../../model/simulation.ts';
import type { Allowance } from '../../model/valueFlow.ts';
import { changedAccounts } from './controlChanges.ts';

type View = readonly [Hex, Pick<Allowance, 'assetKind' | 'isCredit'>];
/** Views of an owner and a spender: `allowance`, `borrowAllowance` and `isApprovedForAll`. */
const VIEWS: readonly View[] = [
  ['0xdd62ed3e', { assetKind: 'erc20', isCredit: false }],
  ['0x6bd76d24', { assetKind: 'erc20', isCredit: true }],
  ['0xe985e9c5', { assetKind: 'erc721', isCredit: false }],
];
/**
 * Of an account and one that may act for it: `isOperator` (ERC-6909, ERC-7540), `isAuthorized` (Morpho),
 * `hasApprovedRelayer` (Balancer), `hasPermission` (Compound), `can`, `isAccountOperatorAuthorized` (Euler).
 */
const OPERATORS = ['0xb6363cf2', '0x65e4ad9e', '0xfec90d72', '0xcde68041', '0x4538c4eb', '0x1647292a'].map(
  (selector) => [selector, { assetKind: 'erc721', isCredit: false }] as View,
);
/** Spenders asked for per call of a token, and in all. */
const MOST_WORDS = 16;
const MOST_PAIRS = 32;

interface Asking {
  readonly session: Session;
  readonly request: SimulationRequest;
  readonly run: SimulatedRun;
  readonly rulebook: Rulebook;
}

type Pair = Pick<Allowance, 'owner' | 'spender'> & { readonly frame: Frame };

/**
 * Allowances of the signer's side that are higher after the run than before, logged or not: contracts
 * that were written to are asked about the accounts that call them or that their calls name.
 */
export async function risenAllowances(tx: CanonicalTx, asking: Asking): Promise<Allowance[]> {
  const { session, request, run, rulebook } = asking;
  if (run.changes === null || !tx.succeeded) return [];
  const pairs = pairsOf(tx, changedAccounts(run.changes).written);
  if (pairs.length === 0) return [];
  // An account appoints another by its own call.
  const own = pairs.filter(({ owner, frame }) => frame.from === owner);
  const asked = [...VIEWS, ...OPERATORS].flatMap((view) =>
    (OPERATORS.includes(view) ? own : pairs).map((pair) => [view, pair] as const),
  );
  const calls = asked.map(([[selector], { owner, spender, frame }]) => {
    return { to: frame.to!, data: `${selector}${wordOf(owner)}${wordOf(spender)}` as const };
  });
  const words = await readAround(session, request, run, calls);
  return asked.flatMap(([[, kind], pair], i) => risen(kind, pair, words[i]!, rulebook) ?? []);
}

function risen(
  { assetKind, isCredit }: View[1],
  { owner, spender, frame }: Pair,
  [before, after]: WordsAround,
  { unlimited }: Rulebook,
): Allowance | null {
  if (before === null || after === null || after <= before) return null;
  const isOperator = assetKind === 'erc721';
  return {
    token: frame.to!,
    assetKind,
    isCredit,
    tokenId: null,
    owner,
    spender,
    expiresAt: null,
    kind: isOperator ? 'operator' : 'granted',
    amount: isOperator ? null : after,
    unlimited: isOperator || isUnlimited(after, unlimited),
    evidence: frameEvidence(frame, frame.to!),
  };
}

/** Contracts written to with the accounts that may spend at them from now on, each once. */
function pairsOf({ frames, from, to }: CanonicalTx, written: ReadonlySet<string>): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const frame of frames) {
    const { to: token, from: caller } = frame;
    if (token === null || !written.has(token) || !isCallOf(frame, token)) continue;
    for (const owner of new Set([from, to ?? from]))
      for (const spender of [caller, ...namedIn(frame.input)])
        if (spender !== owner && spender !== token && owner !== token && pairs.size < MOST_PAIRS)
          pairs.set(`${token} ${owner} ${spender}`, { owner, spender, frame });
  }
  return [...pairs.values()];
}

/** Words of the arguments that read as an address. */
function namedIn(input: Hex): Address[] {
  const named: Address[] = [];
  for (let i = 0; i < MOST_WORDS; i++) {
    const word = wordAt(input, 4 + 32 * i);
    const address = word === null ? null : addressOfWord(word);
    if (address !== null && address !== ZERO_ADDRESS && !/^0x0{24}/.test(address)) named.push(address);
  }
  return named;
}
