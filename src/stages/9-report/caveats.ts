import { isRecognised } from '../../lib/motifKinds.ts';
import { shortAddress } from '../../value/display.ts';
import type { ReportInput } from './buildReport.ts';
import type { CaveatCode } from '../../model/intent.ts';
import type { Motif } from '../../model/motif.ts';

type CaveatInput = Pick<ReportInput, 'verdict' | 'motifs' | 'rulebook'>;

/** Caveats that speak of the whole verdict. */
const WORDS: Readonly<Partial<Record<CaveatCode, string>>> = {
  heuristic_rule: 'The rule infers the purpose; nothing on chain states it.',
  experimental_rule: 'The rule is experimental.',
  no_single_actor: 'No single account can be named as the actor.',
  claimed_actor: 'The actor is elected by nothing but what an event or balances claim.',
  stale_delegation: 'No nonce shows that the EIP-7702 authorisation of the actor took effect here.',
  suspect_token: 'A token takes the name of another, or moved without a call that explains it.',
  unasked_pull: 'Something left the actor that no call or signature of it here shows it asked for.',
  state_unread: 'The node no longer has the state of the block: no code, token name or price was read.',
  nothing_recognised: 'No recognised act supports the headline.',
  unaccounted_value: 'The acts recognised do not account for all the actor sent or received.',
  no_rule: 'No rule speaks for this transaction.',
};

/** Acts that one caveat names; the rest are counted. */
const MOST_NAMED = 3;

/** A caveat in words, with the acts it means by their ids. */
export function caveatText(code: CaveatCode, input: CaveatInput): string {
  const { verdict, motifs } = input;
  const rested = verdict.motifs.map((index) => motifs[index]!);
  const sentence = (some: readonly Motif[], say: (motif: Motif) => string): string => {
    const told = some.slice(0, MOST_NAMED).map((m) => `m-${m.index} (${titleOf(m, input)}) ${say(m)}`);
    return `${told.join('; ')}${some.length > MOST_NAMED ? `; and ${some.length - MOST_NAMED} more` : ''}.`;
  };
  const doubted = (): readonly Motif[] => rested.filter(({ doubt }) => doubt === code);
  switch (code) {
    case 'function_name_only':
    case 'amounts_differ':
    case 'unproven_motif':
      return sentence(doubted(), (motif) => `is not proven: ${reasonOf(motif, input)}`);
    case 'unknown_protocol':
      return sentence(
        rested.filter(({ protocol }) => !isRecognised(protocol)),
        ({ venue }) => `is at ${shortAddress(venue)}, which is known by its behaviour only`,
      );
    case 'uncertain_motif':
    case 'low_confidence': {
      const weak = rested.filter(({ confidence }) =>
        code === 'low_confidence' ? confidence === 'Low' : confidence !== 'High',
      );
      if (weak.length === 0) return ruleLimit(input);
      return sentence(weak, ({ confidence }) => `is of ${confidence.toLowerCase()} confidence`);
    }
    case 'rule_limit':
      return ruleLimit(input);
    default:
      return WORDS[code]!;
  }
}

/** `Uniswap V3 swap`. */
function titleOf({ protocol, kind }: Motif, { rulebook }: CaveatInput): string {
  const name = isRecognised(protocol) ? rulebook.protocols.get(protocol.slug)?.name : undefined;
  return [name, kind.replaceAll('_', ' ')].filter(Boolean).join(' ');
}

function reasonOf(motif: Motif, { motifs }: CaveatInput): string {
  const { doubt, invariants, tags, protocol, index, basis } = motif;
  if (doubt === 'function_name_only')
    return 'only the name of a function says so, and anybody may name one so';
  if (doubt === 'amounts_differ')
    return 'more or less moved than its event states, and nothing shows where the rest went';
  const failed = invariants.find(({ holds }) => !holds);
  if (failed) return `“${failed.name.replaceAll('_', ' ')}” does not hold`;
  if (tags.includes('experimental')) return 'its rule is on trial';
  const part = motifs.find(({ parent, status }) => parent === index && status !== 'Proven');
  if (part) return `its part m-${part.index} is not`;
  if (tags.includes('structural') || basis === 'structure') return 'only movements suggest it';
  return isRecognised(protocol)
    ? 'a token in it is suspect'
    : 'only an event of an unlisted contract says so';
}

function ruleLimit({ verdict: { rule, confidence } }: CaveatInput): string {
  const most = confidence === 'High' ? 'this' : `${confidence.toLowerCase()} confidence`;
  return `The rule ${rule?.slug ?? 'at hand'} allows no more than ${most}: other purposes look the same.`;
}
