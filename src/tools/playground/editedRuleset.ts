import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { openRuleset, rulesetDirs, type SoundRuleset } from '../cli/rules/rulesets.ts';
import type { Problem } from '../../rules/read/problems.ts';
import { parseYamlTree, type Tree } from '../../rules/read/yamlTree.ts';
import { RULE_KINDS, type RuleKind } from './answers.ts';

/**
 * Identity of an edited text, and the rules in force with it on top; `ruleset` is null where there are
 * problems.
 */
export interface EditedRuleset {
  readonly kind: RuleKind | null;
  readonly slugs: readonly string[];
  readonly problems: readonly Problem[];
  readonly ruleset: SoundRuleset | null;
}

const FOLDERS: Readonly<Record<RuleKind, string>> = {
  intent: 'intents',
  shape: 'shapes',
  protocol: 'protocols',
  entity: 'entities',
};
const EDITED = 'your rule';

/**
 * The rules in force with the edited text as one more overlay on top. The text lies in a directory of its
 * own for as long as it is read: the loader knows nothing but directories.
 */
export function openEdited(text: string): EditedRuleset {
  const { tree } = parseYamlTree(text);
  const items = tree === null ? [] : ((Array.isArray(tree) ? tree : [tree]) as Tree[]);
  const kind = items.map(kindOf).find((k) => k !== null) ?? null;
  const slugs = items.flatMap((item) =>
    typeof item === 'object' && 'slug' in item && typeof item.slug === 'string' ? [item.slug] : [],
  );
  if (kind === null && tree !== null) {
    return {
      kind,
      slugs,
      ruleset: null,
      problems: [
        {
          file: EDITED,
          line: 1,
          column: 1,
          code: 'missing_key',
          message:
            'neither an intent (when), a shape (events, calls), a protocol (shapes) nor an entity file (kind)',
        },
      ],
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'txreport-playground-'));
  try {
    mkdirSync(join(folder, FOLDERS[kind ?? 'intent']));
    writeFileSync(join(folder, FOLDERS[kind ?? 'intent'], 'edited.yaml'), text);
    const dirs = rulesetDirs([]);
    const ruleset = openRuleset([...dirs, folder]);
    return {
      kind,
      slugs,
      problems: ruleset.problems.map((p) => ({ ...p, ...shownPlace(p, dirs, folder) })),
      ruleset: ruleset.rulebook === null ? null : (ruleset as SoundRuleset),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
function shownPlace(
  { file, message }: Problem,
  dirs: readonly string[],
  folder: string,
): Pick<Problem, 'file' | 'message'> {
  const hide = (text: string): string =>
    dirs.reduce(
      (t, dir) => t.replaceAll(`${dir}/`, ''),
      text.replaceAll(
        new RegExp(
          `${escape(folder)}(/${RULE_KINDS.map((k) => FOLDERS[k]).join('|/')})?(/edited\\.yaml)?`,
          'g',
        ),
        EDITED,
      ),
    );
  const home = dirs.find((dir) => file.startsWith(`${dir}/`));
  return {
    file: file.startsWith(folder) ? EDITED : home === undefined ? file : relative(home, file),
    message: hide(message),
  };
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
