import { expect, it } from 'vitest';
import { accountNames } from '../../../src/stages/9-report/writeAttribution.ts';
import { isoTime } from '../../../src/stages/9-report/writeTransaction.ts';
import type { Address } from '../../../src/model/hex.ts';
import { account, rawContext, rulebook, valueFlow } from '../../support/builders.ts';

it('takes a name from the rules before the address book, and from there before the token', () => {
  const [known, listed, token] = [account('a1'), account('a2'), account('a3')];
  const nameOf = accountNames({
    rulebook: {
      ...rulebook({ entities: { [known]: ['router'] } }),
      addressBook: { text: `${known} exchange Not this\n${listed} exchange Binance 14\n` },
    },
    context: rawContext({
      tokens: [listed, token].map((address) => ({ address, symbol: 'T', name: 'Tok\u202een', decimals: 0 })),
    }),
    flow: valueFlow([]),
    motifs: [],
  });
  expect(nameOf(known)).toEqual({ name: 'X', kind: 'router', source: 'rules' });
  expect(nameOf(listed)).toEqual({ name: 'Binance 14', kind: 'exchange', source: 'address_book' });
  expect(nameOf(token)).toEqual({ name: 'Token', kind: 'token', source: 'contract' });
  expect(nameOf(account('a4') as Address)).toBeNull();
});

it('writes times no calendar holds as null', () => {
  expect(isoTime(1_588_598_533n)).toBe('2020-05-04T13:22:13Z');
  expect(isoTime(1n << 48n)).toBeNull();
});
