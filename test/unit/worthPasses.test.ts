import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PASSES } from '../../scripts/worthPasses.ts';

const STAGES = join(import.meta.dirname, '../../src/stages');

it.each(Object.entries(PASSES))('%s is switched off before a statement that its file has once', (_, pass) => {
  expect(readFileSync(join(STAGES, pass.file), 'utf8').split(pass.before)).toHaveLength(2);
});
