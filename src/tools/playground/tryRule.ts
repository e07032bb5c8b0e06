import { join, relative } from 'node:path';
import { checksumAddress } from '../../evm/address.ts';
import { analyzeRaw } from '../../analyze.ts';
import { show } from '../../rules/compile/facts.ts';
import { fateOf, motifsOfShapes, nearMisses, otherCandidates } from '../cli/rules/fates.ts';
import { examineTx, type ExaminedTx, type SubjectReading } from '../cli/rules/loadTx.ts';
import type { Recording } from '../cli/rules/recordings.ts';
import { openRuleset, rulesetDirs, type SoundRuleset } from '../cli/rules/rulesets.ts';
import type { Primitive } from '../../model/primitive.ts';
import type { Address } from '../../model/hex.ts';
import type { IntentRule, Rulebook } from '../../model/rulebook.ts';
import { unrecognised, type Unrecognised } from '../cli/rules/whyNot.ts';
import type { Problem } from '../../rules/read/problems.ts';
import { parseYamlTree, type Tree } from '../../rules/read/yamlTree.ts';
import { placeOf } from '../../rules/read/readRuleFiles.ts';
import type { RuleKind } from './answers.ts';

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
  const mine =
    edited.kind === 'intent' ? rulebook.intents.filter((rule) => edited.slugs.includes(rule.slug)) : [];
  const readings = [
    after.reading,
    ...(mine.length > 0 ? await Promise.all(otherCandidates(after).slice(0, 8).map(after.readAs)) : []),
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
      edited.kind === 'protocol' ? edited.slugs.map((slug) => protocolView(slug, after, rulebook)) : [],
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
  return {
    kind,
    label,
    status,
    confidence,
    rule,
    actor: attribution.actor && shown(attribution.actor),
  };
}

/** One edited intent rule, seen from one candidate's place; `subject`: the verdict is this account's. */
function ruleView(rule: IntentRule, reading: SubjectReading, subject: boolean) {
  const { slug, version, intent } = rule;
  return {
    slug,
    version,
    intent,
    account: shown(reading.account),
    subject,
    ...fateOf(rule, reading),
  };
}

/** Signatures of edited shapes: logs or calls that have each, those recognised, and why not the rest. */
function signatureViews(examined: ExaminedTx, shapes: readonly string[], rulebook: Rulebook) {
  const { tx, primitives } = examined;
  const made = primitives.filter((p) => p.shape !== null && shapes.includes(p.shape));
  const missed = unrecognised(examined, rulebook, true);
  const viewsOf = (
    { signature, mappings }: { readonly signature: string; readonly mappings: readonly { shape: string }[] },
    seen: number,
    isMade: (one: Primitive) => boolean,
    isOf: (one: Unrecognised) => boolean,
  ) => {
    const reasons = missed.filter(isOf).flatMap((one) => one.reasons);
    const own = new Set(mappings.map(({ shape }) => shape).filter((slug) => shapes.includes(slug)));
    return [...own].map((shape) => ({
      shape,
      signature,
      seen,
      recognised: made.filter((p) => p.shape === shape && isMade(p)).length,
      why: [...new Set(reasons.flatMap((one) => (one.shape === shape ? [one.text] : [])))],
    }));
  };
  const events = [...rulebook.events.values()].flatMap((event) => {
    // Also logs with another number of topics: the shape misses them for that alone.
    const logs = tx.logs.filter((log) => log.topics[0] === event.topic0);
    const exact = logs.filter((log) => log.topics.length === event.topicCount);
    const at = new Set(logs.map((log) => log.index));
    const isOf = ({ log }: { readonly log: number | null }): boolean => log !== null && at.has(log);
    return viewsOf(event, exact.length, (p) => p.evidence.some(isOf), isOf);
  });
  const calls = [...rulebook.calls.values()].flatMap((call) => {
    const frames = tx.frames.filter((frame) => frame.input.startsWith(call.selector));
    const at = new Set(frames.map((frame) => frame.index));
    const isOf = ({ frame }: Unrecognised): boolean => frame !== null && at.has(frame);
    return viewsOf(call, frames.length, (p) => p.basis === 'call', isOf);
  });
  return [...events, ...calls];
}

function protocolView(slug: string, { tx }: ExaminedTx, { protocols }: Rulebook) {
  const seen = new Set([...tx.logs.map((log) => log.address), ...tx.frames.map((frame) => frame.to)]);
  const addresses = [...(protocols.get(slug)?.addresses ?? [])];
  return { slug, seen: addresses.filter((address) => seen.has(address)).map(shown) };
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

/** An edited text, and the rules in force with it on top; `ruleset` is null where there are problems. */
export interface EditedRuleset {
  readonly kind: RuleKind | null;
  readonly slugs: readonly string[];
  readonly problems: readonly Problem[];
  readonly ruleset: SoundRuleset | null;
}

const EDITED = 'your rule';
/** Directory that exists only while the text is read. */
const FOLDER = '/txreport-playground';
const PLACE = new RegExp(`${FOLDER}(?:/\\w+(?:/edited\\.yaml)?)?`, 'g');

/** The rules in force with the edited text as one more overlay on top. */
export function openEdited(text: string): EditedRuleset {
  const { tree } = parseYamlTree(text);
  const items = tree === null ? [] : ((Array.isArray(tree) ? tree : [tree]) as Tree[]);
  const kind = items.map(kindOf).find((k) => k !== null) ?? null;
  const slugs = items.flatMap((item) =>
    typeof item === 'object' && 'slug' in item && typeof item.slug === 'string' ? [item.slug] : [],
  );
  if (kind === null && tree !== null) {
    const kinds = 'an intent (when), a shape (events, calls), a protocol (shapes) nor an entity file (kind)';
    const problem = { code: 'missing_key', message: `neither ${kinds}` } as const;
    return { kind, slugs, ruleset: null, problems: [{ file: EDITED, line: 1, column: 1, ...problem }] };
  }
  const dirs = rulesetDirs([]);
  const path = join(FOLDER, placeOf(kind ?? 'intent'), 'edited.yaml');
  const ruleset = openRuleset([...dirs, FOLDER], { edits: new Map([[path, text]]) });
  return {
    kind,
    slugs,
    problems: ruleset.problems.map((p) => ({ ...p, ...shownPlace(p, dirs) })),
    ruleset: ruleset.problems.length > 0 ? null : (ruleset as SoundRuleset),
  };
}

/** Recognised by keys only this kind has. */
function kindOf(item: Tree): RuleKind | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
  const has = (...keys: string[]): boolean => keys.some((key) => key in item);
  return has('when', 'intent')
    ? 'intent'
    : has('events', 'calls', 'any_emitter')
      ? 'shape'
      : has('shapes', 'create2')
        ? 'protocol'
        : has('kind')
          ? 'entity'
          : null;
}

/** Paths of this machine never appear in a page. */
function shownPlace({ file, message }: Problem, dirs: readonly string[]): Pick<Problem, 'file' | 'message'> {
  const hide = (text: string): string =>
    dirs.reduce((t, dir) => t.replaceAll(`${dir}/`, ''), text.replaceAll(PLACE, EDITED));
  const home = dirs.find((dir) => file.startsWith(`${dir}/`));
  return {
    file: file.startsWith(FOLDER) ? EDITED : home === undefined ? file : relative(home, file),
    message: hide(message),
  };
}
