import type { Motif, TxReport } from '../../model/generated/report.ts';
import type { RawIntent, RawMotifKind } from '../../model/generated/rules.ts';
import { venueOf } from './checkClaims.ts';
import { HOLDS_NOTHING } from './checkMotifs.ts';
import { walk } from './checkEvidence.ts';
import { accountNet, mergeWrapped } from './checkProfit.ts';
import { accountIn, mustOf, type Must, type Report } from './finding.ts';
import type { RuleFacts } from './ruleFacts.ts';

/** The words of a report against the rule files: rule, category, tags, kinds, roles, effects, protocols. */
export function checkRules(report: TxReport, rules: RuleFacts, find: Report): void {
  const must = mustOf(find, 'rules');
  must(report.engine?.ruleset_version === rules.version, '/engine/ruleset_version', `is ${rules.version}`);
  checkClassification(report, rules, mustOf(find, 'rules', '/classification'));
  // Arguments are named as in a signature of the rules.
  (report.tx.method?.arguments ?? []).forEach(({ name }, i) => {
    const isNamed = [',', ')'].some((end) => rules.text.includes(` ${name}${end}`));
    const isKnown = /^arg\d+$/.test(name) ? name === `arg${i}` : isNamed;
    must(isKnown, `/tx/method/arguments/${i}/name`, 'is in no signature of the rules');
  });
  checkNames(report, rules, must);
  report.motifs.forEach((motif, i) => {
    checkMotif(motif, rules, mustOf(find, 'rules', `/motifs/${i}`));
    if (rules.motifs.get(motif.kind)?.composite) checkParts(motif, report, rules, must);
  });
  checkEffects(report, rules, find);
  checkTold(report, rules, mustOf(find, 'rules', '/position_effects'));
}

/** The verdict is of its rule, and category and tags are those of rule and intent. */
function checkClassification(report: TxReport, rules: RuleFacts, must: Must): void {
  const { classification: c } = report;
  const rule = rules.rules.get(c.matched_rule ?? '');
  must(c.matched_rule === null || rule !== undefined, '/matched_rule', 'does not exist');
  if (rule) {
    must(c.rule_version === rule.version, '/rule_version', `the rule has ${rule.version}`);
    must(c.intent_kind === rule.intent, '/intent_kind', `the rule is of ${rule.intent}`);
    checkProof(report, rule, rules, must);
  }
  const intent = rules.intents.get(c.intent_kind);
  must(intent !== undefined, '/intent_kind', 'is no intent of the rules');
  const { category = c.category } = intent ?? {};
  must((c.subcategory ?? c.category) === category, '/category', `is ${category}`);
  const tags = [...new Set([rule, intent].flatMap((one) => one?.tags ?? []))];
  must(JSON.stringify(c.tags ?? []) === JSON.stringify(tags), '/tags', `are ${tags.join(', ')}`);
  checkFragments(report, rules, must);
}

/** Accounts are named as listed or by their protocol. */
function checkNames(report: TxReport, { names, titles }: RuleFacts, must: Must): void {
  const { motifs, accounts, economics: _, tx: __, ...rest } = report;
  if (accounts === undefined) return;
  const made = motifs.flatMap(({ protocol }) => (protocol?.matched_by === 'create2' ? protocol : []));
  const venues = new Map(made.map(({ contract, slug }) => [contract, titles.get(slug) ?? slug]));
  for (const [value] of walk([rest, venues, motifs.map(({ claims: ___, ...motif }) => motif)])) {
    const listed = names.get(String(value).toLowerCase());
    must(!listed || String(value) in accounts, `/accounts/${String(value)}`, 'is left out');
  }
  for (const address of venues.keys()) must(address in accounts, `/accounts/${address}`, 'is left out');
  for (const [address, { name, kind, source }] of Object.entries(accounts)) {
    const unlisted = { name: venues.get(address) ?? name, kind: source === 'contract' ? 'token' : 'venue' };
    const wanted = names.get(address.toLowerCase()) ?? unlisted;
    const isRight = name === wanted.name && kind === wanted.kind;
    must(isRight, `/accounts/${address}`, `is ${wanted.name} in the rules`);
  }
}

