import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('the bundled OpenAPI document is the current one, valid, and refers to nothing outside itself', async () => {
  const script = join(ROOT, 'scripts/bundleOpenapi.ts');
  const run = spawnSync(process.execPath, ['--import', 'tsx', script, '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  const text = readFileSync(join(ROOT, 'schemas/openapi.json'), 'utf8');
  const document = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  const refs = [...text.matchAll(/"\$ref": ?"([^"]+)"/g)].map(([, ref]) => ref!);
  const names = Object.keys(document.components.schemas);
  for (const ref of refs.filter((one) => !one.startsWith('#/components/schemas/')))
    expect(ref).toMatch(/^#\/components\/(responses|headers|parameters|securitySchemes)\//);
  for (const ref of refs.filter((one) => one.startsWith('#/components/schemas/')))
    expect(names).toContain(ref.split('/').at(-1));
});
