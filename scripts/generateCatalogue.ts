import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SETTINGS, shownDefault } from '../src/service/config.ts';
import { ERROR_TEXT } from '../src/lib/errors.ts';
import { ProblemSink, readItems } from '../src/rules/compile/ruleItem.ts';
import { readRuleFiles, type FileKind } from '../src/rules/read/readRuleFiles.ts';
import { readVocabulary } from './readVocabulary.ts';
import { problemMeanings } from '../src/rules/read/problems.ts';
import { FINDING_CAVEATS } from '../src/lib/findingFacts.ts';
import type { RawFinding } from '../src/model/generated/rules.ts';
import { TOOLS } from '../src/tools/mcp/toolList.ts';
import { FACT_VOCABULARY } from '../src/stages/7-intent/facts/registry.ts';
import { packagesOf, withLicences } from './licences.ts';
import * as words from './catalogueWords.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = `${ROOT}rules`;

interface IntentItem {
  readonly slug: string;
  readonly version: number;
  readonly status: string;
  readonly summary?: string;
  readonly intent: string;
  readonly proof: string;
}
interface ProtocolItem {
  readonly slug: string;
  readonly version: number;
  readonly status: string;
  readonly name: string;
  readonly addresses?: readonly string[];
  readonly create2?: unknown;
  readonly created_by?: readonly unknown[];
  readonly registries?: readonly unknown[];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text: string): string => `\`${text}\``;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');
}

const wordTable = (head: string, list: Readonly<Record<string, string>>): string =>
  table(
    [head, 'Meaning'],
    Object.entries(list).map(([word, meaning]) => [code(word), meaning]),
  );

/** A table of exactly the words a place in the report schema allows, or lists as known. Throws when they differ. */
function closedTable(head: string, list: Readonly<Record<string, string>>, pointer: string): string {
  const schema = JSON.parse(readFileSync(`${ROOT}schemas/http/tx-report.schema.json`, 'utf8')) as {
    $defs: Record<string, unknown>;
  };
  const node = pointer
    .split('/')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], schema.$defs) as {
    enum?: string[];
    examples?: string[];
  };
  const words = node.enum ?? node.examples ?? [];
  const missing = words.filter((word) => !(word in list));
  const stale = Object.keys(list).filter((word) => !words.includes(word));
  if (missing.length + stale.length > 0)
    throw new Error(
      `scripts/catalogueWords.ts and the schema's ${pointer} differ: missing ${missing.join(', ') || 'none'}, stale ${stale.join(', ') || 'none'}`,
    );
  return wordTable(head, Object.fromEntries(words.map((word) => [word, list[word]!])));
}

function ruleItems<T>(kind: FileKind): T[] {
  const { files } = readRuleFiles([RULES]);
  const sink = new ProblemSink();
  return readItems(
    files.filter((file) => file.kind === kind),
    sink,
  ).map((item) => item.value as T);
}

function intentTable(): string {
  const { intentKinds } = readVocabulary([RULES]);
  const rules = ruleItems<IntentItem>('intent').filter((rule) => rule.status !== 'deprecated');
  return table(
    ['Intent', 'Category', 'Where', 'Rules'],
    [...intentKinds.values()]
      .sort((a, b) => a.rank - b.rank)
      .map(({ kind, category, headline }) => [
        code(kind),
        category,
        headline ? 'headline, part' : 'part',
        rules
          .filter((rule) => rule.intent === kind)
          .map(
            (rule) =>
              `${code(rule.slug)} v${rule.version}${rule.proof === 'heuristic' || rule.status === 'experimental' ? ', never Proven' : ''}${rule.summary ? `: ${rule.summary}` : ''}`,
          )
          .join('<br>') || (headline ? 'the fallback' : 'its motif'),
      ]),
  );
}

function motifTable(): string {
  return table(
    ['Motif', 'What it is', 'Part of a verdict as', 'Position'],
    [...readVocabulary([RULES]).motifKinds].map(([kind, spec]) => [
      code(kind),
      spec.title,
      spec.fragment ? code(spec.fragment) : '—',
      spec.position ? `${spec.position.category} ${spec.position.effect}` : '—',
    ]),
  );
}

function protocolTable(): string {
  const protocols = ruleItems<ProtocolItem>('protocol')
    .filter((one) => one.status !== 'deprecated')
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
  return table(
    ['Protocol', 'Name', 'Recognised by'],
    protocols.map(({ slug, version, status, name, addresses = [], create2, created_by, registries }) => [
      `${code(slug)} v${version}`,
      name,
      [
        ...(addresses.length > 0 ? [`${addresses.length} address${addresses.length === 1 ? '' : 'es'}`] : []),
        ...(create2 ? ['its factory (CREATE2)'] : []),
        ...(created_by ? [`${created_by.length} deployers`] : []),
        ...(registries ? [`${registries.length} registries`] : []),
        ...(status === 'stable' ? [] : [status]),
      ].join(', ') || 'behaviour',
    ]),
  );
}

