import { UpstreamFault } from './upstreamFault.ts';

/**
 * Bodies up to this size cannot hold enough values to matter; the scan below costs less than parsing a larger
 * one.
 */
const SCAN_FROM = 262_144;
/** The EVM nests 1,024 calls, each an object inside an array; the rest is the envelope. */
const MAX_DEPTH = 2_200;
/** Values of the largest body: real traces have more than 20 bytes per value, `[[],[],…]` has three. */
const MAX_VALUES = 4_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * A body as a JSON value; undefined where it is not JSON. Throws `upstream_malformed` for a body that nests
 * deeper or holds more values than any trace: parsing it would take many times its size in memory.
 */
export function readJson(body: Buffer): unknown {
  if (body.length > SCAN_FROM) requireBounds(body);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function requireBounds(body: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      at = endOfString(body, at);
    } else if (byte === COMMA) {
      values++;
    } else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > MAX_DEPTH) throw new UpstreamFault('upstream_malformed', 'again', 'nested too deeply');
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    }
    if (values > MAX_VALUES) throw new UpstreamFault('upstream_malformed', 'again', 'too many values');
  }
}

/** Position of the closing quote, found by the engine's search: most of a trace is hex strings. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (body[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return body.length;
}
