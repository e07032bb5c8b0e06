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

/**
 * Makes the published request schema the parser of `POST /analyze` bodies: JSON text in, transaction hash out
 * (the accepted chains are one network). Throws `RequestError` 400 with the texts of the interface.
 */
export function createParseRequest(): ParseRequest {
  const validate = schemaCheck<{ tx_hash: Hash }>(REQUEST_SCHEMA);

  return (text) => {
    const body = parseObject(text);
    if (validate(body)) return body.tx_hash;
    throw new RequestError(400, explain(body, validate.errors ?? []));
  };
}

function parseObject(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new RequestError(400, 'malformed request body: not valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RequestError(400, 'malformed request body: not a JSON object');
  const keys = topLevelKeys(text);
  const hostile = keys.find((key) => HOSTILE_KEYS.has(key));
  if (hostile) throw new RequestError(400, `malformed request body: key \`${hostile}\` is not allowed`);
  const repeated = keys.find((key, i) => keys.indexOf(key) !== i);
  if (repeated !== undefined)
    throw new RequestError(400, `malformed request body: key \`${echo(repeated)}\` is repeated`);
  return body as Record<string, unknown>;
}

/** The first thing wrong, hash before chain, in the words of the interface. */
function explain(body: Record<string, unknown>, errors: NonNullable<SchemaCheck<unknown>['errors']>): string {
  const { tx_hash: hash, chain } = body;
  if (hash === undefined) return 'malformed request body: tx_hash is required';
  if (errors.some((error) => error.instancePath === '/tx_hash'))
    return `invalid tx_hash \`${echo(typeof hash === 'string' ? hash : JSON.stringify(hash))}\``;
  if (typeof chain !== 'string') return 'malformed request body: chain must be a string';
  return `unsupported chain \`${echo(chain)}\``;
}

/**
 * Keys of the outermost object of a JSON text, decoded, in order and with repetitions, which `JSON.parse`
 * merges silently. The text must be valid JSON with an object outermost.
 */
function topLevelKeys(json: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  let expectsKey = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i]!;
    if (c === '"') {
      const end = endOfString(json, i);
      if (depth === 1 && expectsKey) keys.push(JSON.parse(json.slice(i, end + 1)) as string);
      expectsKey = false;
      i = end;
    } else if (c === '{' || c === '[') {
      depth++;
      expectsKey = c === '{' && depth === 1;
    } else if (c === '}' || c === ']') depth--;
    else if (c === ',') expectsKey = depth === 1;
  }
  return keys;
}

function endOfString(json: string, start: number): number {
  let i = start + 1;
  while (json[i] !== '"') i += json[i] === '\\' ? 2 : 1;
  return i;
}
