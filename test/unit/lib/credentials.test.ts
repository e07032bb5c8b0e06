import { describe, expect, it } from 'vitest';
import { separateCredentials } from '../../../src/lib/credentials.ts';

describe('credentials of a URL', () => {
  // RFC 7617: base64 of user, colon and password.
  it.each([
    ['https://Aladdin:open%20sesame@node.example/key', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['https://user:p%ss@node.example/key', 'Basic dXNlcjpwJXNz'],
    ['https://user@node.example/key', 'Basic dXNlcjo='],
    ['https://node.example/key', undefined],
  ])('of %s go into a header', (address, header) => {
    const { url, headers } = separateCredentials(address);
    expect(url.href).toBe('https://node.example/key');
    expect(headers['authorization']).toBe(header);
  });
});