interface Calibration {
  readonly answers: number;
  readonly right: number;
  readonly unseen: number;
  readonly unseenRight: number;
  readonly confidence: Readonly<Record<string, number>>;
}

/** How often each rule was right, from the figures that `npm run calibrate` wrote. */
function calibrationTable(): string {
  const rows = JSON.parse(readFileSync(`${ROOT}docs/calibration.json`, 'utf8')) as Record<
    string,
    Calibration
  >;
  const share = (right: number, of: number): string =>
    of === 0 ? '—' : `${right}/${of} = ${((100 * right) / of).toFixed(0)} %`;
  return table(
    ['Rule', 'Right', 'Right without its protocols', 'Confidence given'],
    Object.entries(rows).map(([slug, { answers, right, unseen, unseenRight, confidence }]) => [
      code(slug),
      share(right, answers),
      share(unseenRight, unseen),
      Object.entries(confidence)
        .filter(([, count]) => count > 0)
        .map(([level, count]) => `${level} ${count}`)
        .join(', '),
    ]),
  );
}

/** Every word a report, a rule or an error may use, a section for each kind. */
function catalogueText(): string {
  const errors = Object.keys(ERROR_TEXT);
  const differ = [
    ...errors.filter((one) => !(one in words.ERRORS)),
    ...Object.keys(words.ERRORS).filter((one) => !(one in ERROR_TEXT)),
  ];
  if (differ.length > 0)
    throw new Error(`scripts/catalogueWords.ts and src/lib/errors.ts differ: ${differ.join(', ')}`);
  return `## Intents

\`classification.intent_kind\` and \`fragments[].kind\`, best first: when rules of several kinds match, the one higher in this list is
the headline. The list is open, your own rules may add to it.

${intentTable()}

## Motifs

\`motifs[].kind\`: what was found at a venue or an account. Open as well.

${motifTable()}

## Facts

What rules ask. None is an amount. The facts of every motif kind, operators and bind words are in [rules/FACTS.md](../../rules/FACTS.md).

${table(
  ['Fact', 'Type', 'Meaning'],
  FACT_VOCABULARY.facts.map((fact) => [
    code(fact.name),
    `${fact.type}${fact.values ? `: ${fact.values.join(', ')}` : ''}`,
    fact.doc,
  ]),
)}

## Protocols

\`protocol.slug\` of motifs and position effects. A fork that is not listed is recognised by its behaviour, with lower confidence.

${protocolTable()}

## Calibration

How often each rule was right on labelled mainnet recordings: with all rules, and where the rules did not know the protocols of the
transaction (their files, their shapes, and the events and calls they used). Measured by \`npm run calibrate\`.

${calibrationTable()}

## Failures

Status 502, \`analysis failed: <text>\`, with a detail after a colon where there is one. \`batch\` writes the code into its errors file,
metrics count by it, and the log names it. The texts of status 400 are in [openapi.yaml](../../schemas/openapi.yaml).

${table(
  ['Code', 'Text', 'Cause', 'What to do'],
  errors.map((one) => [code(one), ERROR_TEXT[one as keyof typeof ERROR_TEXT], ...words.ERRORS[one]!]),
)}

## Caveats

\`classification.caveats[].code\`: why a headline is not Proven, or not of High confidence; open.

${wordTable('Code', words.CAVEATS)}

## Warnings

\`economics.warnings\`, open:

${wordTable('Code', words.WARNINGS)}

## Valuation

\`valuation.refusals[].code\`: why an asset has no price.

${closedTable('Code', words.REFUSALS, 'Refusal/properties/code')}

\`valuation.prices[].method\`: where a price comes from.

${closedTable('Method', words.PRICE_METHODS, 'Price/properties/method')}

\`realized_pnl.reason\`: why no profit or loss is given.

${wordTable('Reason', words.PNL_REASONS)}

## Attribution

\`attribution.mode\`: how the actor acted.

${closedTable('Mode', words.MODES, 'Attribution/properties/mode')}

\`attribution.submitter_role\`: who brought the transaction on chain.

${closedTable('Role', words.SUBMITTERS, 'Attribution/properties/submitter_role')}

\`attribution.candidates[].reasons\`: why an account could be the actor; open.

${wordTable('Reason', words.CANDIDATE_REASONS)}

\`attribution.candidates[].rejected_because\`: why it is not; open.

${wordTable('Reason', words.REJECTIONS)}

## Inventory

\`inventory_deltas[].subject_role\`:

${closedTable('Role', words.SUBJECT_ROLES, 'InventoryDelta/properties/subject_role')}

\`inventory_deltas[].flags\`, open:

${wordTable('Flag', words.FLAGS)}

## Proof

\`motifs[].invariants[].name\`: what a machine checked; open. A motif is Proven only when all of its own hold.

${wordTable('Invariant', words.INVARIANTS)}

\`evidence[].kind\`:

${closedTable('Kind', words.EVIDENCE, 'Evidence/properties/kind')}

## Findings

\`finding\`: what several transactions of one block show together, in \`txreport block --json\` and \`batch --blocks --findings\`;
described by [finding.schema.json](../../schemas/http/finding.schema.json). Open: rules in [rules/findings](../../rules/findings) add words.

${table(
  ['Finding', 'Rule', 'What it is', 'Steps'],
  ruleItems<RawFinding>('finding').map((one) => [
    code(one.finding),
    code(one.slug),
    one.summary,
    (one.steps ?? []).map(({ name }) => code(name)).join(', '),
  ]),
)}

\`amounts[].role\`:

${wordTable('Role', words.FINDING_AMOUNTS)}

\`caveats[].code\`: the fact whose test failed, so that it is Suspected.

${wordTable('Code', FINDING_CAVEATS)}

## Problems of rule files

\`txreport rules lint\`:

${wordTable('Code', problemMeanings())}
`;
}

