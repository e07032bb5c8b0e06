import { checksumAddress } from '../../evm/address.ts';
import { analyzeRaw } from '../../analyze.ts';
import { blockers, countMet, show } from '../cli/rules/conditionLines.ts';
import { examineTx, type ExaminedTx, type SubjectReading } from '../cli/rules/loadTx.ts';
import type { Recording } from '../cli/rules/recordings.ts';
import type { SoundRuleset } from '../cli/rules/rulesets.ts';
import type { Address } from '../../model/hex.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';
import { unrecognised, type Unrecognised } from '../cli/rules/whyNot.ts';
import type { MotifView, NearMiss, RuleView, SignatureView, TryOutcome, VerdictView } from './answers.ts';
import type { EditedRuleset } from './editedRuleset.ts';

/** Rules that do not match, nearest first, as far as they are worth reading. */
const NEAREST = 8;

/** Results of the edited rules for a transaction, beside those of the rules in force. */
export async function tryRule(
  edited: EditedRuleset & { readonly ruleset: SoundRuleset },
  inForce: Rulebook,
  recording: Recording,
): Promise<TryOutcome> {
  const { rulebook } = edited.ruleset;
  const before = await examineTx(recording, inForce);
  const after = await examineTx(recording, rulebook);
  const others = after.attribution.candidates
    .map((c) => c.account)
    .filter((account) => account !== after.reading.account);
  const mine =
    edited.kind === 'intent' ? rulebook.intents.filter((rule) => edited.slugs.includes(rule.slug)) : [];
  const readings = [
    after.reading,
    ...(mine.length > 0 ? await Promise.all(others.slice(0, 8).map((account) => after.readAs(account))) : []),
  ];
  return {
    name: recording.name,
    hash: recording.raw.hash,
    before: verdictView(before),
    after: verdictView(after),
    rules: readings.flatMap((reading) =>
      mine.map((rule) => ruleView(rule, reading, reading === after.reading)),
    ),
    near: nearMisses(after.reading),
    signatures: edited.kind === 'shape' ? signatureViews(after, edited.slugs, rulebook) : [],
    protocols:
      edited.kind === 'protocol'
        ? edited.slugs.map((slug) => ({
            slug,
            seen: accountsSeen(after, rulebook.protocols.get(slug)?.addresses ?? new Set()),
          }))
        : [],
    motifs: { before: motifViews(before, []), after: motifViews(after, edited.slugs) },
    facts: [...after.reading.explained.facts]
      .map(([name, value]) => [name, show(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    report: await analyzeRaw(recording.raw, recording.context, rulebook),
  };
}

const shown = (account: Address): string => checksumAddress(account);

function verdictView({ reading, attribution }: ExaminedTx): VerdictView {
  const { kind, label, status, confidence, rule } = reading.explained.verdict;
  return {
    kind,
    label,
    status,
    confidence,
    rule: rule && `${rule.slug} v${rule.version}`,
    actor: attribution.actor && shown(attribution.actor),
  };
}

function ruleView(rule: IntentRule, { account, explained }: SubjectReading, subject: boolean): RuleView {
  const { verdict, outcomes, outranked } = explained;
  const base = {
    slug: rule.slug,
    version: rule.version,
    intent: rule.intent,
    account: shown(account),
    subject,
  };
  const outcome = outcomes.find((o) => o.rule.slug === rule.slug);
  if (!outcome) {
    return {
      ...base,
      fate: 'skipped',
      conditions: null,
      why: [
        rule.status === 'deprecated'
          ? 'it is deprecated'
          : `the transaction has no motif of kind ${rule.requiresAny.join(' or ')}`,
      ],
    };
  }
  // The engine leaves the result of the outermost node to the outcome.
  const conditions = { ...outcome.conditions, result: outcome.matched };
  if (!outcome.matched) return { ...base, fate: 'does_not_match', conditions, why: blockers(conditions) };
  if (verdict.rule?.slug === rule.slug)
    return { ...base, fate: 'wins', conditions, why: outranked.map((slug) => `outranks ${slug}`) };
  return {
    ...base,
    fate: 'outranked',
    conditions,
    why: [`${verdict.rule?.slug ?? 'a heuristic'} (${verdict.kind}) outranks it`],
  };
}

function nearMisses({ explained }: SubjectReading): NearMiss[] {
  return explained.outcomes
    .filter((o) => !o.matched)
    .map(({ rule, conditions }) => ({
      slug: rule.slug,
      intent: rule.intent,
      unmet: blockers({ ...conditions, result: false }),
      met: countMet(conditions),
    }))
    .filter((n) => n.met >= n.unmet.length)
    .sort((a, b) => a.unmet.length - b.unmet.length || b.met - a.met || (a.slug < b.slug ? -1 : 1))
    .slice(0, NEAREST);
}

function signatureViews(
  examined: ExaminedTx,
  shapes: readonly string[],
  rulebook: Rulebook,
): SignatureView[] {
  const { tx, primitives } = examined;
  const made = primitives.filter((p) => p.shape !== null && shapes.includes(p.shape));
  const missed = unrecognised(examined, rulebook, true);
  const ofShapes = (meanings: readonly { readonly shape: string }[]): Set<string> =>
    new Set(meanings.map((m) => m.shape).filter((slug) => shapes.includes(slug)));
  const why = (shape: string, of: (one: Unrecognised) => boolean): string[] => [
    ...new Set(
      missed.filter(of).flatMap(({ reasons }) => reasons.flatMap((r) => (r.shape === shape ? [r.text] : []))),
    ),
  ];
  const events = [...rulebook.events.values()].flatMap(({ topic0, topicCount, signature, meanings }) => {
    // Also logs with another number of topics: the shape misses them for that alone.
    const logs = tx.logs.filter((log) => log.topics[0] === topic0);
    const exact = logs.filter((log) => log.topics.length === topicCount);
    const at = new Set(logs.map((log) => log.index));
    return [...ofShapes(meanings)].map((shape) => ({
      shape,
      signature,
      seen: exact.length,
      recognised: made.filter(
        (p) => p.shape === shape && p.evidence.some((e) => e.log !== null && at.has(e.log)),
      ).length,
      why: why(shape, ({ log }) => log !== null && at.has(log)),
    }));
  });
  const calls = [...rulebook.calls.values()].flatMap(({ selector, signature, meanings }) => {
    const frames = tx.frames.filter((frame) => frame.input.startsWith(selector));
    const at = new Set(frames.map((frame) => frame.index));
    return [...ofShapes(meanings)].map((shape) => ({
      shape,
      signature,
      seen: frames.length,
      recognised: made.filter((p) => p.shape === shape && p.basis === 'call').length,
      why: why(shape, ({ frame }) => frame !== null && at.has(frame)),
    }));
  });
  return [...events, ...calls];
}

function accountsSeen({ tx }: ExaminedTx, addresses: ReadonlySet<Address>): string[] {
  const seen = new Set<Address>([
    ...tx.logs.map((log) => log.address),
    ...tx.frames.flatMap((frame) => (frame.to === null ? [] : [frame.to])),
  ]);
  return [...addresses].filter((address) => seen.has(address)).map(shown);
}

function motifViews({ motifs, primitives }: ExaminedTx, edited: readonly string[]): MotifView[] {
  const places = new Set(
    primitives
      .filter((p) => p.shape !== null && edited.includes(p.shape))
      .map((p) => `${p.kind} ${p.venue} ${p.seq}`),
  );
  return motifs.map((m) => ({
    id: `m-${m.index}`,
    kind: m.kind,
    protocol: m.protocol?.slug ?? null,
    status: m.status,
    failed: m.invariants.filter((i) => !i.holds).map((i) => i.name),
    edited:
      (m.protocol !== null && edited.includes(m.protocol.slug)) ||
      places.has(`${m.kind} ${m.venue} ${m.seq}`),
  }));
}
