import type { Address } from '../../model/hex.ts';
import type { LineTable, Rulebook } from '../../model/rulebook.ts';
import { fold } from '../../value/suspectTokens.ts';
import { SHARE_ROLES } from '../../lib/roles.ts';
import type { MotifKindSpec } from '../../model/vocabulary.ts';
import type { PlacedRule } from '../compile/compileIntents.ts';
import type { Ruleset } from '../compile/loadRulebook.ts';
import type { Vocabulary } from '../compile/compileVocabulary.ts';
import { meaningsOf, Spot, type RuleItem } from '../compile/ruleItem.ts';
import type {
  RawEntityFile,
  RawLeg,
  RawMeaning,
  RawProtocol,
  RawShape,
  RawVocabulary,
} from '../../model/generated/rules.ts';
import { linesOf } from '../../lib/tableLines.ts';
import { isFault, parseSignature } from '../compile/signature.ts';
import { checkWeak } from './checkWeak.ts';

type Rules = Pick<Ruleset, 'shapes' | 'protocols' | 'entities' | 'intents' | 'words'>;

/** Mistakes that load, and then do nothing or too much. `now`: seconds since 1970, for authors. */
export function checkSilent(
  { shapes, protocols, entities, words }: Rules,
  items: readonly RuleItem[],
  tokens: Rulebook['knownTokens'],
  now: number | undefined,
): void {
  checkLegs(shapes, words, now !== undefined);
  checkProtocolAddresses(protocols, tokens);
  if (now === undefined) return;
  checkBlocks(protocols, entities, now);
  checkUsedWords(items);
}

/** Mistakes of overlays that only the rules below and the text tables show. */
export function checkOverlays(
  rules: Rules,
  placed: readonly PlacedRule[],
  known: Pick<Rulebook, 'entities' | 'addressBook' | 'signatures'>,
): void {
  checkIndexed(rules.shapes, known.signatures.events);
  checkKnownNames(rules.protocols, known);
  checkRanks(placed, rules.words);
  checkWeak(rules);
}

/** Effects that say value changed hands; an order or a request may be no more than a word. */
const MOVING = new Set(['increase', 'decrease', 'liquidate', 'collect', 'migrate']);

/** Names that the legs of a meaning may use. */
const NAMED = ['from', 'to', 'asset', 'amount', 'asset_kind', 'movement'] as const;

/** Events and calls that would be believed without anything having moved. */
function checkLegs(
  shapes: readonly RuleItem<RawShape>[],
  { motifKinds }: Vocabulary,
  forAuthors: boolean,
): void {
  for (const [raw, spot] of shapes.flatMap((item) => meaningsOf(item))) {
    const kind = motifKinds.get(raw.kind);
    if (forAuthors && kind && kind.legs.length > 0) checkRoles(spot, kind, raw.legs ?? []);
    const isBound = (raw.legs ?? []).some((leg) => leg.required !== false && namesSomething(leg));
    if (isBound) {
      if (raw.legless !== undefined) spot.at('legless').reportKey('needless_legless', raw.kind);
    } else if (kind && movesValue(kind, raw) && raw.legless === undefined)
      spot.at('kind').report('no_leg', whyUnbound(raw));
  }
}

/** One word for one thing: the amount of a loan is `borrowed` in every shape. */
function checkRoles(spot: Spot, { kind, legs }: MotifKindSpec, used: readonly RawLeg[]): void {
  for (const [{ role }, at] of spot.each('legs', used))
    if (role !== 'fee' && !SHARE_ROLES.has(role) && !legs.includes(role))
      at.at('role').report('other_role', `${role}; legs of a ${kind} are ${legs.join(', ')}`);
}

function whyUnbound({ kind, legs }: RawMeaning): string {
  const missing = legs === undefined ? 'has no leg' : 'has only legs that bind anything, or nothing';
  const mend = 'add a required leg, or say why in legless';
  return `a ${kind} ${missing}: an event that moved nothing would be believed; ${mend}`;
}

function movesValue({ position, trade }: MotifKindSpec, { tags = [] }: RawMeaning): boolean {
  // A deferred event waits for the one that pays.
  return (trade !== null || MOVING.has(position?.effect ?? '')) && !tags.includes('deferred');
}

function namesSomething(leg: RawLeg): boolean {
  return NAMED.some((key) => leg[key] !== undefined);
}

/** Addresses that are no protocol's: precompiles, words in place of an address, and listed tokens. */
function checkProtocolAddresses(
  items: readonly RuleItem<RawProtocol>[],
  tokens: Rulebook['knownTokens'],
): void {
  const symbols = new Map(
    [...tokens].flatMap(([symbol, all]) => [...all].map((one) => [one, symbol] as const)),
  );
  for (const item of items)
    for (const [text, spot] of new Spot(item).each('addresses', item.value.addresses)) {
      const address = text.toLowerCase() as Address;
      if (/^0x0{36}/.test(address)) spot.report('no_protocol_address', `${text} is no contract of anybody`);
      const symbol = symbols.get(address);
      // Some shipped protocols are a token of their own.
      if (symbol && item.file.layer > 0)
        spot.report('no_protocol_address', `it is the listed token ${symbol}`);
    }
}

