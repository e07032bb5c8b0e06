import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/service/config.ts';
import { createClientOf } from '../../../src/service/http/clientAddress.ts';

const request = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as never;

it.each([
  ['no header', [], '9.9.9.9', undefined, '9.9.9.9'],
  ['a header of a stranger', [], '9.9.9.9', '1.1.1.1', '9.9.9.9'],
  ['a header of a trusted proxy', ['10.0.0.0/8'], '::ffff:10.1.2.3', '1.1.1.1', '1.1.1.1'],
  ['what a client made up before the proxy', ['10.0.0.0/8'], '10.1.2.3', '7.7.7.7, 1.1.1.1', '1.1.1.1'],
  ['two proxies', ['loopback', '10.1.2.3'], '127.0.0.1', '7.7.7.7, 1.1.1.1, 10.1.2.3', '1.1.1.1'],
  ['IPv6, by its /64', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
  ['a connection that is gone', ['10.0.0.0/8'], undefined, '1.1.1.1', ''],
])('the client by %s', (_, trusted, peer, forwarded, client) => {
  expect(createClientOf(trusted)(request(peer, forwarded))).toBe(client);
});

it('TRUSTED_PROXIES that are no addresses are refused', () => {
  expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, proxy.internal' })).toThrow(
    'TRUSTED_PROXIES must be IP',
  );
});
