import { didYouMean } from '../../../../rules/compile/didYouMean.ts';
import type { Ruleset } from '../../../../rules/compile/loadRulebook.ts';
import { meaningsOf, ProblemSink, Spot, type RuleItem } from '../../../../rules/compile/ruleItem.ts';
import { isFault, parseSignature, type ParsedSignature } from '../../../../rules/compile/signature.ts';
import type { Problem } from '../../../../rules/read/problems.ts';
import type { RawMeaning, RawShape } from '../../../../model/generated/rules.ts';
import { NO_AMOUNTS } from '../../../../rules/lint/checkWeak.ts';
import type { AbiEntry } from './readAbi.ts';

/** The result of a comparison. */
export interface Compared {
  readonly problems: readonly Problem[];
  /** Signatures of the rules that the ABI has under their name. */
  readonly count: number;
  /** Events of the ABI that no shape has. */
  readonly unmapped: readonly string[];
}

/** An event or call of a shape, and where it is written. */
export interface PlacedSignature {
  readonly raw: RawMeaning;
  readonly spot: Spot;
  readonly kind: AbiEntry['kind'];
  readonly signature: ParsedSignature;
}

/** The items that a check of the chain concerns: those of the overlays, without any the shipped ones. */
export function authored<T>(items: readonly RuleItem<T>[], { files }: Ruleset): RuleItem<T>[] {
  const isOverlaid = files.some(({ layer }) => layer > 0);
  const sink = new ProblemSink();
  return items.filter(({ file }) => !isOverlaid || file.layer > 0).map((item) => ({ ...item, sink }));
}

/** The readable signatures of a shape. */
export function signaturesOf(item: RuleItem<RawShape>): PlacedSignature[] {
  return meaningsOf(item).flatMap(([raw, spot]) => {
    const kind = raw.event === undefined ? 'function' : 'event';
    const signature = parseSignature(kind, raw.event ?? raw.call!);
    return isFault(signature) ? [] : [{ raw, spot, kind, signature }];
  });
}

/** Compares the signatures of the shapes with those that a contract's ABI has under the same names. */
export function checkAbi(ruleset: Ruleset, abi: readonly AbiEntry[]): Compared {
  const shapes = authored(ruleset.shapes, ruleset);
  let count = 0;
  for (const placed of shapes.flatMap(signaturesOf)) {
    const { kind, signature, spot } = placed;
    const of = abi.filter((entry) => entry.kind === kind);
    const alike = of.filter((entry) => entry.signature.name === signature.name);
    const at = spot.at(kind === 'event' ? 'event' : 'call');
    if (alike.length > 0) {
      count += 1;
      compare(placed, alike, at);
    } else {
      const near = didYouMean(
        signature.name,
        of.map((entry) => entry.signature.name),
      );
      if (near !== signature.name) at.report('other_signature', `the ABI has no ${kind} ${near}`);
    }
  }
  const mapped = new Set(ruleset.shapes.flatMap(signaturesOf).map(({ signature }) => signature.id));
  const events = abi.filter(({ kind, signature }) => kind === 'event' && !mapped.has(signature.id));
  return { problems: shapes[0]?.sink.problems ?? [], count, unmapped: events.map(({ text }) => text) };
}

function compare({ raw, signature }: PlacedSignature, alike: readonly AbiEntry[], at: Spot): void {
  const same = alike.filter((entry) => entry.signature.canonical === signature.canonical);
  const [known] = same.filter((entry) => isIndexedAlike(entry.signature, signature));
  if (known === undefined) return at.report('other_signature', `the ABI has ${(same[0] ?? alike[0]!).text}`);
  const theirs = inputsOf(known.signature);
  for (const [i, name] of inputsOf(signature).entries()) {
    const elsewhere = theirs.indexOf(name);
    if (theirs[i] !== name && elsewhere >= 0)
      return at.report('other_signature', `${name} is at another place in the ABI: ${known.text}`);
    if (theirs[i] !== name && NO_AMOUNTS.test(theirs[i]!) && isAmount(raw, name))
      return at.report('no_amount', `the amount ${name} is ${theirs[i]} in the ABI`);
  }
}

const isIndexedAlike = (one: ParsedSignature, other: ParsedSignature): boolean =>
  one.params.every(({ indexed }, i) => indexed === other.params[i]?.indexed || one.topicCount === 0);

const inputsOf = ({ params, inputs }: ParsedSignature): string[] =>
  params.slice(0, inputs.length).map(({ name }) => name);

/** Whether a leg takes the parameter for its amount. */
function isAmount({ legs = [] }: RawMeaning, name: string): boolean {
  const words = legs.flatMap(({ amount, fees, total }) => [amount, fees, total].flat());
  return words.some((word) => word !== undefined && new RegExp(`\\$${name}(?![\\w.])`).test(word));
}
