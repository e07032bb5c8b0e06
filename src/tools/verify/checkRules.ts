import type { Motif, TxReport } from '../../model/generated/report.ts';
import type { RawIntent } from '../../model/generated/rules.ts';
import { accountNet, mergeWrapped } from './checkProfit.ts';
import { mustOf, type Must, type Report } from './finding.ts';
import type { RuleFacts } from './ruleFacts.ts';

/** The words of a report against the rule files: rule, category, tags, kinds, roles, effects, protocols. */
export function checkRules(report: TxReport, rules: RuleFacts, find: Report): void {
  const { classification: c, engine } = report;
  const must = mustOf(find, 'rules');
  must(engine?.ruleset_version === rules.version, '/engine/ruleset_version', `is ${rules.version}`);
  const rule = c.matched_rule === null ? undefined : rules.rules.get(c.matched_rule);
  must(c.matched_rule === null || rule !== undefined, '/classification/matched_rule', 'does not exist');
  if (rule) {
    must(c.rule_version === rule.version, '/classification/rule_version', `the rule has ${rule.version}`);
    must(c.intent_kind === rule.intent, '/classification/intent_kind', `the rule is of ${rule.intent}`);
  }
  const intent = rules.intents.get(c.intent_kind);
  must(intent !== undefined, '/classification/intent_kind', 'is no intent of the rules');
  const { category = c.category } = intent ?? {};
  must([c.category, c.subcategory].includes(category), '/classification/category', `is ${category}`);
  if (rule) checkProof(report, rule, rules, must);
  const tags = new Set([...(rule?.tags ?? []), ...(intent?.tags ?? [])]);
  must(
    JSON.stringify(c.tags ?? []) === JSON.stringify([...tags]),
    '/classification/tags',
    `are ${[...tags].join(', ')}`,
  );
  c.fragments.forEach(({ kind }, i) =>
    must(rules.intents.has(kind), `/classification/fragments/${i}/kind`, 'is no intent of the rules'),
  );
  report.motifs.forEach((motif, i) => checkMotif(motif, `/motifs/${i}`, rules, must));
  checkEffects(report, rules, must);
}

/** A proven verdict has a structural rule and a proven act it rests on, or an aggregator's of all the actor traded. */
function checkProof(report: TxReport, rule: RawIntent, rules: RuleFacts, must: Must): void {
  const { classification: c, motifs } = report;
  if (c.status !== 'Proven') return;
  must(rule.proof === 'structural', '/classification/status', 'the rule claims no proof');
  const kinds = rule.rests_on ?? [];
  const merged = mergeWrapped(report);
  const isNet = ([amount]: Motif['assets_in'], sign: bigint): boolean =>
    amount !== undefined &&
    accountNet(report, c.actor ?? '', (id) => merged(id) === merged(amount.asset.id)) ===
      sign * BigInt(amount.amount_raw);
  const proves = ({ kind, assets_in: got, assets_out: given }: Motif): boolean =>
    kinds.includes(kind) ||
    (rules.motifs.get(kind)?.trade === 'summary' && isNet(got, 1n) && isNet(given, -1n));
  must(
    kinds.length === 0 || motifs.some((motif) => motif.status === 'Proven' && proves(motif)),
    '/classification/status',
    `no act of ${kinds.join(', ')} is proven`,
  );
}

/** Roles that a motif's venue, or what it made, plays beside the roles of the rules. */
const VENUE_ROLES: ReadonlySet<string> = new Set(
  (
    'venue pool factory vault market lender bridge marketplace settlement aggregator token_contract account ' +
    'created none'
  ).split(' '),
);

function checkMotif(motif: Motif, at: string, rules: RuleFacts, must: Must): void {
  must(rules.motifs.has(motif.kind), `${at}/kind`, 'is no motif of the rules');
  motif.participants.forEach(({ role }, i) =>
    must(rules.roles.has(role) || VENUE_ROLES.has(role), `${at}/participants/${i}/role`, 'is no role'),
  );
  const claimed = new Set((motif.claims ?? []).map(({ predicate }) => predicate));
  must(claimed.size > 0 || motif.status !== 'Proven', `${at}/claims`, 'nothing is claimed');
  for (const name of (motif.status === 'Proven' && rules.motifs.get(motif.kind)?.claims) || [])
    must(claimed.has(name), `${at}/claims`, `${name} is missing`);
  for (const side of ['assets_in', 'assets_out'] as const)
    motif[side].forEach(({ role }, i) =>
      must(rules.roles.has(role), `${at}/${side}/${i}/role`, 'is no role of the rules'),
    );
  checkProtocol(motif.protocol, `${at}/protocol`, rules, must);
}

function checkProtocol(protocol: Motif['protocol'], at: string, rules: RuleFacts, must: Must): void {
  if (protocol === null) return;
  const known = rules.versions.get(protocol.slug);
  // A family is named by its shape, always in version 1.
  const version = protocol.matched_by === 'family' ? 1 : known;
  must(known !== undefined, `${at}/slug`, 'is in no rule file');
  must(version === undefined || version === protocol.version, `${at}/version`, `is ${version}`);
  const owners = rules.listed.get(protocol.contract.toLowerCase());
  if (protocol.matched_by === 'address' && owners)
    must(owners.has(protocol.slug), `${at}/slug`, `the address is listed for ${[...owners].join(', ')}`);
}

const OPPOSITE: Readonly<Record<string, readonly string[]>> = {
  open: ['decrease', 'close'],
  increase: ['decrease', 'close'],
  decrease: ['open', 'increase'],
  close: ['open', 'increase'],
};

/** An effect's protocol is that of the act behind it, whose kind says what it does to which position. */
function checkEffects(report: TxReport, rules: RuleFacts, must: Must): void {
  const motifs = new Map(report.motifs.map((motif) => [motif.id, motif]));
  report.position_effects.forEach((effect, i) => {
    const at = `/position_effects/${i}`;
    checkProtocol(effect.protocol, `${at}/protocol`, rules, must);
    const behind = effect.motif_ids.flatMap((id) => motifs.get(id) ?? []);
    const words = behind.flatMap(({ kind }) => rules.motifs.get(kind)?.position ?? []);
    const back = OPPOSITE[effect.effect];
    must(
      back === undefined || words.length === 0 || words.some((one) => !back.includes(one.effect)),
      `${at}/effect`,
      'its acts do the opposite',
    );
    const slugs = behind.map(({ protocol }) => protocol?.slug ?? null);
    must(
      slugs.includes(effect.protocol?.slug ?? null),
      `${at}/protocol`,
      'is not the protocol of its motifs',
    );
  });
}
