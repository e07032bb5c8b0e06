// Run by `npm run build` after the compiler: compiles rules and schemas into dist/compiled, so that a start
// need not. Each is compared with its source before use, and ignored where they differ.
import { mkdirSync, writeFileSync } from 'node:fs';
import { REQUEST_SCHEMA } from '../http/parseRequest.ts';
import { schemaModule } from '../../lib/jsonSchema.ts';
import { packParsedFiles, PARSED_FILES } from '../../rules/read/parsedFiles.ts';
import { readRuleFiles } from '../../rules/read/readRuleFiles.ts';
import { loadRules } from '../loadRules.ts';
import { SHIPPED_RULES } from '../../rules/read/listFiles.ts';
import { FINDING_SCHEMA } from '../../findings/findingValidator.ts';
import { REPORT_SCHEMA } from '../../stages/9-report/reportValidator.ts';
import { packCache, RULEBOOK_CACHE } from './rulebookCache.ts';

mkdirSync(new URL('./', RULEBOOK_CACHE), { recursive: true });
for (const { file, code } of [REPORT_SCHEMA, REQUEST_SCHEMA, FINDING_SCHEMA].map(schemaModule))
  writeFileSync(file, code);
writeFileSync(PARSED_FILES, packParsedFiles(readRuleFiles([SHIPPED_RULES]).files));
writeFileSync(RULEBOOK_CACHE, packCache(SHIPPED_RULES, loadRules()));
