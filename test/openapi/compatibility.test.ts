import { readFileSync, readdirSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import {
  CURRENT,
  compareSchemas,
  frozenName,
  isFrozen,
  readSchema,
  versionOf,
  type Schema,
} from '../../scripts/schemaCompatibility.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;
const current = readSchema(CURRENT);
const edited = (edit: (schema: Loose) => void): Schema => {
  const copy = structuredClone(current);
  edit(copy);
  return copy;
};
/** The words of `prices[].method` when schema version 1 was first published. */
const FIRST_METHODS = ['chainlink', 'pool_twap', 'pool_spot', 'erc4626', 'wrapper', 'lp_share', 'http'];
const kinds = (before: Schema, after: Schema) => [
  ...new Set(compareSchemas(before, after).map(({ kind }) => kind)),
];

describe('the promise of schema_version', () => {
  const version = versionOf(current);

  it('holds: nothing clients rely on has changed under the same version', () => {
    expect(
      isFrozen(version),
      `schema_version ${version} has no frozen copy: npx tsx scripts/schemaCompatibility.ts --freeze`,
    ).toBe(true);
    expect(
      compareSchemas(readSchema(frozenName(version)), current).filter(({ kind }) => kind === 'breaking'),
      'undo the change, or raise schema_version',
    ).toEqual([]);
  });

  it('covers what was added since: the frozen copy has it too', () => {
    expect(
      compareSchemas(readSchema(frozenName(version)), current),
      'npx tsx scripts/schemaCompatibility.ts --freeze',
    ).toEqual([]);
  });

  it('names the words that are open, and only those', () => {
    const open = JSON.stringify(current).match(/"#\/\$defs\/OpenWord"/g);
    expect(open).toHaveLength(3);
    expect((current as Loose).$defs.Price.properties.method.$ref).toBe('#/$defs/OpenWord');
    expect((current as Loose).$defs.Engine.properties.trace_dialect.$ref).toBe('#/$defs/OpenWord');
    expect((current as Loose).$defs.Refusal.properties.code.$ref).toBe('#/$defs/OpenWord');
  });

  it('lets clients of the first schema of this version read the reports of today', async () => {
    const first = edited((s) => {
      s.$defs.Price.properties.method = { enum: FIRST_METHODS };
      s.$defs.Engine.properties.trace_dialect = { enum: ['call_tracer', 'parity'] };
    });
    const validate = new Ajv2020({ strict: false, formats: { 'date-time': true, uri: true } }).compile(
      first as object,
    );
    const rulebook = loadRules();
    for (const { name, raw, context } of allRecordings(['test/recordings'])) {
      const report = await analyzeRaw(raw, context, rulebook);
      expect(validate(report), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
    const [report] = (current as Loose).examples;
    expect(report.economics.valuation.prices[0].method).toBe('chainlink');
    expect(validate(report)).toBe(true);
  });

  it('keeps every earlier version', () => {
    const kept = readdirSync(new URL('../../schemas/http/history/', import.meta.url))
      .filter((name) => name.endsWith('.json'))
      .sort();
    expect(kept).toEqual(Array.from({ length: version }, (_, i) => `tx-report.v${i + 1}.schema.json`).sort());
    kept.forEach((_, i) => expect(versionOf(readSchema(frozenName(i + 1)))).toBe(i + 1));
  });

  it('is told in the changelog', () => {
    expect(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')).toContain(
      `\`schema_version\` ${version}`,
    );
  });
});

describe('what is breaking', () => {
  it.each<[string, (schema: Loose) => void]>([
    [
      'a property removed',
      (s) => {
        delete s.$defs.Classification.properties.tags;
      },
    ],
    [
      'a required property removed',
      (s) => {
        delete s.$defs.Chain.properties.name;
        s.$defs.Chain.required = ['id'];
      },
    ],
    [
      'a top-level property removed',
      (s) => {
        delete s.properties.motifs;
        s.required = s.required.filter((key: string) => key !== 'motifs');
      },
    ],
    [
      'a property renamed',
      (s) => {
        s.$defs.Transaction.properties.sender = s.$defs.Transaction.properties.signer;
        delete s.$defs.Transaction.properties.signer;
      },
    ],
    [
      'a required property made optional',
      (s) => {
        s.$defs.Economics.required.pop();
      },
    ],
    [
      'an optional property made required',
      (s) => {
        s.required.push('movements');
      },
    ],
    [
      'a new required property',
      (s) => {
        s.$defs.Chain.properties.currency = { type: 'string' };
        s.$defs.Chain.required.push('currency');
      },
    ],
    [
      'another type',
      (s) => {
        s.$defs.Chain.properties.id = { type: 'string' };
      },
    ],
    [
      'null where there was none',
      (s) => {
        s.$defs.Execution.properties.outcome.type = ['string', 'null'];
      },
    ],
    [
      'null no more',
      (s) => {
        s.$defs.Asset.properties.symbol.type = 'string';
      },
    ],
    [
      'null no more, by reference',
      (s) => {
        s.$defs.Transaction.properties.to = { $ref: '#/$defs/Address' };
      },
    ],
    [
      'a value out of an enum',
      (s) => {
        s.$defs.Confidence.enum.pop();
      },
    ],
    [
      'a value into an enum',
      (s) => {
        s.$defs.Status.enum.push('Refuted');
      },
    ],
    [
      'an open word made an enum',
      (s) => {
        s.$defs.IntentKind.enum = ['Unknown'];
      },
    ],
    [
      'an open word closed again',
      (s) => {
        s.$defs.Engine.properties.trace_dialect = { type: 'string', enum: ['call_tracer', 'parity'] };
      },
    ],
    [
      'a narrower pattern',
      (s) => {
        s.$defs.Address.pattern = '^0x[0-9a-f]{40}$';
      },
    ],
    [
      'a pattern dropped',
      (s) => {
        delete s.$defs.RawInteger.pattern;
      },
    ],
    [
      'a new bound',
      (s) => {
        s.$defs.Execution.properties.gas_used.maximum = 30_000_000;
      },
    ],
    [
      'a bound dropped',
      (s) => {
        delete s.$defs.Classification.properties.fragments.minItems;
      },
    ],
    [
      'longer texts',
      (s) => {
        s.$defs.Asset.properties.symbol.maxLength = 400;
      },
    ],
    [
      'other elements of a list',
      (s) => {
        s.$defs.Economics.properties.warnings.items = { type: 'object' };
      },
    ],
    [
      'a list where there was one',
      (s) => {
        s.$defs.Movement.properties.evidence = { type: 'array', items: { $ref: '#/$defs/Evidence' } };
      },
    ],
    [
      'one alternative fewer',
      (s) => {
        s.$defs.Classification.properties.actor.anyOf.pop();
      },
    ],
    [
      'another condition',
      (s) => {
        s.$defs.DisplayMoney.else.properties.text.const = '-';
      },
    ],
    [
      'a condition dropped',
      (s) => {
        delete s.$defs.RealizedPnl.if;
      },
    ],
    [
      'an exclusion lifted',
      (s) => {
        s.$defs.DisplayMoney.then.properties.reason = true;
      },
    ],
    [
      'a closed object',
      (s) => {
        s.$defs.Chain.additionalProperties = false;
      },
    ],
    [
      'a reference to another definition',
      (s) => {
        s.$defs.InventoryDelta.properties.delta_raw.$ref = '#/$defs/RawAmount';
      },
    ],
    [
      'a change deep inside a shared definition',
      (s) => {
        s.$defs.Evidence.properties.frame_path.items.minimum = 1;
      },
    ],
  ])('%s', (_, edit) => expect(kinds(current, edited(edit))).toContain('breaking'));
});

describe('what is not', () => {
  it.each<[string, (schema: Loose) => void]>([
    [
      'a new optional property',
      (s) => {
        s.$defs.Classification.properties.summary = { type: 'string' };
      },
    ],
    [
      'a new optional top-level object',
      (s) => {
        s.$defs.New = { type: 'object', properties: { x: { type: 'integer' } } };
        s.properties.new = { $ref: '#/$defs/New' };
      },
    ],
  ])('%s is additive', (_, edit) => expect(kinds(current, edited(edit))).toEqual(['additive']));

  it('a closed list made an open word is additive', () => {
    const closed = edited((s) => {
      s.$defs.Price.properties.method = { type: 'string', enum: FIRST_METHODS };
    });
    expect(compareSchemas(closed, current)).toEqual([
      {
        kind: 'additive',
        at: '/economics/valuation/prices/[]/method',
        message: 'a closed list of words is open',
      },
    ]);
  });

  it.each<[string, (schema: Loose) => void]>([
    ['nothing', () => {}],
    [
      'other words',
      (s) => {
        s.description = 'x';
        s.$defs.Status.description = 'y';
        s.$defs.Hash.examples = [];
        s.title = 'Report';
      },
    ],
    [
      'another order of keys, required names and enum values',
      (s) => {
        s.required.reverse();
        s.$defs.Confidence.enum.reverse();
        s.$defs.Chain.properties = Object.fromEntries(Object.entries(s.$defs.Chain.properties).reverse());
      },
    ],
    [
      'a definition renamed',
      (s) => {
        s.$defs.Network = s.$defs.Chain;
        delete s.$defs.Chain;
        s.properties.chain.$ref = '#/$defs/Network';
      },
    ],
    [
      'a definition written out',
      (s) => {
        s.properties.chain = s.$defs.Chain;
      },
    ],
    [
      'a definition nobody uses',
      (s) => {
        s.$defs.Unused = { type: 'string' };
      },
    ],
    [
      'one type as a list of one',
      (s) => {
        s.$defs.Chain.properties.id.type = ['integer'];
      },
    ],
  ])('%s is no change', (_, edit) => expect(compareSchemas(current, edited(edit))).toEqual([]));

  it('tells where, and what', () => {
    expect(
      compareSchemas(
        current,
        edited((s) => {
          s.$defs.Fragment.properties.kind = { type: 'string', enum: ['A'] };
          delete s.$defs.Motif.properties.id;
        }),
      ),
    ).toEqual(
      expect.arrayContaining([
        {
          kind: 'breaking',
          at: '/classification/fragments/[]/kind',
          message: expect.stringContaining('enum: was no such constraint') as string,
        },
        { kind: 'breaking', at: '/motifs/[]/id', message: 'the property is gone' },
      ]),
    );
  });
});
