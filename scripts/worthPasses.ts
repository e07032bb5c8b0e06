/** The passes that `npm run worth` switches off. A test holds that each is found in the sources. */
export interface Pass {
  /** Under `src/stages`. */
  readonly file: string;
  /** The statement before which the function returns. Occurs once in the file. */
  readonly before: string;
  /** Its value where the pass is off. */
  readonly returns: string;
}

const at = (file: string, before: string, returns: string): Pass => ({ file, before, returns });

/** Positions as they are where no second one is dropped. */
const SECOND_KEPT =
  'owned.map((one) => (owned.filter((o) => o.owner === one.owner).length === 1 ? asExchanged(one, context) : one))';

const STRUCTURE = '4-primitives/structure';
export const PASSES: Readonly<Record<string, Pass>> = {
  mergeSilent: at('5-motifs/mergeLike.ts', 'const silent = drafts.filter(', 'drafts'),
  carried: at('5-motifs/links.ts', 'const acts = drafts.filter((draft) => draft.whole', 'undefined'),
  insideVaults: at('5-motifs/links.ts', 'const key = (account: Address, { traits }', 'undefined'),
  mergeLike: at('5-motifs/mergeLike.ts', 'const wholes = new Set(', 'drafts'),
  linkAssets: at('4-primitives/join/joinTriggers.ts', 'return tags.includes(PER_ASSET) ?', 'keys'),
  linkPromises: at(
    '4-primitives/join/joinTriggers.ts',
    'const open = new Map<string, DraftPrimitive[]>',
    'undefined',
  ),
  linkDetails: at('4-primitives/join/joinTriggers.ts', 'const hosts = new Map<number,', 'undefined'),
  linkEchoes: at('4-primitives/join/joinTriggers.ts', 'const mayEcho = (group', 'undefined'),
  withoutOthers: at(
    '4-primitives/join/joinTriggers.ts',
    "if (!group.some(({ basis }) => basis === 'call')) return group;",
    'group',
  ),
  markEnds: at('4-primitives/join/joinTriggers.ts', 'const hints = found.filter(isHint);', 'found'),
  nameVenues: at('5-motifs/nameVenues.ts', 'for (const motif of motifs) {', 'motifs'),
  approvals: at(`${STRUCTURE}/plainActs.ts`, 'const transfers = new Map(', '[]'),
  busMessages: at(`${STRUCTURE}/busMessages.ts`, 'const open = new UnclaimedFlows(context);', '[]'),
  shares: at(`${STRUCTURE}/shares.ts`, 'const done = new Set<string>();', '[]'),
  swaps: at(`${STRUCTURE}/swaps.ts`, 'const customerTraded = anyTraded(context);', '[]'),
  withAmounts: at(`${STRUCTURE}/namedActs.ts`, 'if (open.isEmpty) return [];', '[]'),
  withoutAmounts: at(`${STRUCTURE}/namedActs.ts`, 'const hints = this.#hints().filter(', '[]'),
  confirmed: at('4-primitives/findPrimitives.ts', 'const { basis, contract } = trigger;', 'undefined'),
  addNetted: at('4-primitives/bind/impliedLegs.ts', 'for (const detail of found) {', 'undefined'),
  addReceipts: at('4-primitives/bind/impliedLegs.ts', 'const issues = open.filter(', 'undefined'),
  secondDropped: at('8-economics/positions/owners.ts', 'const isProven = ({ motif }: Change)', SECOND_KEPT),
  isOnTheWay: at(
    '8-economics/positions/owners.ts',
    'if (token === null || !isOfToken(change) || !flow.assets',
    'false',
  ),
  asExchanged: at('8-economics/positions/owners.ts', 'if (hadAssets(change, context) || !isShared', 'change'),
  unexplained: at('8-economics/positions/positionChanges.ts', 'const groups = groupBy(changes,', '[]'),
  losingCycles: at('5-motifs/cycles.ts', 'const lossy = balance.filter(', 'null'),
  funders: at('5-motifs/cycles.ts', 'const ends = hops.flatMap(', 'null'),
  paidActs: at(`${STRUCTURE}/transfers.ts`, 'return found.map((item) => {', 'found'),
  skims: at(`${STRUCTURE}/transfers.ts`, 'if (legsByAccount.size === 0 ||', 'false'),
  change: at(`${STRUCTURE}/transfers.ts`, 'return context\n    .between(m.to, m.from, m.asset)', 'false'),
  sharesElsewhere: at(`${STRUCTURE}/shares.ts`, "const deposit = share.kind === 'mint';", '[]'),
  depositKeepers: at(`${STRUCTURE}/swaps.ts`, 'const legs = found\n    .filter(', 'new Set()'),
  withheld: at('4-primitives/bind/namedDifference.ts', 'const others = paymentsOf(', 'false'),
  passedOn: at('4-primitives/bind/namedDifference.ts', 'const difference = carrier.amount - stated;', 'null'),
  approximately: at('4-primitives/bind/legOptions.ts', 'for (const choice of leg.choices) {', 'false'),
  userBehind: at('8-economics/positions/owners.ts', 'const { principals, motifs, flow } = context;', 'null'),
  holderOfToken: at('8-economics/positions/owners.ts', 'const gained = change.delta > 0n;', 'null'),
  interestApart: at(
    '../value/sides.ts',
    'const [share, ...more] = legs.filter(',
    '[sideOf(position, owner, legs, portions)]',
  ),
  collateralBeside: at('../value/sides.ts', "const sign = effect === 'increase' ? 1n", '[]'),
  withoutInterest: at('../value/sides.ts', 'const redeemed = amounts.filter(', 'amounts'),
};
