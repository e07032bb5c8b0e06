// npm run verify:table: writes the counts into docs/qa.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { asMarkdown, mutationTable } from './mutationTable.ts';

const page = new URL('../../docs/qa.md', import.meta.url);
const counts = asMarkdown(await mutationTable());
const place = /(?<=<!-- falsehoods: written by npm run verify:table -->\n)[^]*(?=<!-- end of falsehoods -->)/;
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(place, () => counts),
);
