import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRowSchema } from '../../scripts/generateRowSchema.ts';
import type { FakeNode } from '../support/fakeNode.ts';
import { HASH_OF, RECORDINGS, startRecordedNode } from './recordedNode.ts';
import { runCli } from './runCli.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const HASH = HASH_OF['swap-v2-eth-usdc']!;
const BLOCK = Number(RECORDINGS.find(({ hash }) => hash === HASH)!.rpc.block.number);
const LINES = [
  HASH,
  `${HASH},a key, with a comma`,
  `"${HASH}";"quoted"`,
  `${HASH}\u2028k`,
  `${BLOCK} the block`,
  '999999999',
  `0x${'1'.repeat(64)}\tunknown`,
  'poison',
  '# no comment here',
  '',
];

let node: FakeNode;
beforeAll(async () => {
  node = await startRecordedNode();
});
afterAll(() => node.close());

interface Row {
  readonly key: string;
  readonly tx_hash?: string;
  readonly block?: number;
  readonly report?: { readonly tx: { readonly hash: string } };
  readonly reports?: readonly { readonly tx: { readonly hash: string } }[];
  readonly tables?: Readonly<Record<string, readonly object[]>>;
  readonly error?: { readonly code: string; readonly retryable: boolean };
}

async function rowsOf(format: string, rpcUrl: string): Promise<readonly Row[]> {
  const input = `${LINES.join('\n')}\n`;
  const run = await runCli(['batch', '--rows', '--format', format], {
    input,
    env: { RPC_URL: rpcUrl, RPC_RETRIES: '0' },
  });
  expect([run.code, run.err]).toEqual([0, '']);
  return run.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

describe('batch --rows', () => {
  const fits = new Ajv2020({ strict: false, validateFormats: false })
    .addSchema(JSON.parse(read('schemas/http/tx-report.schema.json')) as object, 'http/tx-report.schema.json')
    .compile(JSON.parse(read('schemas/batch-row.schema.json')) as object);

  it.each(['ndjson', 'tables'])('as %s has one row per line, with its key', async (format) => {
    const rows = await rowsOf(format, node.url);
    for (const row of rows) expect(fits(row), JSON.stringify(fits.errors)).toBe(true);
    expect(rows.map(({ key }) => key).sort()).toEqual(
      [
        HASH,
        'a key, with a comma',
        '"quoted"',
        'k',
        'the block',
        '999999999',
        'unknown',
        'poison',
        'no comment here',
        '',
      ].sort(),
    );
    const of = (key: string): Row => rows.find((row) => row.key === key)!;
    expect(of('999999999').error).toMatchObject({ code: 'block_not_found', retryable: false });
    expect(of('unknown').error).toMatchObject({ code: 'transaction_not_found', retryable: false });
    for (const key of ['poison', 'no comment here', ''])
      expect(of(key).error).toMatchObject({ code: 'invalid_input', retryable: false });
    const block = of('the block');
    expect(block.block).toBe(BLOCK);
    if (format === 'ndjson') {
      expect(of(HASH).report!.tx.hash).toBe(HASH);
      expect(block.reports!.map(({ tx }) => tx.hash)).toEqual([HASH]);
    } else {
      expect(block.tables!['transactions']).toMatchObject([{ tx_hash: HASH, block_number: BLOCK }]);
      expect(of(HASH).tables!['deltas']).toEqual(block.tables!['deltas']);
    }
  });

  it('ends with 0 where the node is gone: such rows are worth asking again', async () => {
    const rows = await rowsOf('ndjson', 'http://127.0.0.1:1');
    expect(rows.map(({ error }) => error?.code).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'invalid_input'),
      ...Array.from({ length: 7 }, () => 'upstream_unreachable'),
    ]);
    expect(rows.filter(({ error }) => error!.retryable)).toHaveLength(7);
  });

  it('has a schema and a layout for Spark made from the tables', () => {
    const { schema, ddl } = generateRowSchema();
    expect(JSON.parse(read('schemas/batch-row.schema.json'))).toEqual(JSON.parse(schema));
    expect(read('deploy/spark/rows.ddl')).toBe(ddl);
  });
});
