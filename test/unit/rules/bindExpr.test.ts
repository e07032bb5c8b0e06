import { describe, expect, it } from 'vitest';
import { compileBind, type BindScope } from '../../../src/rules/compile/bindExpr.ts';
import { parseSignature, type ParsedSignature } from '../../../src/rules/compile/signature.ts';
import { TOKEN } from './smallRuleset.ts';

const EVENT = parseSignature(
  'event',
  'E(address indexed who, int256 delta, uint256 packed, bytes32 word, (address maker, uint256[] amounts) order, address[] path, (address to, int128 paid)[] payouts, uint8[][] grid, string note, uint64 small, bytes indexed blob)',
) as ParsedSignature;
const CALL = parseSignature('function', 'f(address to, uint256 amount)') as ParsedSignature;

const scope = (kind: 'event' | 'call'): BindScope => ({
  kind,
  params: (kind === 'event' ? EVENT : CALL).params,
  inputs: (kind === 'event' ? EVENT : CALL).inputs,
  venue: { expr: { op: 'arg', name: 'who', path: [] }, type: { account: true, amount: false } },
  legs: ['in'],
});

describe('bind expressions', () => {
  it.each([
    ['$who', { op: 'arg', name: 'who', path: [] }],
    ['$order.maker', { op: 'arg', name: 'order', path: [0] }],
    ['$order.amounts.3', { op: 'arg', name: 'order', path: [1, 3] }],
    ['$order.1.0', { op: 'arg', name: 'order', path: [1, 0] }],
    ['$order.amounts.sum', { op: 'arg', name: 'order', path: [1, 'sum'] }],
    ['$payouts.sum.paid', { op: 'arg', name: 'payouts', path: ['sum', 1] }],
    ['$grid.1.sum', { op: 'arg', name: 'grid', path: [1, 'sum'] }],
    ['$path.0', { op: 'arg', name: 'path', path: [0] }],
    ['$emitter', { op: 'emitter' }],
    ['$signer', { op: 'signer' }],
    ['$asked_by', { op: 'asked_by' }],
    ['$tx_to', { op: 'tx_to' }],
    ['$native', { op: 'native' }],
    ['$zero', { op: 'zero' }],
    ['$venue', { op: 'arg', name: 'who', path: [] }],
    ['$leg.in.from', { op: 'leg', role: 'in', end: 'from' }],
    ['positive($delta)', { op: 'positive', of: { op: 'arg', name: 'delta', path: [] } }],
    [
      'first( $who , $order.maker )',
      {
        op: 'first',
        of: [
          { op: 'arg', name: 'who', path: [] },
          { op: 'arg', name: 'order', path: [0] },
        ],
      },
    ],
    [
      'abs(low128($packed))',
      { op: 'abs', of: { op: 'low128', of: { op: 'arg', name: 'packed', path: [] } } },
    ],
    ['17', { op: 'literal', value: '17' }],
    [TOKEN, { op: 'literal', value: TOKEN.toLowerCase() }],
  ])('%s', (text, expr) => {
    expect(compileBind(text, scope('event'))).toMatchObject({ expr });
  });

  it.each([['$target'], ['$caller'], ['$value']])('%s exists for calls', (text) => {
    expect(compileBind(text, scope('call'))).toMatchObject({ expr: { op: text.slice(1) } });
    expect(compileBind(text, scope('event'))).toMatchObject({ code: 'bind_out_of_scope' });
  });

  it.each([
    ['$nobody', 'unknown_param'],
    ['$order.taker', 'unknown_param'],
    ['$who.0', 'unknown_param'],
    ['$emitter.x', 'unknown_param'],
    ['$path.first', 'unknown_param'],
    ['$path.sum', 'bind_type'],
    ['$payouts.sum', 'bind_type'],
    ['$packed.sum', 'unknown_param'],
    ['$grid.sum.sum', 'unknown_param'],
    ['$blob.0', 'bind_type'],
    ['abs($who)', 'bind_type'],
    ['abs($note)', 'bind_type'],
    ['abs($packed, $packed)', 'unknown_bind'],
    ['first($who)', 'unknown_bind'],
    ['eval($who)', 'unknown_bind'],
    ['who', 'unknown_bind'],
    ['', 'unknown_bind'],
    ['$', 'unknown_bind'],
    ['${who}', 'unknown_bind'],
    ['1.5', 'unknown_bind'],
    ['-1', 'unknown_bind'],
    ['$leg.out.from', 'unknown_leg'],
    ['$leg.in.amount', 'unknown_bind'],
    ['$leg', 'unknown_param'],
    ['0x1234', 'bad_address'],
    [TOKEN.toUpperCase().replace('0X', '0x'), 'bad_checksum'],
    [`${'abs('.repeat(12)}$delta${')'.repeat(12)}`, 'unknown_bind'],
    ['$constructor', 'unknown_param'],
    ['$__proto__', 'unknown_param'],
  ])('%s → %s', (text, code) => {
    expect(compileBind(text, scope('event'))).toMatchObject({ code });
  });

  it('tells what a value can be used for', () => {
    const type = (text: string): unknown => (compileBind(text, scope('event')) as { type: unknown }).type;
    expect(type('$who')).toEqual({ account: true, amount: false });
    expect(type('$delta')).toMatchObject({ account: false, amount: true });
    expect(type('$packed')).toMatchObject({ account: true, amount: true });
    expect(type('$small')).toMatchObject({ account: false, amount: true });
    expect(type('$path')).toEqual({ account: false, amount: false });
    expect(type('$path.2')).toEqual({ account: true, amount: false });
  });
});
