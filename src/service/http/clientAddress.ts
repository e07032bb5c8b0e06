import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/** The client of a request, as far as places are shared out by client. */
export type ClientOf = (request: IncomingMessage) => string;

/** `X-Forwarded-For` counts only as far as trusted proxies wrote it: anybody else could name any address. */
export function createClientOf(trustedProxies: readonly string[]): ClientOf {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => (request.socket.remoteAddress === undefined ? '' : network(proxyAddr(request, trusts)));
}

/** One client has a whole /64 of IPv6. */
function network(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? plain.split('::')[0]!.split(':').slice(0, 4).join(':') : plain;
}