/** A proven verdict has a structural rule and rests on a proven act, or an aggregator's of all it traded. */
function checkProof(report: TxReport, rule: RawIntent, rules: RuleFacts, must: Must): void {
  const { classification: c, motifs } = report;
  if (c.status !== 'Proven') return;
  must(rule.proof === 'structural', '/status', 'the rule claims no proof');
  const kinds = rule.rests_on ?? [];
  const isNet = ([amount]: Motif['assets_in'], sign: bigint): boolean =>
    amount !== undefined &&
    accountNet(report, c.actor ?? '', amount.asset.id) === sign * BigInt(amount.amount_raw);
  const proves = ({ kind, assets_in: got, assets_out: given }: Motif): boolean =>
    kinds.includes(kind) ||
    (rules.motifs.get(kind)?.trade === 'summary' && isNet(got, 1n) && isNet(given, -1n));
  const isTrade = kinds.some((kind) => rules.motifs.get(kind)?.trade !== undefined);
  const isProven = motifs.some((motif) => motif.status === 'Proven' && proves(motif));
  const isShown = isProven || (isTrade && isExchange(report, rules));
  must(kinds.length === 0 || isShown, '/status', `no act of ${kinds.join(', ')} is proven`);
}

/** Movements alone show a trade: the signer called a listed aggregator, gave one asset and got one. */
function isExchange(report: TxReport, { names }: RuleFacts): boolean {
  const { tx, attribution, inventory_deltas: deltas } = report;
  const { actor, signer } = attribution;
  const merged = mergeWrapped(report);
  const assets = new Set(deltas.map(({ asset }) => merged(asset.id)));
  const nets = [...assets].map((id) => accountNet(report, signer, id));
  const [one = 0n, other = 0n, ...more] = nets.filter((net) => net !== 0n);
  const { kind } = names.get(String(tx.to).toLowerCase()) ?? {};
  return actor === signer && one * other < 0n && more.length === 0 && kind === 'aggregator';
}

/** Roles of a motif's venue, or of an account it made, beside the roles of the rules. */
const VENUE_ROLES: ReadonlySet<string> = new Set(
  (
    'venue pool factory vault market lender bridge marketplace settlement aggregator token_contract ' +
    'account created none'
  ).split(' '),
);

function checkMotif(motif: Motif, rules: RuleFacts, must: Must): void {
  must(rules.motifs.has(motif.kind), '/kind', 'is no motif of the rules');
  checkWords(motif, rules, must);
  const claimed = new Set((motif.claims ?? []).map(({ predicate }) => predicate));
  must(claimed.size > 0 || motif.status !== 'Proven', '/claims', 'nothing is claimed');
  for (const name of (motif.status === 'Proven' && rules.motifs.get(motif.kind)?.claims) || [])
    must(claimed.has(name), '/claims', `${name} is missing`);
  const wanted = placeRole(motif, rules);
  must(wanted === null || accountIn(motif, wanted) !== undefined, '/participants', `name no ${wanted}`);
  checkProtocol(motif.protocol, rules, must);
}

/** The role of the account at which an act happened; null where none has to be named. */
function placeRole({ kind }: Motif, { motifs }: RuleFacts): string | null {
  const { venue = 'venue', composite } = motifs.get(kind) ?? {};
  if (composite || venue === 'account' || kind === 'front_end') return null;
  return venue === 'none' ? 'recipient' : venue;
}

/** Roles and tags of a motif are words of the rules. */
function checkWords(motif: Motif, { roles, text }: RuleFacts, must: Must): void {
  motif.participants.forEach(({ role }, i) =>
    must(roles.has(role) || VENUE_ROLES.has(role), `/participants/${i}/role`, 'is no role'),
  );
  for (const side of ['assets_in', 'assets_out'] as const)
    motif[side].forEach(({ role }, i) =>
      must(roles.has(role), `/${side}/${i}/role`, 'is no role of the rules'),
    );
  (motif.tags ?? []).forEach((tag, i) => must(text.includes(tag), `/tags/${i}`, 'is no word of the rules'));
}

function checkProtocol(protocol: Motif['protocol'], rules: RuleFacts, must: Must): void {
  if (protocol === null) return;
  const known = rules.versions.get(protocol.slug);
  // A family is named by its shape, always in version 1.
  const version = protocol.matched_by === 'family' ? 1 : known;
  must(known !== undefined, '/protocol/slug', 'is in no rule file');
  must(version === undefined || version === protocol.version, '/protocol/version', `is ${version}`);
  const owners = rules.listed.get(protocol.contract.toLowerCase());
  if (protocol.matched_by === 'address' && owners)
    must(owners.has(protocol.slug), '/protocol/slug', `the address is listed for ${[...owners].join(', ')}`);
}

const OPPOSITE: Readonly<Record<string, readonly string[]>> = {
  open: ['decrease', 'close'],
  increase: ['decrease', 'close'],
  decrease: ['open', 'increase'],
  close: ['open', 'increase'],
};

/** As its acts. Payments of fillers, and positions of owners that their acts do not name, are doubted. */
function isAsSure(
  { status, owner }: TxReport['position_effects'][number],
  behind: readonly Motif[],
): boolean {
  const parts = behind.flatMap(({ participants }) => participants);
  const isFill = parts.some(({ role }) => role === 'filler');
  if (status === 'Suspected' && !parts.some((one) => one.role === 'owner' && one.account === owner))
    return true;
  return isFill ? status === 'Suspected' : behind.some((act) => act.status === status);
}

