import { describe, expect, it } from 'vitest';
import { findSuspects } from '../../../src/value/suspectTokens.ts';
import { prove, proveWhole } from '../../../src/value/prove.ts';
import type { Leg, Primitive } from '../../../src/model/primitive.ts';
import { account, canonicalTx, motif, rawContext, valueFlow } from '../../support/builders.ts';
import { loadRules } from '../../../src/service/loadRules.ts';

const input = {
  rulebook: loadRules(),
  tx: canonicalTx(),
  flow: valueFlow([
    { from: account('51'), to: account('f0'), amount: 5n },
    { from: account('f0'), to: account('51'), amount: 5n },
  ]),
};
const suspects = {
  ...findSuspects(input.tx, input.flow, rawContext(), input.rulebook),
  impersonating: new Set(['native']),
};
const leg = (role: string, movements: readonly number[]): Leg => ({
  role,
  asset: 'native',
  amount: 5n,
  account: account('51'),
  movements,
  exact: true,
});
const SWAP: Primitive = {
  kind: 'swap',
  seq: 1,
  basis: 'event',
  shape: 'some-shape',
  protocol: { slug: 'some', version: 1, matchedBy: 'address' },
  venue: account('f0'),
  poolId: null,
  roles: [],
  legs: [leg('in', [0]), leg('out', [1])],
  claims: [
    { name: 'amounts_agree', holds: true, operands: [] },
    { name: 'assets_differ', holds: true, operands: [] },
  ],
  tags: [],
  evidence: [],
};
const family = { slug: 'some', version: 1, matchedBy: 'family' } as const;
const fails = (name: string) => ({ claims: [...SWAP.claims, { name, holds: false, operands: [] }] });

describe('an act is proven', () => {
  it.each<[string, Partial<Primitive>, ReturnType<typeof prove>]>([
    ['at a known contract', {}, null],
    ['by both sides of an exchange at an unknown one', { protocol: family }, null],
    [
      'not of an account that has no part in it',
      { protocol: family, roles: [{ role: 'recipient', account: account('52') }] },
      'unproven_motif',
    ],
    ['not by one side', { protocol: family, legs: [leg('in', [0])] }, 'unproven_motif'],
    [
      'not by sides that nothing carries',
      { protocol: family, legs: [leg('in', [0]), leg('out', [])] },
      'unproven_motif',
    ],
    ['by structure alone', { basis: 'structure', protocol: null, legs: [leg('paid', [0])] }, null],
    [
      'not by structure that only suggests it',
      { basis: 'structure', tags: ['structural'] },
      'unproven_motif',
    ],
    ['not by a rule on trial', { tags: ['experimental'] }, 'unproven_motif'],
    ['not where the amounts differ', fails('amounts_agree'), 'amounts_differ'],
    ['not without a claim that its kind needs', { claims: [] }, 'unproven_motif'],
    ['not where another invariant fails', fails('assets_differ'), 'unproven_motif'],
    ['by a call of a known contract that moved something', { basis: 'call' }, null],
    ['not by a call that moved nothing', { basis: 'call', legs: [] }, 'function_name_only'],
    ['not by a call of an unknown contract', { basis: 'call', protocol: family }, 'function_name_only'],
  ])('%s', (_, partial, doubt) => {
    expect(prove({ ...SWAP, ...partial }, input)).toBe(doubt);
  });

  it('not by movements that a stranger may have made up', () => {
    expect(prove(SWAP, { ...input, suspects })).toBe('unproven_motif');
  });

  it('as a whole, where its claims hold and every part is proven', () => {
    const whole = { claims: [{ name: 'closed', holds: true, operands: [] }] };
    expect(proveWhole(whole, [motif(), motif()])).toBe(null);
    expect(proveWhole(whole, [motif(), motif({ status: 'Suspected' })])).toBe('unproven_motif');
    expect(proveWhole(fails('closed'), [motif()])).toBe('unproven_motif');
  });
});
