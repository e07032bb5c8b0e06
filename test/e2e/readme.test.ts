// The front page tells the truth: its report, its configuration table, its commands and its links.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { startServer } from '../../src/service/main.ts';
import { renderReport } from '../../src/tools/cli/renderReport.ts';
import { REPLAY_AVAILABLE, startReplayNode, warnIfAbsent } from '../support/replayNode.ts';

const ROOT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

warnIfAbsent('the report of the README');
it.skipIf(!REPLAY_AVAILABLE)(
  'shows an excerpt of the report the service gives for that transaction',
  async () => {
    const excerpt = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)![1]!) as Record<string, unknown>;
    const hash = /"tx_hash":"(0x[0-9a-f]{64})"/.exec(readme)![1]!;
    // One hash on the whole page.
    expect(new Set(readme.match(/0x[0-9a-f]{64}/g))).toEqual(new Set([hash]));
    const node = await startReplayNode({ files: ['whole-blocks.ndjson.gz'] });
    const service = await startServer({ rpcUrl: node.url, host: '127.0.0.1', port: 0, logLevel: 'silent' });
    try {
      const response = await fetch(`${service.url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      const text = await response.clone().text();
      const printed = renderReport(JSON.parse(text) as TxReport)
        .replaceAll(/\u001b\[\d+m/g, '')
        .replaceAll(/ +$/gm, '');
      expect(printed).toContain(/```text\n([\s\S]*?)```/.exec(readme)![1]!.trim());
      const {
        inventory_deltas: deltas,
        movements,
        ...rest
      } = (await response.json()) as Record<string, unknown[]>;
      const {
        inventory_deltas: shownDeltas,
        movements: shownMovements,
        ...shown
      } = excerpt as Record<string, unknown[]>;
      expect(rest).toMatchObject(shown);
      for (const delta of shownDeltas!)
        expect(deltas).toContainEqual(
          expect.objectContaining({
            ...(delta as object),
            asset: expect.objectContaining((delta as { asset: object }).asset),
          }),
        );
      expect(movements![0]).toMatchObject(shownMovements![0] as object);
    } finally {
      await service.close();
      await node.close();
    }
  },
);

it('names only commands and files that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [, script] of readme.matchAll(/npm (?:run )?(demo|test|start|[a-z]+:[a-z]+)\b/g))
    expect(Object.keys(scripts)).toContain(script);
  for (const [, path] of readme.matchAll(/\]\(((?!https?:)[^)#]+)\)/g))
    expect(existsSync(join(ROOT, path!)), path).toBe(true);
});
