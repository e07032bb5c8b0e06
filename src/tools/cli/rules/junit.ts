import type { ExampleResult } from './testRules.ts';

/** JUnit XML: one suite per rule, one case per example. */
export function junitXml(name: string, results: readonly ExampleResult[]): string {
  const rules = [...new Set(results.map((r) => r.rule))];
  const suites = rules.map((rule) => {
    const mine = results.filter((r) => r.rule === rule);
    const failures = mine.filter((r) => r.failure !== null).length;
    const cases = mine.map((r) => {
      const head = `    <testcase classname="${attribute(rule)}" name="${attribute(`${r.side} ${r.name}`)}" file="${attribute(r.place)}" time="${r.seconds.toFixed(4)}"`;
      return r.failure === null
        ? `${head}/>`
        : `${head}>\n      <failure message="${attribute(r.failure.split('\n')[0]!)}">${attribute(r.failure)}</failure>\n    </testcase>`;
    });
    return `  <testsuite name="${attribute(rule)}" tests="${mine.length}" failures="${failures}">\n${cases.join('\n')}\n  </testsuite>`;
  });
  const failed = results.filter((r) => r.failure !== null).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${attribute(name)}" tests="${results.length}" failures="${failed}">\n${suites.join('\n')}\n</testsuites>\n`;
}

function attribute(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // XML 1.0 has no way to write most control characters.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd')
  );
}
