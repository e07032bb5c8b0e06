import { isWarning, type ProblemCode, type Problem } from '../read/problems.ts';
import type { RuleFile } from '../read/readRuleFiles.ts';
import { pointerSegment, type Tree } from '../read/yamlTree.ts';
import type { Camel } from '../../model/camel.ts';
import type { RawMeaning, RawShape } from '../../model/generated/rules.ts';
import type { Address } from '../../model/hex.ts';
import { didYouMean } from './didYouMean.ts';
import { checkAddress, isFault, type SignatureFault } from './signature.ts';

/** One shape, protocol, entity file or intent rule, wherever its file lists it. */
export interface RuleItem<T = unknown> {
  readonly file: RuleFile;
  /** JSON pointer of the item inside its file: empty, or `/<position>` where the file is a list. */
  readonly pointer: string;
  readonly value: T;
  /** The author's place of each moved part: pointers inside `value` and inside the text. */
  readonly places?: ReadonlyMap<string, string>;
  /** Takes its problems. */
  readonly sink: ProblemSink;
}

type Path = readonly (string | number)[];

/** Problems found by thinking a rule through, which means little while its words are wrong. */
const DERIVED: ReadonlySet<ProblemCode> = new Set([
  'unsatisfiable',
  'shadowed_rule',
  'unspoken_kind',
  'structural_without_basis',
  'empty_list',
]);

/** Gathers problems at places of rule files. */
export class ProblemSink {
  readonly #found: { readonly problem: Problem; readonly of: string }[] = [];

  /** All problems but those that only follow from another problem of the same item. */
  get problems(): readonly Problem[] {
    const causes = this.#found.filter(({ problem }) => !DERIVED.has(problem.code) && !isWarning(problem));
    const faulty = new Set(causes.map(({ of }) => of));
    const kept = this.#found.filter(
      ({ problem, of }) => of === '' || !DERIVED.has(problem.code) || !faulty.has(of),
    );
    return kept.map(({ problem }) => problem);
  }

  report(problem: Problem, item?: RuleItem): void {
    this.#found.push({ problem, of: item ? `${item.file.shownPath} ${item.pointer}` : '' });
  }
}

/** A place of a rule file where problems can be reported. */
export class Spot {
  constructor(
    readonly item: RuleItem,
    private readonly path: Path = [],
  ) {}

  at(...more: (string | number)[]): Spot {
    return new Spot(this.item, [...this.path, ...more]);
  }
  report(code: ProblemCode, message: string, part: 'key' | 'value' = 'value'): void {
    const { file, sink } = this.item;
    const place = file.locate(this.pointer, part);
    sink.report({ file: file.shownPath, ...place, code, message }, this.item);
  }
  /** As `report`, but points at the key instead of its value. */
  reportKey(code: ProblemCode, message: string): void {
    this.report(code, message, 'key');
  }
  /** Whether a word is known; reports one that is not, with the word it is likely a slip of. */
  known(code: ProblemCode, word: string, words: KnownWords): boolean {
    if (words.has(word)) return true;
    this.report(code, didYouMean(word, words.keys()));
    return false;
  }
  /** A result; null after its fault was reported here. */
  take<T extends object>(result: T | SignatureFault): T | null {
    if (!isFault(result)) return result;
    this.report(result.code, result.message);
    return null;
  }
  /** The address that is written here, its form and checksum checked. */
  address(text: string): Address {
    return this.take(checkAddress(text))?.address ?? (text.toLowerCase() as Address);
  }
  addresses(list: readonly string[] = []): Address[] {
    return list.map((text, i) => this.at(i).address(text));
  }
  /** The parts of a list at `path`, with their places. */
  each<T>(path: string | Path, list: readonly T[] = []): (readonly [T, Spot])[] {
    return list.map((part, i) => [part, this.at(...[path].flat(), i)] as const);
  }
  /** JSON pointer in the file: the author's, where an expansion moved the part or one around it. */
  get pointer(): string {
    const { pointer, places } = this.item;
    const inside = this.path.map(pointerSegment).join('');
    for (let at = places ? inside : ''; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const written = places!.get(at);
      if (written !== undefined) return pointer + written + inside.slice(at.length);
    }
    return pointer + inside;
  }
  /** `match[0]`: the item of a list in its file. */
  get name(): string {
    return `${this.path.at(-2)}[${this.path.at(-1)}]`;
  }
  /** `file:line`, for messages. */
  get shown(): string {
    const { file } = this.item;
    return `${file.shownPath}:${file.locate(this.pointer).line}`;
  }
}

