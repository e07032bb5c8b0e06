import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, type Node } from 'yaml';
import type { ProblemCode } from './problems.ts';

export type Tree = string | number | boolean | readonly Tree[] | { readonly [key: string]: Tree };

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A parsed file: its values, their positions, and YAML's own errors. */
export interface YamlTree {
  readonly tree: Tree | null;
  /** Place of the value (or of its key) at a JSON pointer; of its nearest known parent when there is none. */
  readonly locate: (pointer: string, part?: 'key' | 'value') => Place;
  readonly faults: readonly { readonly code: ProblemCode; readonly message: string; readonly place: Place }[];
}

const MAX_DEPTH = 40;
/** Of one file; a broken file can otherwise complain once per character. */
const MAX_FAULTS = 50;
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const HEX = /^-?0x[0-9a-fA-F]*$/;

/** One segment of a JSON pointer (RFC 6901). */
export function pointerSegment(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Reads YAML with the failsafe schema, so that nothing becomes a number behind the author's back. Unquoted
 * decimal integers and `true`/`false` are converted here; every other scalar stays the text that was
 * written.
 */
export function parseYamlTree(text: string): YamlTree {
  const lines = new LineCounter();
  const keys = new Map<string, number>();
  const values = new Map<string, number>();
  const faults: { code: ProblemCode; message: string; place: Place }[] = [];
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const fault = (code: ProblemCode, message: string, offset: number): void => {
    faults.push({ code, message, place: placeOf(offset) });
  };

  const convertScalar = (node: Node, offset: number): Tree => {
    const value = isScalar(node) ? String(node.value ?? '') : '';
    if (!isScalar(node) || node.type !== 'PLAIN') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    if (HEX.test(value)) fault('unquoted_hex', `write "${value.slice(0, 80)}" with quotes`, offset);
    if (!INTEGER.test(value)) return value;
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    fault('unsafe_number', `${value.slice(0, 80)} is too large for a number: quote it`, offset);
    return value;
  };

  const convert = (node: unknown, pointer: string, depth: number, fallback: number): Tree => {
    const offset = offsetOf(node, fallback);
    values.set(pointer, offset);
    const isTooDeep = depth > MAX_DEPTH;
    if (isTooDeep) fault('too_deep', `more than ${MAX_DEPTH} levels`, offset);
    else if (isAlias(node)) fault('yaml_alias', `alias *${node.source}`, offset);
    if (isTooDeep || isAlias(node)) return '';
    const { anchor, tag } = (node ?? {}) as { anchor?: string; tag?: string };
    if (anchor) fault('yaml_alias', `anchor &${anchor}`, offset);
    if (tag) fault('yaml_tag', `tag ${tag}`, offset);
    if (isSeq(node)) return node.items.map((item, i) => convert(item, `${pointer}/${i}`, depth + 1, offset));
    if (!isMap(node)) return convertScalar(node as Node, offset);
    const out: Record<string, Tree> = {};
    for (const pair of node.items) {
      const keyOffset = offsetOf(pair.key, offset);
      const key = keyOf(pair.key, out, keyOffset);
      if (key === null) continue;
      const child = pointer + pointerSegment(key);
      keys.set(child, keyOffset);
      out[key] = convert(pair.value, child, depth + 1, keyOffset);
    }
    return out;
  };

  /** Null, and a fault, for a key that cannot be taken. */
  const keyOf = (node: unknown, taken: object, offset: number): string | null => {
    const key = isScalar(node) ? String(node.value ?? '') : '';
    if (!isScalar(node)) fault('broken_yaml', 'a key must be plain text', offset);
    else if (key === '<<') fault('yaml_alias', 'merge key <<', offset);
    else if (RESERVED.has(key)) fault('reserved_key', key, offset);
    // The parser's own check for this compares every pair of keys.
    else if (Object.hasOwn(taken, key)) fault('duplicate_key', key.slice(0, 80), offset);
    else return key;
    return null;
  };

  let tree: Tree | null = null;
  try {
    const doc = parseDocument(text, {
      schema: 'failsafe',
      lineCounter: lines,
      uniqueKeys: false,
      merge: false,
      prettyErrors: false,
    });
    // After a tab the parser sees mistakes that are none.
    const tabs = doc.errors.filter(({ code }) => code === 'TAB_AS_INDENT');
    for (const error of (tabs.length > 0 ? tabs : doc.errors).slice(0, MAX_FAULTS))
      fault(codeOf(error.code, error.message), messageOf(error), error.pos[0]);
    if (doc.contents === null && doc.errors.length === 0) fault('empty_file', 'nothing in it', 0);
    else if (doc.contents !== null) tree = convert(doc.contents, '', 0, 0);
  } catch (error) {
    // The parser recurses: hostile nesting ends as a RangeError, here rather than in the process.
    fault(
      error instanceof RangeError ? 'too_deep' : 'broken_yaml',
      error instanceof Error ? error.message : 'unreadable',
      0,
    );
    tree = null;
  }
  const locate = (pointer: string, part: 'key' | 'value' = 'value'): Place => {
    const first = part === 'key' ? keys : values;
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const offset = (at === pointer ? first.get(at) : undefined) ?? values.get(at) ?? keys.get(at);
      if (offset !== undefined) return placeOf(offset);
      if (at === '') return { line: 1, column: 1 };
    }
  };
  // Values of a tree that YAML itself objects to are not trusted any further.
  return { tree: faults.some((f) => FATAL.has(f.code)) ? null : tree, locate, faults };
}

function offsetOf(node: unknown, otherwise: number): number {
  return (node as Node | null)?.range?.[0] ?? otherwise;
}

const FATAL: ReadonlySet<ProblemCode> = new Set([
  'broken_yaml',
  'tab_indent',
  'duplicate_key',
  'too_deep',
  'yaml_alias',
  'reserved_key',
]);

function messageOf({ code, message }: { readonly code: string; readonly message: string }): string {
  return code === 'MULTIPLE_DOCS'
    ? 'a file is one document: remove ---, and write several items as a list'
    : message.split('\n')[0]!;
}

function codeOf(code: string, message: string): ProblemCode {
  if (code === 'TAB_AS_INDENT') return 'tab_indent';
  if (code === 'TAG_RESOLVE_FAILED') return 'yaml_tag';
  if (code === 'BAD_ALIAS') return 'yaml_alias';
  return /stack|depth/i.test(message) ? 'too_deep' : 'broken_yaml';
}
