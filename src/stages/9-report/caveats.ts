import { groupBy } from '../../lib/lists.ts';
import { isRecognised } from '../../lib/motifKinds.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { parseAssetId } from '../../value/asset.ts';
import { cleanText } from '../../value/cleanText.ts';
import { amountText, labelFormat, type LabelFormat } from '../../value/labelFormat.ts';
import { amountsMoved, isShare } from '../../value/sides.ts';
import type { ReportInput } from './buildReport.ts';
import type { CaveatCode } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';

type CaveatInput = Pick<
  ReportInput,
  'verdict' | 'motifs' | 'rulebook' | 'context' | 'suspects' | 'contradiction'
>;

/** Caveats that speak of the whole verdict. */
const WORDS: Readonly<Partial<Record<CaveatCode, string>>> = {
  heuristic_rule: 'The rule infers the purpose; nothing on chain states it.',
  experimental_rule: 'The rule is experimental.',
  no_single_actor: 'No single account can be named as the actor.',
  claimed_actor: 'The actor is elected by nothing but what an event or balances claim.',
  stale_delegation: 'Nothing shows that the actor asked for this call of its delegated code (EIP-7702).',
  suspect_token: 'A token takes the name of another, or moved without a call that explains it.',
  unasked_pull: 'Something left the actor, or paid for its act, without a call or signature of its owner.',
  state_unread: 'The state of the block is gone, or too many accounts acted: not all code was read.',
  nothing_recognised: 'No recognised act of the actor supports the headline.',
  unaccounted_value: 'The acts this rests on do not account for all the actor sent or received.',
  no_rule: 'No rule speaks for this transaction.',
};

/** Longest text of a caveat. */
const MAX_TEXT = 300;
/** Acts that a sentence names; the rest are counted. */
const MOST_NAMED = 3;
/** Amounts of one side that an act's name states. */
const MOST_AMOUNTS = 2;

/** The caveats, each with its sentence: those that speak of the same acts share one. */
export function writeCaveats(input: CaveatInput): { code: CaveatCode; text: string }[] {
  const { verdict, motifs } = input;
  const found = verdict.motifs
    .map((index): Found => [motifs[index]!, findingsOf(motifs[index]!, input)])
    .filter(([, { size }]) => size > 0);
  const ofActs = new Set(found.flatMap(([, own]) => [...own.keys()]));
  let named = found.slice(0, MOST_NAMED);
  while (named.length > 1 && sentenceOf(named, input).length > MAX_TEXT - 20) named = named.slice(0, -1);
  const more = found.length > named.length ? `; and ${found.length - named.length} more` : '';
  const sentence = cleanText(`${sentenceOf(named, input)}${more}.`.replace(/^t/, 'T'), MAX_TEXT - 1)!;
  const textOf = (code: CaveatCode): string => {
    if (code === 'contradiction') return input.contradiction!;
    return ofActs.has(code) ? sentence : (WORDS[code] ?? ruleLimit(input));
  };
  return verdict.caveats.map((code) => ({ code, text: textOf(code) }));
}

/** A finding about an act: alone, and after another. */
type Finding = readonly [alone: string, after: string];
type Found = readonly [Motif, ReadonlyMap<CaveatCode, Finding>];

/** The acts with their findings; those of the same findings together. */
function sentenceOf(found: readonly Found[], input: CaveatInput): string {
  const alike = groupBy(found, ([, own]) => told([...own.values()]));
  const sentences = [...alike].map(([finding, acts]) => {
    const titles = acts.map(([motif]) => titleOf(motif, input)).join(' and ');
    return `${titles} ${acts.length > 1 ? finding.replace(/^is/, 'are') : finding}`;
  });
  return sentences.join('; ');
}

/** `is not proven: only movements suggest it, with low confidence`. */
const told = ([first, ...more]: readonly Finding[]): string =>
  [first![0], ...new Set(more.map(([, after]) => after))].join(', ');

