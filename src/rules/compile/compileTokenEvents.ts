import type { Address } from '../../model/hex.ts';
import type { BindExpr, TokenEventSpec } from '../../model/rulebook.ts';
import { compileBind, isFault } from './bindExpr.ts';
import type { BindScope } from './bindScope.ts';
import { readRuleAddress } from './compileProtocols.ts';
import { eventKey } from './compileShapes.ts';
import type { RawEntityFile } from '../read/rawRules.ts';
import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';
import { parseSignature } from './signature.ts';

/** Compiles the events by which pre-standard tokens move value, and those that only repeat a movement. */
export function compileTokenEvents(
  item: RuleItem<RawEntityFile>,
  into: Map<string, TokenEventSpec[]>,
  sink: ProblemSink,
): void {
  for (const section of ['events', 'ignored_events'] as const) {
    for (const [i, raw] of (item.value[section] ?? []).entries()) {
      const spec = compileTokenEvent(new Spot(item, sink, [section, i]), raw);
      if (!spec) continue;
      const key = eventKey(spec.topic0, spec.topicCount);
      into.set(key, [...(into.get(key) ?? []), spec]);
    }
  }
}

type RawTransferEvent = NonNullable<RawEntityFile['events']>[number];
type RawTokenEvent = RawTransferEvent | NonNullable<RawEntityFile['ignored_events']>[number];

function compileTokenEvent(spot: Spot, raw: RawTokenEvent): TokenEventSpec | null {
  const signature = parseSignature('event', raw.event);
  if (isFault(signature)) {
    spot.at('event').report(signature.code, signature.message);
    return null;
  }
  const emitters = (raw.emitters ?? []).map((text, n) => readRuleAddress(spot.at('emitters', n), text));
  const spec = {
    topic0: signature.id,
    topicCount: signature.topicCount,
    emitters: new Set(emitters.filter((e): e is Address => e !== null)),
    params: signature.params,
  };
  if (!('from' in raw))
    return { ...spec, assetKind: 'erc20', ignored: true, from: ZERO, to: ZERO, amount: null, tokenId: null };
  if ((raw.asset_kind === 'erc721') !== (raw.token_id !== undefined))
    spot.report('bad_entity', 'erc721 needs token_id, erc20 takes none');
  if (raw.asset_kind === 'erc20' && raw.amount === undefined) spot.report('bad_entity', 'erc20 needs amount');
  const scope: BindScope = { kind: 'event', ...signature, venue: null, legs: [] };
  const bind = (key: 'from' | 'to' | 'amount' | 'token_id', use: 'account' | 'amount'): BindExpr | null => {
    const text = raw[key];
    if (text === undefined) return null;
    const result = compileBind(text, scope);
    if (!isFault(result) && result.type[use]) return result.expr;
    if (isFault(result)) spot.at(key).report(result.code, result.message);
    else spot.at(key).report('bind_type', `${text} cannot be an ${use}`);
    return null;
  };
  return {
    ...spec,
    assetKind: raw.asset_kind,
    ignored: false,
    from: bind('from', 'account') ?? ZERO,
    to: bind('to', 'account') ?? ZERO,
    amount: bind('amount', 'amount'),
    tokenId: bind('token_id', 'amount'),
  };
}

const ZERO: BindExpr = { op: 'zero' };