/** The owner of an address in the address book that is no protocol. */
const NO_PROTOCOL = /^0x\w+ (exchange|fund|burn|sanctioned) (.+)$/;

/** An overlay's protocols against the accounts, names and addresses that the rules know already. */
function checkKnownNames(
  items: readonly RuleItem<RawProtocol>[],
  { entities, addressBook }: Pick<Rulebook, 'entities' | 'addressBook'>,
): void {
  for (const item of items.filter(({ file, value }) => file.layer > 0 && value.extend !== true)) {
    const { name = '', addresses = [], slug } = item.value;
    for (const [text, spot] of new Spot(item).each('addresses', addresses)) {
      const entity = entities.get(text.toLowerCase() as Address);
      const [line = ''] = linesOf(addressBook, text.toLowerCase());
      const [, kind, listed] = NO_PROTOCOL.exec(line) ?? [];
      if (listed !== undefined) spot.report('no_protocol_address', `it is ${listed} (${kind})`);
      else if (entity && entity.name !== name) spot.report('no_protocol_address', `it is ${entity.name}`);
    }
    const other = items.find(({ value }) => value.slug !== slug && fold(value.name ?? '') === fold(name));
    if (other && !addresses.some((one) => other.value.addresses?.includes(one)))
      new Spot(item, ['name']).report('name_taken', `${other.value.name!} is ${other.value.slug}`);
  }
}

/** An overlay's intents that no verdict would ever be. */
function checkRanks(rules: readonly PlacedRule[], { intentKinds }: Vocabulary): void {
  const last = intentKinds.get('Unknown')?.rank ?? Infinity;
  for (const { rule, item } of rules)
    if (item.file.layer > 0 && (intentKinds.get(rule.intent)?.rank ?? 0) > last)
      new Spot(item, ['intent']).report('ranked_after_unknown', rule.intent);
}

/** Events of an overlay that the signature tables know word for word, but for `indexed`. */
function checkIndexed(items: readonly RuleItem<RawShape>[], events: LineTable): void {
  const words = (text: string): string => text.replace(/\s/g, '');
  const bare = (text: string): string => words(text.replace(/ indexed\b/g, ''));
  for (const item of items.filter(({ file }) => file.layer > 0))
    for (const [i, { event = '' }] of (item.value.events ?? []).entries()) {
      const parsed = parseSignature('event', event);
      const lines = isFault(parsed) ? [] : linesOf(events, parsed.id.slice(2, 10));
      const known = lines.map((line) => line.slice(9)).filter((text) => bare(text) === bare(event));
      if (known[0] && !known.some((text) => words(text) === words(event)))
        new Spot(item, ['events', i, 'event']).report('other_indexed', known[0]);
    }
}

/** Words that an overlay declares and never uses. */
function checkUsedWords(items: readonly RuleItem[]): void {
  const texts = items.map(({ file, value, pointer }) => ({ file, pointer, text: JSON.stringify(value) }));
  for (const item of items) {
    if (item.file.kind !== 'vocabulary' || item.file.layer === 0) continue;
    const words = item.value as RawVocabulary;
    for (const section of ['motifs', 'intents', 'leg_roles', 'account_roles', 'lists'] as const)
      for (const word of Object.keys(words[section] ?? {})) {
        const pattern = new RegExp(`(?<![\\w])${word}(?![\\w])`);
        const isUsed = texts.some(({ file, text }) => {
          if (file.kind === 'precedence') return false;
          // Values have the words of a list in place of its name.
          if (section === 'lists') return file.text.includes(`$${word}`);
          return file.kind === 'vocabulary' ? text.includes(`:"${word}"`) : pattern.test(text);
        });
        if (!isUsed) new Spot(item, [section, word]).reportKey('unused_word', word);
      }
  }
}

/** The merge, and the seconds between two blocks since (EIP-3675): no block can be ahead of that. */
const MERGE = { block: 15_537_394, time: 1_663_224_179, interval: 12 };

/** Blocks that cannot exist yet at `now` (seconds): usually a time in place of a block. */
function checkBlocks(
  protocols: readonly RuleItem<RawProtocol>[],
  entities: readonly RuleItem<RawEntityFile>[],
  now: number,
): void {
  const latest = MERGE.block + Math.ceil((now - MERGE.time) / MERGE.interval);
  const rows = [
    ...protocols.flatMap((item) => new Spot(item).each('registries', item.value.registries)),
    ...entities.flatMap((item) => new Spot(item).each('accounts', item.value.accounts)),
  ];
  for (const [{ since_block: block = 0 }, spot] of rows)
    if (block > latest)
      spot.at('since_block').report('future_block', `${block}; the chain is at ${latest} at most`);
}
