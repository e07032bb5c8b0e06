import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

// A few seconds of what `npm run test:soak -- --minutes 10` does for longer: the same checks, the load apart.
it('the service under load, before a node that fails one time in five, keeps within its bounds', async () => {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'soak.ts'), '--minutes', '0.2'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (said += data.toString()));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect(said.split('\n').filter((line) => line.startsWith('BAD'))).toEqual([]);
  expect(status, said).toBe(0);
  expect(said.match(/^ok /gm)).toHaveLength(13);
});
