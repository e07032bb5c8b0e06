import { save as saveFile } from '../graph/exportGraph.ts';
import { h } from '../lib/dom.ts';
import { countText, lower, shortDigest, shown } from '../../../src/tools/wording/text.ts';
import type { View } from '../view.ts';

/** `economic movements`, and `scope` where there is one. */
function counted(name: string, count: number): string {
  const text = lower(name).replace('tvfg', 'graph').replace('non economic', 'other');
  return count === 1 ? text.replace(/s$/, '') : text;
}

/** Counts of the analysis, the versions that made the report, and the report as a file. */
export function aboutSection({ report }: View): HTMLElement {
  const { pipeline_stats: stats, engine } = report;
  const save = h('button', { type: 'button', class: 'quiet' }, 'Save the report as JSON');
  save.addEventListener('click', () =>
    saveFile(
      new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }),
      `${report.tx.hash}.json`,
    ),
  );
  return h(
    'footer',
    { class: 'about' },
    h(
      'ul',
      { class: 'stats', 'aria-label': 'Analysis counts' },
      Object.entries(stats)
        .filter(([, count]) => typeof count === 'number')
        .slice(0, 16)
        .map(([name, count]) => h('li', {}, h('strong', {}, countText(count)), ` ${counted(name, count)}`)),
    ),
    h(
      'p',
      {},
      `Report schema ${report.schema_version}`,
      engine && ` · engine ${shown(engine.version, 40)} · rules ${shortDigest(engine.ruleset_digest)}`,
      ' · ',
      save,
    ),
  );
}
