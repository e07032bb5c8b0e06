import { checksumAddress } from '../../evm/address.ts';
import { analyzeRaw } from '../../analyze.ts';
import { show } from '../../rules/compile/facts.ts';
import { fateOf, motifsOfShapes, nearMisses } from '../cli/rules/fates.ts';
import { examineTx, type ExaminedTx, type SubjectReading } from '../cli/rules/loadTx.ts';
import type { Recording } from '../cli/rules/recordings.ts';
import type { SoundRuleset } from '../cli/rules/rulesets.ts';
import type { Address } from '../../model/hex.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';
import { unrecognised, type Unrecognised } from '../cli/rules/whyNot.ts';
import type { EditedRuleset } from './editedRuleset.ts';

/** Rules that do not match, nearest first, as far as they are worth reading. */
const NEAREST = 8;

/** Results of the edited rules for a transaction, beside those of the rules in force. */
export async function tryRule(
  edited: EditedRuleset & { readonly ruleset: SoundRuleset },
  inForce: Rulebook,
  recording: Recording,
) {
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
    near: nearMisses(after.reading)
      .filter(({ met, unmet }) => met >= unmet.length)
      .slice(0, NEAREST),
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

function verdictView({ reading, attribution }: ExaminedTx) {
  const { kind, label, status, confidence, rule: won } = reading.explained.verdict;
  const rule = won && `${won.slug} v${won.version}`;
  return { kind, label, status, confidence, rule, actor: attribution.actor && shown(attribution.actor) };
}

/** One edited intent rule, seen from one candidate's place; `subject`: the verdict is this account's. */
function ruleView(rule: IntentRule, reading: SubjectReading, subject: boolean) {
  const { slug, version, intent } = rule;
  return { slug, version, intent, account: shown(reading.account), subject, ...fateOf(rule, reading) };
}

/** Signatures of edited shapes: logs or calls that have each, those recognised, and why not the rest. */
function signatureViews(examined: ExaminedTx, shapes: readonly string[], rulebook: Rulebook) {
  const { tx, primitives } = examined;
  const made = primitives.filter((p) => p.shape !== null && shapes.includes(p.shape));
  const missed = unrecognised(examined, rulebook, true);
  const ofShapes = (mappings: readonly { readonly shape: string }[]): Set<string> =>
    new Set(mappings.map((m) => m.shape).filter((slug) => shapes.includes(slug)));
  const why = (shape: string, of: (one: Unrecognised) => boolean): string[] => [
    ...new Set(
      missed.filter(of).flatMap(({ reasons }) => reasons.flatMap((r) => (r.shape === shape ? [r.text] : []))),
    ),
  ];
  const events = [...rulebook.events.values()].flatMap(({ topic0, topicCount, signature, mappings }) => {
    // Also logs with another number of topics: the shape misses them for that alone.
    const logs = tx.logs.filter((log) => log.topics[0] === topic0);
    const exact = logs.filter((log) => log.topics.length === topicCount);
    const at = new Set(logs.map((log) => log.index));
    const isOf = ({ log }: { readonly log: number | null }): boolean => log !== null && at.has(log);
    return [...ofShapes(mappings)].map((shape) => {
      const recognised = made.filter((p) => p.shape === shape && p.evidence.some(isOf)).length;
      return { shape, signature, seen: exact.length, recognised, why: why(shape, isOf) };
    });
  });
  const calls = [...rulebook.calls.values()].flatMap(({ selector, signature, mappings }) => {
    const frames = tx.frames.filter((frame) => frame.input.startsWith(selector));
    const at = new Set(frames.map((frame) => frame.index));
    return [...ofShapes(mappings)].map((shape) => {
      const recognised = made.filter((p) => p.shape === shape && p.basis === 'call').length;
      const reasons = why(shape, ({ frame }) => frame !== null && at.has(frame));
      return { shape, signature, seen: frames.length, recognised, why: reasons };
    });
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

/** `edited`: by an edited shape or protocol. */
function motifViews(examined: ExaminedTx, edited: readonly string[]) {
  const made = motifsOfShapes(examined, edited);
  return examined.motifs.map((m) => ({
    id: `m-${m.index}`,
    kind: m.kind,
    protocol: m.protocol?.slug ?? null,
    status: m.status,
    failed: m.claims.filter((i) => !i.holds).map((i) => i.name),
    edited: (m.protocol !== null && edited.includes(m.protocol.slug)) || made.includes(m),
  }));
}
