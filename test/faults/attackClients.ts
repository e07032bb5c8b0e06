// What clients send that is no request for a report, and the status each must get.
const HASH = `0x${'5c'.repeat(32)}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const valid = JSON.stringify({ tx_hash: HASH });

export interface Abuse {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
  /** The only status that is right. */
  readonly status: number;
}

const BODIES: Readonly<Record<string, string | Buffer>> = {
  empty: '',
  'a space': ' ',
  null: 'null',
  true: 'true',
  'a number': '1',
  'a text': '"x"',
  'a list': '[]',
  'a list of a request': `[${valid}]`,
  'an empty object': '{}',
  'an open object': '{',
  'a trailing comma': `{"tx_hash":"${HASH}",}`,
  'single quotes': `{'tx_hash':'${HASH}'}`,
  'two objects': valid + valid,
  'the key twice': `{"tx_hash":"${HASH}","tx_hash":"${HASH}"}`,
  'the key escaped and plain': `{"tx_hash":"${HASH}","tx\\u005fhash":"${HASH}"}`,
  'a hash of 65 characters': JSON.stringify({ tx_hash: HASH.slice(0, -1) }),
  'a hash of 67 characters': JSON.stringify({ tx_hash: `${HASH}0` }),
  'a hash in upper case': JSON.stringify({ tx_hash: `0x${'5C'.repeat(32)}` }),
  'a hash with 0X': JSON.stringify({ tx_hash: `0X${'5c'.repeat(32)}` }),
  'a hash without 0x': JSON.stringify({ tx_hash: '5c'.repeat(33) }),
  'a hash with a line break': JSON.stringify({ tx_hash: `${HASH}\n` }),
  'a hash with full-width digits': JSON.stringify({ tx_hash: HASH.replace('5', '５') }),
  'a hash that is a number': '{"tx_hash":1}',
  'a hash that is null': '{"tx_hash":null}',
  'a hash in a list': `{"tx_hash":["${HASH}"]}`,
  'a hash in an object': `{"tx_hash":{"x":"${HASH}"}}`,
  'another chain': JSON.stringify({ tx_hash: HASH, chain: 'polygon' }),
  'a chain that is a number': JSON.stringify({ tx_hash: HASH, chain: 1 }),
  'a chain in upper case': JSON.stringify({ tx_hash: HASH, chain: 'ETHEREUM' }),
  'an empty chain': JSON.stringify({ tx_hash: HASH, chain: '' }),
  'a prototype': `{"__proto__":{"tx_hash":"${HASH}"}}`,
  'nested deeply': `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
  'over 16 KiB': `{"tx_hash":"${HASH}","x":"${'x'.repeat(17_000)}"}`,
  'over 1 MiB': 'x'.repeat(1_100_000),
  'a byte order mark alone': '\ufeff',
  'UTF-16': Buffer.from(valid, 'utf16le'),
  'invalid UTF-8': Buffer.concat([Buffer.from('{"tx_hash":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
  NaN: '{"tx_hash":NaN}',
  'a NUL': '\u0000',
};

const TYPES: Readonly<Record<string, string | null>> = {
  none: null,
  'text/plain': 'text/plain',
  'a form': 'application/x-www-form-urlencoded',
  xml: 'application/xml',
  'json with another charset': 'application/json; charset=utf-16',
  json5: 'application/json5',
  'a list of types': 'application/json, text/plain',
  blank: ' ',
};

const UNLISTED = [
  '/',
  '//analyze',
  '/analyze/',
  '/Analyze',
  '/analyze/x',
  '/health/',
  '/HEALTH',
  '/metrics',
  '/ready',
  '/..',
  '/%2e%2e',
  '/analyze%00',
  '/analyze;x',
  '/.env',
  '/favicon.ico',
  '/analyze/../health/',
  `/${'a'.repeat(4_000)}`,
  '/%',
  '/%zz',
];
const VERBS = ['PUT', 'DELETE', 'PATCH', 'GET', 'HEAD', 'PROPFIND', 'SEARCH', 'PURGE'];

/** Every abuse, with its one right status. */
export function abuses(): Abuse[] {
  const post = { method: 'POST', path: '/analyze' } as const;
  const typed = (type: string | null): Record<string, string> =>
    type === null ? {} : { 'content-type': type };
  return [
    ...Object.entries(BODIES).map(([name, body]) => ({
      ...post,
      name: `body: ${name}`,
      headers: JSON_TYPE,
      body,
      status: 400,
    })),
    ...Object.entries(TYPES).map(([name, type]) => ({
      ...post,
      name: `type: ${name}`,
      headers: typed(type),
      body: valid,
      status: 400,
    })),
    ...['gzip', 'br', 'deflate', 'identity, gzip', 'snappy'].map((encoding) => ({
      ...post,
      name: `encoding: ${encoding}`,
      headers: { ...JSON_TYPE, 'content-encoding': encoding },
      body: valid,
      status: 400,
    })),
    ...UNLISTED.flatMap((path) =>
      ['GET', 'POST'].map((method) => ({
        name: `${method} ${path.slice(0, 30)}`,
        method,
        path,
        headers: JSON_TYPE,
        body: method === 'POST' ? valid : null,
        status: 404,
      })),
    ),
    ...VERBS.map((method) => ({
      name: `${method} /analyze`,
      method,
      path: '/analyze',
      headers: {},
      body: null,
      status: 405,
    })),
    ...['PUT', 'DELETE', 'PATCH', 'POST'].map((method) => ({
      name: `${method} /health`,
      method,
      path: '/health',
      headers: {},
      body: null,
      status: 405,
    })),
  ];
}
