import { describe, expect, it } from 'vitest';
import { nameVenues } from '../../../src/stages/5-motifs/nameVenues.ts';
import { frontEnds } from '../../../src/stages/9-report/frontEnds.ts';
import { account, canonicalTx, frame, motif, token, valueFlow } from '../../support/builders.ts';
import { shippedRules } from '../rules-content/scene.ts';
import type { Address } from '../../../src/model/hex.ts';
import type { Motif } from '../../../src/model/motif.ts';
import type { Allowance } from '../../../src/model/valueFlow.ts';
import type { RawContext } from '../../../src/model/upstream.ts';

const rules = shippedRules();
const VAULT = account('c0');
const SETTLER: Address = '0x70bf6634ee8cb27d04478f184b9b8bb13e5f4710';
const flow = valueFlow([]);
const guess = motif({
  kind: 'vault_deposit',
  venue: VAULT,
  protocol: null,
  status: 'Suspected',
  confidence: 'Low',
});

const named = (one: Motif, context: Partial<RawContext> = {}): Motif =>
  nameVenues([one], flow, { tokens: new Map(), ...context }, rules)[0]!;
const called = (name: string, symbol: string) => ({
  tokens: new Map([[VAULT, token(VAULT, { name, symbol })]]),
});

describe('names of venues', () => {
  it('a token that calls itself so names its vault, and proves nothing', () => {
    const found = named(guess, called('Moo Curve ETH', 'mooCurveETH'));
    expect(found).toEqual({ ...guess, named: { slug: 'beefy', version: 2, matchedBy: 'token' } });
  });

  it('a token that impersonates another names nothing', () => {
    const tokens = new Map([[VAULT, { ...token(VAULT, { name: 'Moo Curve ETH' }), impersonates: true }]]);
    expect(named(guess, { tokens })).toBe(guess);
  });

  it('a pattern fits the whole name, and its signs mean themselves', () => {
    expect(named(guess, called('Not Moo Curve', 'XMOO'))).toBe(guess);
    expect(named(guess, called('Curvexfi Token', 'X'))).toBe(guess);
  });

  it('a contract that a registry lists is named so; one it does not list is not', () => {
    const registered = new Map([[VAULT, 'metamorpho-vaults']]);
    expect(named(guess, { registered }).named).toEqual({
      slug: 'metamorpho-vaults',
      version: 2,
      matchedBy: 'registry',
    });
    expect(named(guess, { registered: new Map() })).toBe(guess);
  });

  it('what a protocol said itself keeps its name', () => {
    const own = motif({ ...guess, protocol: { slug: 'aave-v3', version: 1, matchedBy: 'address' } });
    expect(named(own, called('Moo X', 'mooX'))).toBe(own);
  });

  it('a permission over a token says nothing of a place', () => {
    const approval = motif({ ...guess, kind: 'approval' });
    expect(named(approval, called('Moo X', 'mooX'))).toBe(approval);
  });
});

describe('contracts that stand before the venues', () => {
  const call = (to: Address, over = {}) =>
    frame({ to, context: to, input: '0x1fff991f', selector: '0x1fff991f', ...over });
  const found = (
    to: Address,
    motifs: readonly Motif[] = [],
    tokens: readonly Address[] = [],
    allowed: readonly Address[] = [],
  ) =>
    frontEnds(
      canonicalTx({ frames: [call(to)], to }),
      motifs,
      {
        assets: new Map(
          tokens.map((address) => [address, { id: address, kind: 'erc20', address, tokenId: null }]),
        ),
        allowances: allowed.map((token) => ({ token }) as Allowance),
      },
      rules,
    ).map(({ kind, venue, protocol }) => [kind, venue, protocol?.slug]);

  it('a contract that a known deployer made is named when the transaction calls it', () => {
    expect(found(SETTLER)).toEqual([['front_end', SETTLER, 'zerox']]);
  });

  it('no stranger is named', () => {
    expect(found(account('d9'))).toEqual([]);
  });

  it('a protocol that a motif names already is not named again', () => {
    const own = motif({ protocol: { slug: 'zerox', version: 2, matchedBy: 'address' } });
    expect(found(SETTLER, [own])).toEqual([]);
  });

  it('moving a token is no visit to the protocol that issued it', () => {
    const steth: Address = '0xae7ab96520de3a18e5e111b5eaab095312d7fe84';
    expect(found(steth, [], [steth])).toEqual([]);
    expect(found(steth, [], [], [steth])).toEqual([]);
    expect(found(steth)).toEqual([['front_end', steth, 'lido']]);
  });
});