/** An effect's protocol is that of the act behind it; the act's kind gives category and effect. */
function checkEffects(report: TxReport, rules: RuleFacts, find: Report): void {
  const motifs = new Map(report.motifs.map((motif) => [motif.id, motif]));
  report.position_effects.forEach((effect, i) => {
    const must = mustOf(find, 'rules', `/position_effects/${i}`);
    checkProtocol(effect.protocol, rules, must);
    const behind = effect.motif_ids.flatMap((id) => motifs.get(id) ?? []);
    const words = behind.flatMap(({ kind }) => rules.motifs.get(kind)?.position ?? []);
    const back = OPPOSITE[effect.effect];
    const fits = back === undefined || words.some((one) => !back.includes(one.effect));
    must(fits || words.length === 0, '/effect', 'its acts do the opposite');
    must(behind.length === 0 || isAsSure(effect, behind), '/status', 'none of its acts is');
    const { subcategory: sub } = effect;
    must(sub === undefined || words.some(({ category }) => category === sub), '/subcategory', 'is another');
    const slugs = behind.map(({ protocol }) => protocol?.slug ?? null);
    must(slugs.includes(effect.protocol?.slug ?? null), '/protocol', 'is not the protocol of its motifs');
  });
}

/** Fragments are acts of the transaction, in their order. */
function checkFragments({ classification: c, motifs }: TxReport, rules: RuleFacts, must: Must): void {
  const shown = motifs.map(({ kind }) => rules.motifs.get(kind)?.fragment ?? kind);
  const isUnsupported = (c.caveats ?? []).some(({ code }) => code === 'nothing_recognised');
  let next = 0;
  c.fragments.forEach(({ kind }, i) => {
    must(rules.intents.has(kind), `/fragments/${i}/kind`, 'is no intent of the rules');
    const isHeadline = kind === c.intent_kind;
    const place = isHeadline && isUnsupported ? -1 : shown.indexOf(kind, next);
    // A headline may rest on no act, and plain payments count as transfers.
    const like = /^(Native|Token|Nft)Transfer$/.test(kind) ? 'transfer' : kind;
    const isFree = isHeadline || like !== kind;
    const told = c.fragments.filter((one) => one.kind === kind).length;
    const most = Math.max(1, shown.filter((one) => one === kind || one === like).length);
    must(place >= 0 || (isFree && told <= most), `/fragments/${i}`, 'is no act that happened here');
    if (place >= 0) next = place + 1;
  });
}

/** Movements of a composite are of its parts, and their venues or recipients are among its participants. */
function checkParts(whole: Motif, { motifs }: TxReport, rules: RuleFacts, must: Must): void {
  const { trade: sort, venue } = rules.motifs.get(whole.kind)!;
  if (sort === 'summary') return;
  motifs.forEach((part, i) => {
    const { composite = false, trade } = rules.motifs.get(part.kind) ?? ({} as Partial<RawMotifKind>);
    const isInside = part.movements.length > 0 && part.movements.every((m) => whole.movements.includes(m));
    const isApart = composite || !isInside || part.parent_id !== null;
    must(isApart, `/motifs/${i}/parent_id`, `moves what ${whole.id} moves`);
    const party = venue === 'none' ? accountIn(part, 'recipient') : trade && venueOf(part);
    const isNamed = whole.participants.some(({ account }) => account === party);
    const at = `/motifs/${whole.id.slice(2)}/participants`;
    must(!party || part.parent_id !== whole.id || isNamed, at, `lack ${party}`);
  });
}

/** An act that changes a position has one in the report. */
function checkTold(report: TxReport, rules: RuleFacts, must: Must): void {
  const told = new Set(report.position_effects.map(({ category }) => category as string));
  for (const motif of report.motifs) {
    const { kind, status } = motif;
    const { position } = rules.motifs.get(kind) ?? {};
    const amounts = [...motif.assets_in, ...motif.assets_out];
    // Baskets of NFTs and tokens that wrap another are no positions.
    const isFree =
      amounts.some(({ asset, role }) => asset.token_id !== null && /^(in|out)$/.test(role)) ||
      (status === 'Suspected' && rules.listed.has(venueOf(motif).toLowerCase()));
    const isHeld = position && !HOLDS_NOTHING.test(position.category);
    must(!isHeld || isFree || told.size > 0, '', `that of ${kind} is left out`);
    const isSeized = kind === 'liquidation' && amounts.some(({ role }) => role === 'collateral');
    must(!isSeized || told.has('lending_supply'), '', 'the seized collateral is left out');
  }
}
