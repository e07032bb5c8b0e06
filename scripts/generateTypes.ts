import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

const REPORT_SCHEMAS = ['analyze-request', 'error', 'tx-report'];
/** Schemas of the program itself; the others are of what it answers. */
const OF_THE_PROGRAM = new Set(['settings', 'problem']);
const schemaUrl = (name: string) =>
  new URL(`../schemas/${OF_THE_PROGRAM.has(name) ? '' : 'http/'}${name}.schema.json`, import.meta.url);
const FILES = {
  report: new URL('../src/model/generated/report.ts', import.meta.url),
  finding: new URL('../src/model/generated/finding.ts', import.meta.url),
  settings: new URL('../src/model/generated/settings.ts', import.meta.url),
  problem: new URL('../src/model/generated/problem.ts', import.meta.url),
};

const HEADER = `/* Generated from schemas/http/*.schema.json by scripts/generateTypes.ts. Do not edit: change the schema and run it again. */\n`;

/** A described `$ref` would become a type of its own per use; only the reference itself makes one shared type. */
function bareReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bareReferences);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node && typeof node.$ref === 'string') return { $ref: node.$ref };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, bareReferences(value)]));
}

/**
 * TypeScript source of the wire types. Unknown keys are left out of the types on purpose: the published schemas are
 * open for clients, while reports of this service are checked closed.
 */
async function typesOf(schemas: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const name of schemas) {
    const schema: unknown = JSON.parse(await readFile(schemaUrl(name), 'utf8'));
    parts.push(
      await compile(bareReferences(schema) as JSONSchema, name, {
        bannerComment: '',
        additionalProperties: false,
        ignoreMinAndMaxItems: true,
        style: { singleQuote: true, printWidth: 120 },
      }),
    );
  }
  return HEADER + parts.join('');
}

/** The generated files by name. */
export async function generateTypes(): Promise<Readonly<Record<keyof typeof FILES, string>>> {
  return {
    report: (await typesOf(REPORT_SCHEMAS)) + (await knownIntentKinds()),
    finding: await typesOf(['finding']),
    settings: await typesOf(['settings']),
    problem: await typesOf(['problem']),
  };
}

/** The intent kinds of the schema's open list, as a union: `IntentKind` itself stays open. */
async function knownIntentKinds(): Promise<string> {
  const { $defs } = JSON.parse(await readFile(schemaUrl('tx-report'), 'utf8')) as {
    $defs: { IntentKind: { examples: string[] } };
  };
  const lines = $defs.IntentKind.examples.map((kind) => `  | '${kind}'`);
  return `/** Intent kinds of this version of the schema. */\nexport type KnownIntentKind =\n${lines.join('\n')};\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = await generateTypes();
  for (const name of Object.keys(FILES) as (keyof typeof FILES)[]) await writeFile(FILES[name], texts[name]);
}
