import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ProblemSink, readItems } from '../src/rules/compile/ruleItem.ts';
import { compileProtocols, creationKey } from '../src/rules/compile/compileProtocols.ts';
import { indexOfRow } from '../src/rules/creations.ts';
import { readRuleFiles } from '../src/rules/read/readRuleFiles.ts';
import type { RuleItem } from '../src/rules/compile/ruleItem.ts';
import type { RawProtocol } from '../src/model/generated/rules.ts';

const RULES = fileURLToPath(new URL('../rules', import.meta.url));

/** `rules/created/addresses.txt`: where contracts of `created_by` rows are looked up. */
export function generateCreations(): string {
  const files = readRuleFiles([RULES]).files.filter(({ kind }) => kind === 'protocol');
  const items = readItems(files, new ProblemSink()) as RuleItem<RawProtocol>[];
  const none = { motifKinds: new Map(), knownShapes: new Set<string>(), indexes: new Map() };
  const { protocols } = compileProtocols(items, [], none);
  const lines = protocols
    .flatMap(({ created }) => created)
    .map((spec) => `${creationKey(spec.deployer, spec.shim?.salt ?? null)} ${indexOfRow(spec)}`);
  return `# Generated from created_by in rules/protocols: npm run generate. First four bytes of each address.\n${lines.sort().join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(`${RULES}/created`, { recursive: true });
  writeFileSync(`${RULES}/created/addresses.txt`, generateCreations());
}
