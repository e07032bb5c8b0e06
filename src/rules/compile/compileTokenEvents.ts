import type { Address } from '../../model/hex.ts';
import type { BindExpr, TokenEventSpec } from '../../model/rulebook.ts';
import { compileBind, isFault } from './bindExpr.ts';
import type { BindScope } from './bindScope.ts';
import { readRuleAddress } from './compileProtocols.ts';
import { eventKey } from './compileShapes.ts';
import { frozenSet } from './freeze.ts';
import type { RawEntityFile } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';
import { parseSignature } from './signature.ts';

/** Compiles the events by which pre-standard tokens move value, and those that only repeat a movement. */
export function compileTokenEvents(
  item: RuleItem<RawEntityFile>,
  into: Map<string, TokenEventSpec[]>,
  sink: ProblemSink,
): void {
  for (const section of ['events', 'ignored_events'] as const) {
    for (const [i, raw] of (item.value[section] ?? []).entries()) {
      const signature = parseSignature('event', raw.event);
      if (isFault(signature)) {
        sink.add(item, [section, i, 'event'], signature.code, signature.message);
        continue;
      }
      const scope: BindScope = {
        kind: 'event',
        params: signature.params,
        inputs: signature.inputs,
        venue: null,
        legs: [],
      };
      const bind = (key: string, text: string | undefined, use: 'account' | 'amount'): BindExpr | null => {
        if (text === undefined) return null;
        const result = compileBind(text, scope);
        if (!isFault(result) && result.type[use]) return result.expr;
        if (isFault(result)) sink.add(item, [section, i, key], result.code, result.message);
        else sink.add(item, [section, i, key], 'bind_type', `${text} cannot be an ${use}`);
        return null;
      };
      const emitters = (raw.emitters ?? []).map((text, n) =>
        readRuleAddress(item, [section, i, 'emitters', n], text, sink),
      );
      const ends = 'from' in raw ? raw : null;
      if (ends && (ends.asset_kind === 'erc721') !== (ends.token_id !== undefined))
        sink.add(item, [section, i], 'bad_entity', 'erc721 needs token_id, erc20 takes none');
      if (ends && ends.asset_kind === 'erc20' && ends.amount === undefined)
        sink.add(item, [section, i], 'bad_entity', 'erc20 needs amount');
      const spec: TokenEventSpec = {
        topic0: signature.id,
        topicCount: signature.topicCount,
        emitters: frozenSet(emitters.filter((e): e is Address => e !== null)),
        assetKind: ends?.asset_kind ?? 'erc20',
        ignored: ends === null,
        params: signature.params,
        from: bind('from', ends?.from, 'account') ?? { op: 'zero' },
        to: bind('to', ends?.to, 'account') ?? { op: 'zero' },
        amount: bind('amount', ends?.amount, 'amount'),
        tokenId: bind('token_id', ends?.token_id, 'amount'),
      };
      const key = eventKey(spec.topic0, spec.topicCount);
      into.set(key, [...(into.get(key) ?? []), spec]);
    }
  }
}
