import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { generateRuleTypes } from '../../../scripts/generateRuleTypes.ts';
import { generateTypes } from '../../../scripts/generateTypes.ts';
import { closeSchema } from '../../../src/lib/jsonSchema.ts';

const NAMES = ['analyze-request', 'error', 'tx-report'] as const;
type Node = { readonly [key: string]: unknown };
const read = (name: string): Node =>
  JSON.parse(readFileSync(new URL(`../../../schemas/http/${name}.schema.json`, import.meta.url), 'utf8'));
const strict = () => new Ajv2020({ strict: true, allowUnionTypes: true });

/** Every schema node that describes a value, with its JSON pointer. */
function* nodes(schema: unknown, pointer = '#'): Generator<readonly [string, Node]> {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as Node;
  yield [pointer, node];
  for (const key of ['properties', '$defs'] as const)
    for (const [name, inner] of Object.entries((node[key] ?? {}) as Node))
      yield* nodes(inner, `${pointer}/${key}/${name}`);
  if (node['items']) yield* nodes(node['items'], `${pointer}/items`);
}

describe.each(NAMES)('%s.schema.json', (name) => {
  const schema = read(name);

  it('is a strict 2020-12 schema with id, title and description', () => {
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema['$id']).toBe(`https://txreport.dev/schemas/${name}.schema.json`);
    expect(schema['title']).toMatch(/^[A-Z]\w+$/);
    expect(() => strict().compile(schema)).not.toThrow();
    expect(() => strict().compile(closeSchema(schema) as object)).not.toThrow();
  });

  it('describes every key and every definition', () => {
    const silent = [...nodes(schema)].filter(
      ([pointer, node]) =>
        /\/(properties|\$defs)\/[^/]+$/.test(pointer) && typeof node['description'] !== 'string',
    );
    expect(silent.map(([pointer]) => pointer)).toEqual([]);
  });

  it('requires only keys it describes, and stays open to clients', () => {
    for (const [pointer, node] of nodes(schema)) {
      expect(node, pointer).not.toHaveProperty('additionalProperties');
      if (Array.isArray(node['required']))
        expect(Object.keys(node['properties'] as Node), pointer).toEqual(
          expect.arrayContaining(node['required']),
        );
    }
  });

  it('gives examples that hold', () => {
    const ajv = strict();
    ajv.addSchema(closeSchema(schema) as object);
    let checked = 0;
    for (const [pointer, node] of nodes(schema)) {
      for (const example of (node['examples'] ?? []) as unknown[]) {
        const validate = ajv.getSchema(`${schema['$id']}${pointer}`)!;
        expect(validate(example), `${pointer}: ${JSON.stringify(validate.errors)}`).toBe(true);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(0);
  });
});

describe('analyze-request.schema.json', () => {
  const validate = strict().compile(read('analyze-request'));
  const hash = `0x${'ab'.repeat(32)}`;
  it.each([[{ tx_hash: hash }], [{ tx_hash: hash, chain: '1', more: true }]])('takes %j', (body) =>
    expect(validate(body)).toBe(true),
  );
  it.each([
    [{}],
    [{ tx_hash: hash.toUpperCase() }],
    [{ tx_hash: `${hash}0` }],
    [{ tx_hash: hash, chain: 'base' }],
    [{ tx_hash: hash, chain: 1 }],
    [[]],
  ])('refuses %j', (body) => expect(validate(body)).toBe(false));
});

describe('money in tx-report.schema.json', () => {
  const validate = strict().compile({ ...((read('tx-report')['$defs'] as Node)['DisplayMoney'] as object) });
  it.each([
    [{ text: '$0.00', available: true }],
    [{ text: '$-12.34', available: true }],
    [{ text: '$0.0042', available: true }],
    [{ text: '\u2014', available: false, reason: 'x' }],
  ])('takes %j', (money) => expect(validate(money)).toBe(true));
  it.each([
    [{ text: '-$1.00', available: true }],
    [{ text: '$1', available: true }],
    [{ text: '$1,000.00', available: true }],
    [{ text: '\u2014', available: true }],
    [{ text: '-', available: false, reason: 'x' }],
    [{ text: '$1.00', available: false, reason: 'x' }],
    [{ text: '\u2014', available: false }],
    [{ text: '$1.00', available: true, reason: 'x' }],
  ])('refuses %j', (money) => expect(validate(money)).toBe(false));
});

describe('types generated from the schemas', () => {
  const written = (name: string): string =>
    readFileSync(new URL(`../../../src/model/generated/${name}.ts`, import.meta.url), 'utf8');

  it('are those written for reports, findings and settings (run `npm run generate`)', async () => {
    for (const [name, text] of Object.entries(await generateTypes())) expect(written(name)).toBe(text);
  });

  it('are those written for rules (run `npm run generate`)', () => {
    expect(written('rules')).toBe(generateRuleTypes());
  });
});
