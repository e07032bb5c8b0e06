import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { canonicalOf, comparable, unbalanced, unreconciled, type CorpusRecord } from './corpus.ts';

const FOLDER = join(import.meta.dirname, '../../recordings');
const rules = {
  wrappedNative: new Set(['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'] as const),
  tokenEvents: new Map(),
};

interface Delta {
  readonly subject: string;
  readonly kind: string;
  readonly address: string | null;
  readonly token_id: string | null;
  readonly delta_raw: string;
  readonly elastic?: boolean;
}
type Recording = CorpusRecord & {
  readonly name: string;
  readonly expect: { readonly deltas: readonly Delta[] };
};

const keyOf = ({ subject, kind, address, token_id }: Delta): string =>
  `${subject} ${kind === 'native' ? 'slip44:60' : `${kind}:${address}${kind === 'erc20' ? '' : `/${token_id}`}`}`.toLowerCase();

describe('recorded devnet transactions', () => {
  const recordings = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recording);
  expect(recordings.length).toBeGreaterThan(50);

  it.each(recordings.map((recording) => [recording.name, recording] as const))('%s', (name, recording) => {
    const tx = canonicalOf(recording, 'call_tracer');
    const other = canonicalOf(recording, 'parity');
    const flow = buildValueFlow(tx, rules);
    const otherFlow = buildValueFlow(other, rules);
    expect(comparable(otherFlow)).toEqual(comparable(flow));
    expect(unbalanced(flow)).toEqual([]);
    expect(unreconciled(tx, flow, recording)).toEqual([]);
    for (const [i, log] of other.logs.entries())
      if (log.frame !== null) expect(log.frame).toBe(tx.logs[i]!.frame);

    expect(flow.nonEconomic.some(({ kind }) => kind === 'forged_transfer')).toBe(name === 'spam-forged');
    const elastic = new Set(
      recording.expect.deltas.filter((delta) => delta.elastic).map((delta) => delta.address!.toLowerCase()),
    );
    const followsEvents = (key: string): boolean => ![...elastic].some((token) => key.includes(`:${token}`));
    const told = new Map(
      recording.expect.deltas.map((delta) => [keyOf(delta), BigInt(delta.delta_raw)] as const),
    );
    const found = new Map<string, bigint>();
    for (const [account, ledger] of flow.ledgers) {
      if (BigInt(account) <= 0xffffn) continue; // The zero address and precompiles hold nothing that balanceOf tells.
      for (const [asset, { inflow, outflow }] of ledger)
        if (inflow !== outflow) found.set(`${account} ${asset.replace('eip155:1/', '')}`, inflow - outflow);
    }
    const sorted = (deltas: Map<string, bigint>) => [...deltas].filter(([key]) => followsEvents(key)).sort();
    expect(sorted(found)).toEqual(sorted(told));
  });
});
