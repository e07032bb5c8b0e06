import { jsonKeys, parseJson } from '../../lib/json.ts';
import { isRecord } from '../../lib/shape.ts';
import { schemaCheck, type SchemaCheck, type SchemaSource } from '../../lib/jsonSchema.ts';
import { RequestError, echo } from './errorResponse.ts';
import type { Hash } from '../../model/hex.ts';

export type ParseRequest = (text: string) => Hash;

/** Keys that mean something to JavaScript objects rather than to this service. */
const HOSTILE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The published schema of request bodies. */
export const REQUEST_SCHEMA: SchemaSource = {
  name: 'analyze-request',
  file: new URL('../../../schemas/http/analyze-request.schema.json', import.meta.url),
};

/** The parser of `POST /analyze` bodies by the published schema. Throws `RequestError` 400. */
export function createParseRequest(): ParseRequest {
  const validate = schemaCheck<{ tx_hash: Hash }>(REQUEST_SCHEMA);

  return (text) => {
    const body = parseObject(text);
    if (validate(body)) return body.tx_hash;
    throw new RequestError(400, explain(body, validate.errors ?? []));
  };
}

function parseObject(text: string): Record<string, unknown> {
  const body = parseJson(text);
  if (body === undefined) throw new RequestError(400, 'malformed request body: not valid JSON');
  if (!isRecord(body)) throw new RequestError(400, 'malformed request body: not a JSON object');
  const keys = [...jsonKeys(text)].filter(({ depth }) => depth === 1);
  const hostile = keys.find(({ key }) => HOSTILE_KEYS.has(key))?.key;
  if (hostile) throw new RequestError(400, `malformed request body: key \`${hostile}\` is not allowed`);
  const again = keys.find(({ repeated }) => repeated)?.key;
  if (again !== undefined)
    throw new RequestError(400, `malformed request body: key \`${echo(again)}\` is repeated`);
  return body;
}

/** The first thing wrong, hash before chain, in the words of the interface. */
function explain(body: Record<string, unknown>, errors: NonNullable<SchemaCheck<unknown>['errors']>): string {
  const { tx_hash: hash, chain } = body;
  if (hash === undefined) return 'malformed request body: tx_hash is required';
  if (errors.some((error) => error.instancePath === '/tx_hash'))
    return `invalid tx_hash \`${echo(written(hash))}\`${fault(hash)}`;
  if (typeof chain !== 'string') return 'malformed request body: chain must be a string';
  return `unsupported chain \`${echo(chain)}\``;
}

const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The fault of a hash by the interface's own rule: 66 characters, 0x and 64 lower-case digits. */
function fault(hash: unknown): string {
  if (typeof hash !== 'string') return ', not a string';
  if (/^0x[\da-f]{40}$/i.test(hash)) return ', an address';
  if (hash.length !== 66) return `, ${hash.length} character${hash.length === 1 ? '' : 's'}, expected 66`;
  if (/^0x[\da-f]{64}$/i.test(hash)) return ', upper case, expected lower case';
  return ', not 0x and 64 hexadecimal digits';
}
