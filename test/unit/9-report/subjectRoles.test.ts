import { describe, expect, it } from 'vitest';
import { erc20Id } from '../../../src/value/asset.ts';
import { ZERO_ADDRESS } from '../../../src/evm/hex.ts';
import { subjectRoles } from '../../../src/stages/9-report/subjectRoles.ts';
import {
  account,
  attribution,
  blockHeader,
  BUILDER,
  canonicalTx,
  classified,
  motif,
  rulebook,
  SIGNER,
  valueFlow,
  WRAPPED,
  wrappedId,
} from '../../support/builders.ts';

const [ACTOR, POOL, VAULT, ROUTER, TAGGED, SETTLEMENT, FEE, PARTNER, OTHER] = [
  'a0',
  'd0',
  'd1',
  'd2',
  'd3',
  'd4',
  'd5',
  'd6',
  'd7',
].map(account) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
/** A pool that is its own token, as pairs and share vaults are. */
const poolToken = erc20Id(POOL);
const TAXED = account('0c');

const rules = rulebook({
  entities: { [TAGGED]: ['infrastructure', 'router'] },
  motifKinds: [
    { kind: 'swap', fragment: 'DirectSwap' },
    { kind: 'supply', fragment: 'Supply' },
    { kind: 'wrap', fragment: 'WrapNative' },
    { kind: 'route', fragment: 'AggregatedSwap' },
  ],
  intentKinds: [
    { kind: 'DirectSwap', category: 'trade' },
    { kind: 'AggregatedSwap', category: 'trade' },
    { kind: 'WrapNative', category: 'trade' },
    { kind: 'Supply', category: 'lending' },
  ],
});

const roleOf = subjectRoles({
  tx: canonicalTx(),
  header: blockHeader(),
  flow: valueFlow([
    { from: ACTOR, to: ROUTER, amount: 5n },
    { from: ROUTER, to: POOL, amount: 5n },
    { from: ZERO_ADDRESS, to: ACTOR, asset: poolToken, amount: 1n },
    { from: PARTNER, to: ACTOR, asset: erc20Id(TAXED), amount: 3n },
    { from: PARTNER, to: TAXED, asset: erc20Id(TAXED), amount: 1n },
    { from: OTHER, to: PARTNER, asset: wrappedId, amount: 2n },
    { from: SIGNER, to: BUILDER, amount: 1n },
    { from: OTHER, to: FEE, amount: 1n },
    { from: OTHER, to: VAULT, amount: 1n },
    { from: OTHER, to: TAGGED, amount: 1n },
    { from: OTHER, to: SETTLEMENT, amount: 1n },
    { from: OTHER, to: WRAPPED, amount: 1n },
  ]),
  motifs: classified(
    [
      motif({ index: 0, kind: 'route', venue: ROUTER }),
      motif({ index: 1, kind: 'swap', venue: POOL, parent: 0 }),
      motif({ index: 2, kind: 'supply', venue: VAULT }),
      motif({
        index: 3,
        kind: 'protocol_fee',
        venue: ROUTER,
        participants: [{ role: 'recipient', account: FEE }],
      }),
      motif({ index: 4, kind: 'wrap', venue: WRAPPED }),
    ],
    rules,
  ),
  attribution: attribution({ actor: ACTOR, settlementContract: SETTLEMENT }),
  rulebook: rules,
});

describe('subjectRoles', () => {
  it.each([
    [ZERO_ADDRESS, 'zero'],
    [ACTOR, 'actor'],
    [SIGNER, 'signer'],
    [BUILDER, 'builder'],
    [POOL, 'pool'],
    [VAULT, 'vault'],
    [ROUTER, 'router'],
    [TAGGED, 'router'],
    [SETTLEMENT, 'router'],
    [FEE, 'fee_recipient'],
    [TAXED, 'token_contract'],
    [WRAPPED, 'token_contract'],
    [PARTNER, 'counterparty'],
    [OTHER, 'other'],
  ])('%s is %s', (who, role) => expect(roleOf(who)).toBe(role));
});