/** Reasons that keep this act from Proven or High, by caveat. */
function findingsOf(motif: Motif, input: CaveatInput): Map<CaveatCode, Finding> {
  const found = new Map<CaveatCode, Finding>();
  for (const code of input.verdict.caveats) {
    const level = motif.confidence.toLowerCase();
    if (motif.doubt === code) {
      const reason = `is not proven: ${reasonOf(motif, input)}`;
      found.set(code, [reason, reason]);
    } else if (code === 'unknown_protocol' && isUnknown(motif)) {
      const name = formatOf(input).name(motif.venue);
      const what = name ? `an act of ${name} that no rule describes` : 'at an account that no rule lists';
      found.set(code, [`is ${what}`, what]);
    } else if (code === 'low_confidence' ? level === 'low' : code === 'uncertain_motif' && level !== 'high')
      found.set(code, [`is of ${level} confidence`, `with ${level} confidence`]);
  }
  return found;
}

/** At no listed contract. A plain movement of value is at none. */
const isUnknown = ({ traits, protocol }: Motif): boolean => !isRecognised(protocol) && !traits.plain;

export const formatOf = ({ context, rulebook, suspects }: CaveatInput): LabelFormat =>
  labelFormat(context.tokens, rulebook, suspects?.mentioned);

/** `the 2nd swap, 5 USDC → 0.001 WBTC at Uniswap V3,`; without a protocol at its contract. */
function titleOf(motif: Motif, input: CaveatInput): string {
  const { protocol, kind, venue } = motif;
  const format = formatOf(input);
  const sides = [true, false].map((gave) => amountTexts(motif, gave, input));
  const amounts = sides.filter(Boolean).join(' → ');
  const named = isUnknown(motif) && venue !== ZERO_ADDRESS ? format.account(venue) : null;
  const where = isRecognised(protocol) ? format.protocol(protocol.slug) : named;
  const at = where === null ? '' : ` at ${where}`;
  const about = amounts === '' ? at : `, ${amounts}${at},`;
  return `the ${ordinalOf(motif, input)}${kind.replaceAll('_', ' ').replace(/^nft/, 'NFT')}${about}`;
}

function amountTexts(motif: Motif, gave: boolean, input: CaveatInput): string {
  const texts = amountsMoved(motif, gave)
    .filter((one) => !isShare(one))
    .map(({ asset: id, amount }) => amountText({ asset: parseAssetId(id)!, amount }, formatOf(input)));
  return texts.length > MOST_AMOUNTS ? `${texts.length} amounts` : texts.join(' and ');
}

/** `2nd ` where more acts are of its kind and protocol. */
function ordinalOf({ index, kind, protocol }: Motif, { motifs }: CaveatInput): string {
  const alike = motifs.filter((other) => other.kind === kind && other.protocol?.slug === protocol?.slug);
  return alike.length > 1 ? `${ordinal(alike.findIndex((one) => one.index === index) + 1)} ` : '';
}

function ordinal(n: number): string {
  const teens = n % 100 > 10 && n % 100 < 14;
  return `${n}${teens ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}

function reasonOf(motif: Motif, input: CaveatInput): string {
  const { doubt, claims, tags, protocol, index, basis } = motif;
  if (doubt === 'function_name_only')
    return 'only the name of a function says so, and any contract may use that name';
  if (doubt === 'amounts_differ') return 'its event states another amount than moved';
  const failed = claims.find(({ holds }) => !holds);
  if (failed) return `“${failed.name.replaceAll('_', ' ')}” does not hold`;
  if (tags.includes('experimental')) return 'its rule is on trial';
  const part = input.motifs.find(({ parent, status }) => parent === index && status !== 'Proven');
  if (part) return `its part, ${titleOf(part, input).replace(/,$/, '')}, is not`;
  if (tags.includes('structural') || basis === 'structure') return 'only movements suggest it';
  if (!isRecognised(protocol)) return 'only an event of an unlisted contract says so';
  return motif.movements.some((index) => input.suspects?.unasked.has(index))
    ? 'an account did not ask for what it gave'
    : 'a token in it is suspect';
}

function ruleLimit({ verdict: { rule, confidence } }: CaveatInput): string {
  const most = confidence === 'High' ? 'this' : `${confidence.toLowerCase()} confidence`;
  return `The rule ${rule?.slug ?? 'at hand'} allows no more than ${most}: other purposes look the same.`;
}
