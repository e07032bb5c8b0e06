// Writes test/recordings: every scenario's transaction as a node answers about it. Running it twice gives the same bytes.
//
//   npx tsx test/devnet/record.ts [--out DIR] [--check]
//
// --check compares with what is there instead of writing, and fails when anything differs.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recordAll } from './recording.ts';
import { ALL, runStory } from './story.ts';

const { values: options } = parseArgs({
  options: { out: { type: 'string' }, check: { type: 'boolean', default: false } },
});
const OUT = options.out ?? fileURLToPath(new URL('../recordings/', import.meta.url));

const story = await runStory({ scenarios: ALL });
try {
  const files = await recordAll(story);
  mkdirSync(OUT, { recursive: true });
  const present = readdirSync(OUT).filter((name) => name.endsWith('.json'));
  const read = (name: string) => (present.includes(name) ? readFileSync(join(OUT, name), 'utf8') : null);
  const changed = [...files].filter(([name, content]) => read(name) !== content).map(([name]) => name);
  const obsolete = present.filter((name) => !files.has(name));
  if (!options.check) {
    for (const name of changed) writeFileSync(join(OUT, name), files.get(name)!);
    for (const name of obsolete) rmSync(join(OUT, name));
  }
  const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);
  console.log(
    `${files.size} recordings, ${(bytes / 1e6).toFixed(2)} MB; ${changed.length} ${options.check ? 'differ' : 'written'}, ${obsolete.length} obsolete`,
  );
  if (options.check && changed.length + obsolete.length > 0) {
    console.error(`run: npx tsx test/devnet/record.ts\n  ${[...changed, ...obsolete].join('\n  ')}`);
    process.exitCode = 1;
  }
} finally {
  await story.stop();
}
