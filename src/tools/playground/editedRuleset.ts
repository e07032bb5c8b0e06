import { join, relative } from 'node:path';
import { openRuleset, rulesetDirs, type SoundRuleset } from '../cli/rules/rulesets.ts';
import type { Problem } from '../../rules/read/problems.ts';
import { parseYamlTree, type Tree } from '../../rules/read/yamlTree.ts';
import { placeOf } from '../../rules/read/readRuleFiles.ts';
import type { RuleKind } from './answers.ts';

/** An edited text, and the rules in force with it on top; `ruleset` is null where there are problems. */
export interface EditedRuleset {
  readonly kind: RuleKind | null;
  readonly slugs: readonly string[];
  readonly problems: readonly Problem[];
  readonly ruleset: SoundRuleset | null;
}

const EDITED = 'your rule';
/** Directory that exists only while the text is read. */
const FOLDER = '/txreport-playground';
const PLACE = new RegExp(`${FOLDER}(?:/\\w+(?:/edited\\.yaml)?)?`, 'g');

/** The rules in force with the edited text as one more overlay on top. */
export function openEdited(text: string): EditedRuleset {
  const { tree } = parseYamlTree(text);
  const items = tree === null ? [] : ((Array.isArray(tree) ? tree : [tree]) as Tree[]);
  const kind = items.map(kindOf).find((k) => k !== null) ?? null;
  const slugs = items.flatMap((item) =>
    typeof item === 'object' && 'slug' in item && typeof item.slug === 'string' ? [item.slug] : [],
  );
  if (kind === null && tree !== null) {
    const kinds = 'an intent (when), a shape (events, calls), a protocol (shapes) nor an entity file (kind)';
    const problem = { code: 'missing_key', message: `neither ${kinds}` } as const;
    return { kind, slugs, ruleset: null, problems: [{ file: EDITED, line: 1, column: 1, ...problem }] };
  }
  const dirs = rulesetDirs([]);
  const path = join(FOLDER, placeOf(kind ?? 'intent'), 'edited.yaml');
  const ruleset = openRuleset([...dirs, FOLDER], { edits: new Map([[path, text]]) });
  return {
    kind,
    slugs,
    problems: ruleset.problems.map((p) => ({ ...p, ...shownPlace(p, dirs) })),
    ruleset: ruleset.problems.length > 0 ? null : (ruleset as SoundRuleset),
  };
}

/** Recognised by keys only this kind has. */
function kindOf(item: Tree): RuleKind | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
  const has = (...keys: string[]): boolean => keys.some((key) => key in item);
  return has('when', 'intent')
    ? 'intent'
    : has('events', 'calls', 'any_emitter')
      ? 'shape'
      : has('shapes', 'create2')
        ? 'protocol'
        : has('kind')
          ? 'entity'
          : null;
}

/** Paths of this machine never appear in a page. */
function shownPlace({ file, message }: Problem, dirs: readonly string[]): Pick<Problem, 'file' | 'message'> {
  const hide = (text: string): string =>
    dirs.reduce((t, dir) => t.replaceAll(`${dir}/`, ''), text.replaceAll(PLACE, EDITED));
  const home = dirs.find((dir) => file.startsWith(`${dir}/`));
  return {
    file: file.startsWith(FOLDER) ? EDITED : home === undefined ? file : relative(home, file),
    message: hide(message),
  };
}
