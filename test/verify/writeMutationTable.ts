// npm run verify:table: writes docs/mutations.md.
import { writeFileSync } from 'node:fs';
import { asMarkdown, mutationTable } from './mutationTable.ts';

writeFileSync(new URL('../../docs/mutations.md', import.meta.url), asMarkdown(await mutationTable()));
