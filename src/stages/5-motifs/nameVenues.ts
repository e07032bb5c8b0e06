import { isRecognised, protocolOf } from '../../lib/motifKinds.ts';
import { SHARE_ROLES } from '../../lib/roles.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { ProtocolRef } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { RawContext, TokenMetadata } from '../../model/upstream.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** Parts a venue can play that make it no place of business. */
const NO_PLACE: ReadonlySet<string> = new Set(['none', 'account', 'created']);

/**
 * Sets `named`, the protocol of motifs that no protocol's own words explain: by the contract they happened
 * at, else by the name of its share token. For people: no rule, status or confidence reads these names.
 */
export function nameVenues(
  motifs: readonly (Motif & { named?: ProtocolRef | undefined })[],
  flow: ValueFlow,
  context: Pick<RawContext, 'tokens' | 'registered'>,
  rulebook: Rulebook,
): readonly Motif[] {
  for (const motif of motifs) {
    const { venue, allowance, composite } = motif.traits;
    if (isRecognised(motif.protocol) || composite || allowance || NO_PLACE.has(venue)) continue;
    motif.named =
      protocolOf(motif.venue, context.registered, rulebook) ??
      byToken(tokensOf(motif, flow), context, rulebook) ??
      undefined;
  }
  return motifs;
}

/** The venue's own token, then the motif's share tokens. */
function tokensOf({ venue, assetsIn, assetsOut }: Motif, flow: ValueFlow): Address[] {
  const shares = [...assetsIn, ...assetsOut].filter(({ role }) => SHARE_ROLES.has(role));
  return [venue, ...shares.flatMap(({ asset }) => flow.assets.get(asset)?.address ?? [])];
}

function byToken(
  tokens: readonly Address[],
  context: Pick<RawContext, 'tokens'>,
  rulebook: Rulebook,
): ProtocolRef | null {
  const patterns = rulebook.prepared.derive(patternsOf);
  for (const address of tokens) {
    const token = context.tokens.get(address);
    const found = token && !token.impersonates && patterns.find(({ fits }) => fits(token));
    if (found) return { slug: found.spec.slug, version: found.spec.version, matchedBy: 'token' };
  }
  return null;
}

/** Protocols with the test of a token's name and symbol. */
function patternsOf({ protocols }: Rulebook) {
  return [...protocols.values()].flatMap((spec) => {
    if (!spec.tokens) return [];
    const [ofName, ofSymbol] = [fitting(spec.tokens.names), fitting(spec.tokens.symbols)];
    return { spec, fits: ({ name, symbol }: TokenMetadata) => ofName(name) || ofSymbol(symbol) };
  });
}

function fitting(patterns: readonly string[]): (text: string | null) => boolean {
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`),
  );
  return (text) => text !== null && expressions.some((one) => one.test(text));
}