/** The words of a set, or the keys of a map. */
type KnownWords = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;

/** The events and calls of a shape, with their places. */
export function meaningsOf(item: RuleItem<RawShape>): (readonly [RawMeaning, Spot])[] {
  const spot = new Spot(item);
  return [...spot.each('events', item.value.events), ...spot.each('calls', item.value.calls)];
}

interface Identity {
  readonly slug: string;
  readonly override?: boolean;
  readonly extend?: boolean;
}

/** A status that is left out is stable; an extension has the one below it. */
const withStatus = (value: Tree): Tree =>
  typeof value === 'object' && !Array.isArray(value) && 'slug' in value && !('extend' in value)
    ? { status: 'stable', ...value }
    : value;

/** Splits files into items and checks each against its schema; items of a file that fails are left out. */
export function readItems(files: readonly RuleFile[], sink: ProblemSink): RuleItem[] {
  const items: RuleItem[] = [];
  for (const file of files) {
    if (file.tree === null) continue;
    const faults = file.schemaFaults;
    for (const { code, message, pointer, part } of faults)
      sink.report({ file: file.shownPath, ...file.locate(pointer, part), code, message });
    const parts = Array.isArray(file.tree)
      ? (file.tree as Tree[]).map((value, i) => ({ pointer: `/${i}`, value }))
      : [{ pointer: '', value: file.tree }];
    for (const { pointer, value } of parts) {
      const isFaulty = faults.some(({ pointer: at }) => at === '' || `${at}/`.startsWith(`${pointer}/`));
      if (!isFaulty) items.push({ file, pointer, value: withStatus(value), sink });
    }
  }
  return items;
}

export function ofKind<T>(items: readonly RuleItem[], kind: RuleFile['kind']): RuleItem<T>[] {
  return items.filter(({ file }) => file.kind === kind) as RuleItem<T>[];
}

const SLUG_LINE = /^(?:- )?\s*slug: *([a-z0-9-]+)/gm;

/** Slugs of valid and invalid items: one broken file must not make others look wrong too. */
export function knownSlugs(files: readonly RuleFile[], kind: RuleFile['kind']): ReadonlySet<string> {
  const ofKind = files.filter((f) => f.kind === kind);
  const trees = ofKind.flatMap((f) => (Array.isArray(f.tree) ? (f.tree as Tree[]) : [f.tree]));
  const written = trees.map((one) => String((one as { slug?: Tree } | null)?.slug ?? ''));
  // Of a file that cannot be parsed, the lines that look like slugs.
  const guessed = ofKind.flatMap((f) => (f.tree === null ? [...f.text.matchAll(SLUG_LINE)] : []));
  return new Set([...written, ...guessed.map(([, slug]) => slug!)]);
}

/**
 * Of the items of one kind, those in force: a later directory replaces a slug of an earlier one only where
 * it says `override: true`, and adds to it with `extend: true`. Sorted by slug.
 */
export function applyOverlays<T extends Identity>(
  items: readonly RuleItem[],
  kind: RuleFile['kind'],
): RuleItem<T>[] {
  const inForce = new Map<string, RuleItem<T>>();
  for (const item of ofKind<T>(items, kind)) {
    const { slug, override, extend } = item.value;
    const below = inForce.get(slug);
    if (!below && (extend || override))
      new Spot(item, [extend ? 'extend' : 'override']).report('override_of_nothing', slug);
    if (extend) {
      if (below) inForce.set(`${slug} ${item.file.shownPath}${item.pointer}`, item);
    } else if (below && (!override || below.file.layer === item.file.layer))
      new Spot(item, ['slug']).report(
        'duplicate_slug',
        `${slug} is already in ${new Spot(below, ['slug']).shown}`,
      );
    else inForce.set(slug, item);
  }
  return [...inForce.values()].sort((a, b) => (a.value.slug < b.value.slug ? -1 : 1));
}

/** The keys of a rule file in camel case: `tick_lower` as `tickLower`. */
export function camel<Raw extends object>(raw: Raw): Camel<Raw> {
  const named = Object.entries(raw).map(
    ([key, value]) => [key.replace(/_(\w)/g, (_, first: string) => first.toUpperCase()), value] as const,
  );
  return Object.fromEntries(named) as Camel<Raw>;
}
