import type { ProblemCode, Problem } from '../read/problems.ts';
import type { RuleFile } from '../read/readRuleFiles.ts';
import { checkSchema } from '../read/schemaCheck.ts';
import { pointerSegment, type Tree } from '../read/yamlTree.ts';

/** One shape, protocol, entity file or intent rule, wherever its file lists it. */
export interface RuleItem<T = unknown> {
  readonly file: RuleFile;
  /** JSON pointer of the item inside its file: empty, or `/<position>` where the file is a list. */
  readonly pointer: string;
  readonly value: T;
}

/** Gathers problems at places of rule files. */
export class ProblemSink {
  readonly problems: Problem[] = [];

  add(
    item: RuleItem,
    path: readonly (string | number)[],
    code: ProblemCode,
    message: string,
    part: 'key' | 'value' = 'value',
  ): void {
    this.at(item.file, item.pointer + path.map(pointerSegment).join(''), code, message, part);
  }

  at(
    file: RuleFile,
    pointer: string,
    code: ProblemCode,
    message: string,
    part: 'key' | 'value' = 'value',
  ): void {
    this.problems.push({ file: file.shownPath, ...file.locate(pointer, part), code, message });
  }
}

interface Identity {
  readonly slug: string;
  readonly override?: boolean;
}

/** Splits files into items and checks each against its schema; items of a file that fails are left out. */
export function readItems(files: readonly RuleFile[], sink: ProblemSink): RuleItem[] {
  const items: RuleItem[] = [];
  for (const file of files) {
    if (file.tree === null) continue;
    const faults = checkSchema(file.kind, file.tree);
    for (const f of faults) sink.at(file, f.pointer, f.code, f.message, f.part);
    const many = Array.isArray(file.tree) ? (file.tree as Tree[]) : null;
    const parts = many
      ? many.map((value, i) => ({ pointer: `/${i}`, value }))
      : [{ pointer: '', value: file.tree }];
    for (const { pointer, value } of parts) {
      if (
        !faults.some(
          (f) =>
            pointer === '' ||
            f.pointer === '' ||
            f.pointer === pointer ||
            f.pointer.startsWith(`${pointer}/`),
        )
      )
        items.push({ file, pointer, value });
    }
  }
  return items;
}

/** Slugs that exist, whether or not their items are valid: a broken file must not make others look wrong too. */
export function knownSlugs(files: readonly RuleFile[], kind: RuleFile['kind']): ReadonlySet<string> {
  const trees = files
    .filter((f) => f.kind === kind && f.tree !== null)
    .flatMap((f) => (Array.isArray(f.tree) ? (f.tree as Tree[]) : [f.tree]));
  return new Set(
    trees.map((t) =>
      typeof t === 'object' && t !== null && 'slug' in t ? String((t as { slug: Tree }).slug) : '',
    ),
  );
}

/**
 * Of the items of one kind, those in force: a later directory replaces a slug of an earlier one only where it says
 * `override: true`. Sorted by slug.
 */
export function applyOverlays<T extends Identity>(
  items: readonly RuleItem[],
  kind: RuleFile['kind'],
  sink: ProblemSink,
): RuleItem<T>[] {
  const inForce = new Map<string, RuleItem<T>>();
  const mine = items.filter((item) => item.file.kind === kind) as RuleItem<T>[];
  for (const item of mine) {
    const { slug, override } = item.value;
    const below = inForce.get(slug);
    if (below === undefined && override === true) sink.add(item, ['override'], 'override_of_nothing', slug);
    if (below !== undefined && (override !== true || below.file.layer === item.file.layer)) {
      const { line } = below.file.locate(`${below.pointer}/slug`);
      sink.add(item, ['slug'], 'duplicate_slug', `${slug} is already in ${below.file.shownPath}:${line}`);
      continue;
    }
    inForce.set(slug, item);
  }
  return [...inForce.values()].sort((a, b) => (a.value.slug < b.value.slug ? -1 : 1));
}
