import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import type { Tab } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Fails on anything serious or critical that axe finds by its WCAG rules and best practices, and prints the rest. */
export async function checkAxe({ page }: Tab, name: string): Promise<void> {
  // Run by the debugger, which the page's policy does not bind.
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations)',
  )) as Violation[];
  const grave = found.filter((v) => v.impact === 'serious' || v.impact === 'critical');
  console.info(
    `axe, ${name}: ${grave.length} serious or critical, ${found.length - grave.length} lesser${found.length > grave.length ? ` (${found.map((v) => v.id).join(', ')})` : ''}`,
  );
  expect(
    grave.map(
      (v) =>
        `${v.impact} ${v.id} (${v.nodes.length}): ${v.nodes[0]!.html.slice(0, 160)} ${v.nodes[0]!.failureSummary.slice(0, 200)}`,
    ),
  ).toEqual([]);
}
