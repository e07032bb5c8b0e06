/** A piece of a label: text, a placeholder, or a segment left out where a placeholder has no value. */
export type LabelPart =
  | { readonly text: string }
  | { readonly placeholder: string }
  | { readonly optional: readonly LabelPart[] };

const PIECE = /\{([^{}[\]]*)\}|\[([^[\]]*)\]|[{}[\]]|[^{}[\]]+/g;

/** Parses a label: `Swap {sent}[ on {place}]`. Null where brackets do not pair up; segments do not nest. */
export function parseLabel(label: string): readonly LabelPart[] | null {
  const parts: LabelPart[] = [];
  for (const [piece, placeholder, optional] of label.matchAll(PIECE)) {
    if (placeholder !== undefined) parts.push({ placeholder });
    else if (optional !== undefined) {
      const inner = parseLabel(optional);
      if (inner === null) return null;
      parts.push({ optional: inner });
    } else if (/^[{}[\]]$/.test(piece)) return null;
    else parts.push({ text: piece });
  }
  return parts;
}

/** Placeholders of labels, with their values. */
export const LABEL_WORDS: Readonly<Record<string, string>> = {
  sent: 'What the actor sent, with amounts where decimals are known. Refused in rules that rest on acts.',
  received: 'What the actor received. Refused in rules that rest on acts.',
  gave: 'What the actor gave in the act; what fees and taxes took of it follows the label.',
  got: 'What the actor got out of the act.',
  nft: 'The NFTs that the actor received or sent.',
  bought: 'What the actor received, where NFTs are among it.',
  sold: 'What it sent, where NFTs are among that and not among what it received.',
  protocol: 'Known protocols the act took place at.',
  place: 'Where it took place: the known contract that was called, else the known protocols, else the venue.',
  venue: 'The one venue of the act.',
  gain: 'What the act gave more of than it took.',
  loss: 'What the act took more of than it gave.',
  counterparty: 'The one account that kept what the actor sent, or that paid it.',
  owner: 'The one account that the acts name as owner, where it is neither the actor nor a venue.',
  delivered: 'What swaps paid to the one other account that they paid.',
  recipient: 'That account.',
  actor: 'The actor. Always has a value.',
  count: 'How many accounts kept what the actor sent; where it sent nothing, how many gained anything.',
  acts: 'How many acts the rule rests on.',
  pools: 'How many venues the act touched, from two on.',
  allowance: 'What may be taken by the allowances changed: `unlimited USDC`.',
  spender: 'Who may take it, where all allowances name the same account.',
  contract: 'The contract that was called or created. Always has a value.',
  method: 'The function that was called; where it is not known, what the act’s events say was done.',
  deed: 'What the events of the act say was done: `changed threshold 2`; else the function.',
  events: 'Names of the events of a called contract whose function is not known.',
  call:
    'The function and its contract: `harvest() on 0x12ab…cdef`; the contract alone where the function is ' +
    'not known. Always has a value.',
  created: 'The contracts that were created.',
  blobs: 'How many blobs the transaction carries: `6 blobs`.',
  delegation:
    'Which account the EIP-7702 authorisations delegate, and to what: `Delegate 0x12ab…cdef to 0x34cd…ef01`.',
  reason: 'Why the transaction failed: the root frame’s reason, else that of the call it failed on.',
  attempt:
    'The act that the called function is named after, with the ether sent along or the amount of a token’s ' +
    'own call: `swap 1 ETH`, `transfer 500 USDC`.',
  moved: 'What changed hands in the whole transaction.',
  giver: 'The one account that only lost.',
  taker: 'The one account that only gained.',
};

/** Families of placeholders, each with a word behind the dot. */
export const LABEL_FAMILIES: Readonly<Record<string, string>> = {
  role: 'An account by its role in the act: `{role.borrower}`.',
  leg: 'Amounts of the act by their role: `{leg.debt}`.',
  arg:
    'An argument of the event that shows the act, else of the call: `{arg.proposalId|id}` takes ' +
    'the first that exists.',
  choice:
    'A word by the number of an argument: `{choice.support|against,for,on}`; the last where there is none.',
  span: 'Seconds of an argument in words: `{span.duration}` is `1 year`.',
};

/** Placeholders that always have a value. */
export const LABEL_CERTAIN: ReadonlySet<string> = new Set(['actor', 'contract', 'call']);

/** Why a placeholder may have no value, for explanations. */
export function whyUnfilled(placeholder: string): string {
  const [family, word] = placeholder.split('.') as [string, string | undefined];
  if (word === undefined) return `nothing here is: ${LABEL_WORDS[family] ?? family}`;
  if (family === 'role') return `no account of the act has the role ${word}, or several have`;
  if (family === 'leg') return `the act has no amount of the role ${word}`;
  const names = word.replace(family === 'choice' ? /\|.*/ : '', '').replaceAll('|', ' or ');
  return `neither the act's event nor the call has an argument ${names}`;
}
