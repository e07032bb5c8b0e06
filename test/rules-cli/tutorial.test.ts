import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { writeRuleset } from '../unit/rules/smallRuleset.ts';
import { runRules } from './runRules.ts';

const README = readFileSync(new URL('../../rules/README.md', import.meta.url), 'utf8');

/** The files of the tutorial, as a reader would copy them. */
function tutorialFiles(): Record<string, string> {
  const blocks = [...README.matchAll(/```yaml\n# my-rules\/(\S+)\n([\s\S]*?)```/g)];
  return Object.fromEntries(blocks.map(([, path, text]) => [path!, text!]));
}

describe('the tutorial of rules/README.md', () => {
  const before = process.env['RULES_DIR'];
  afterEach(() => {
    if (before === undefined) delete process.env['RULES_DIR'];
    else process.env['RULES_DIR'] = before;
  });

  it('does what it says, in fewer than 40 lines of YAML', async () => {
    const files = tutorialFiles();
    expect(Object.keys(files).sort()).toEqual([
      'intents/burrow-harvest.yaml',
      'precedence.yaml',
      'shapes/burrow.yaml',
      'vocabulary.yaml',
    ]);
    const lines = Object.values(files).reduce((n, text) => n + text.trimEnd().split('\n').length, 0);
    expect(lines).toBeLessThan(40);
    expect(README).toContain(`**2. Write four files**, ${lines} lines`);

    process.env['RULES_DIR'] = writeRuleset(files);
    expect(await runRules('lint')).toMatchObject({ code: 0, err: '' });
    expect((await runRules('test', '--rule', 'burrow-harvest')).out).toBe(
      '3 of 3 examples of 1 rules passed',
    );
    const verdict = /```\n(Harvest: .*)\n```/.exec(README)![1]!;
    expect((await runRules('explain', 'novel-harvest')).out).toContain(`\n${verdict}\n`);
    const [, protocol] = /```yaml\n# my-rules\/protocols\/burrow.yaml [^\n]*\n([\s\S]*?)```/.exec(README)!;
    process.env['RULES_DIR'] = writeRuleset({ ...files, 'protocols/burrow.yaml': protocol! });
    expect((await runRules('explain', 'novel-harvest')).out).toContain(
      '\nHarvest: Gather 9 TRUFFLE   [Proven, High; burrow-harvest v1]\n',
    );
    process.env['RULES_DIR'] = writeRuleset({
      ...files,
      'shapes/burrow.yaml': files['shapes/burrow.yaml']!.replace('$badger', '$bager'),
    });
    expect((await runRules('lint')).out).toMatch(/shapes\/burrow\.yaml:\d+:\d+ unknown_param: \$bager/);
  });
});