/** Sections that share a page; every other has its own. */
const CODES = ['Failures', 'Caveats', 'Warnings', 'Valuation', 'Attribution', 'Inventory', 'Proof'];
const GENERATED = 'Generated by `npm run generate` from the rules, the schemas and the code: do not edit.';

/** The pages of the catalogue by path below `docs`, `catalogue.md` their index. */
export function generateCatalogue(): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  const entries = new Map<string, string[]>();
  for (const section of catalogueText().split(/^(?=## )/m)) {
    const title = /^## (.*)$/m.exec(section)![1]!;
    const name = CODES.includes(title) ? 'Codes' : title;
    const path = `catalogue/${name.toLowerCase().replaceAll(' ', '-')}.md`;
    const head = `# ${name}\n\n[Catalogue](../catalogue.md). ${GENERATED}\n\n`;
    const body = name === title ? section.replace(/^## .*\n\n/, '') : section;
    pages.set(path, `${pages.get(path) ?? head}${body}`);
    const link = name === title ? path : `${path}#${title.toLowerCase()}`;
    entries.set(path, [...(entries.get(path) ?? []), `[${title}](${link})`]);
  }
  const index = `# Catalogue\n\nEvery word a report, a rule or an error may use. ${GENERATED}\n\n`;
  pages.set(
    'catalogue.md',
    `${index}${[...entries.values()].map((list) => `- ${list.join(' · ')}`).join('\n')}\n`,
  );
  return new Map([...pages].map(([path, text]) => [path, `${text.trimEnd()}\n`]));
}

/** Tables of the operators' page, by name: settings and MCP tools as the code has them. */
const TABLES: Readonly<Record<string, () => string>> = {
  settings: () =>
    table(
      ['Variable', 'Default', 'Meaning'],
      Object.values(SETTINGS).map((one) => [code(one.env), code(shownDefault(one)), one.description]),
    ),
  tools: () =>
    table(
      ['Tool', 'Answers'],
      Object.entries(TOOLS).map(([name, answer]) => [code(name), answer]),
    ),
};

/** `docs/operator.md` with its tables written anew. */
export function withTables(text: string): string {
  return Object.entries(TABLES).reduce((page, [name, rows]) => {
    const place = new RegExp(
      `(<!-- ${name}: generated by npm run generate -->\\n)[^]*?(?=<!-- end of ${name} -->)`,
    );
    if (!place.test(page)) throw new Error(`docs/operator.md has no place for its ${name}`);
    return page.replace(place, (_, begin: string) => `${begin}${rows()}\n`);
  }, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(`${ROOT}docs/catalogue`, { recursive: true });
  for (const [path, text] of generateCatalogue()) writeFileSync(`${ROOT}docs/${path}`, text);
  const page = 'docs/operator.md';
  writeFileSync(`${ROOT}${page}`, withTables(readFileSync(`${ROOT}${page}`, 'utf8')));
  const security = `${ROOT}docs/security.md`;
  writeFileSync(security, withLicences(readFileSync(security, 'utf8'), packagesOf(ROOT)));
}
