// Ways to spoil a JSON value as a broken, careless or malicious node might.
import type { Random } from './random.ts';

type Path = (string | number)[];
type Holder = Record<string | number, unknown>;

/** Paths of every value inside, the value itself not included. */
function pathsOf(value: unknown, most = 4_000): Path[] {
  const found: Path[] = [];
  const open: [unknown, Path][] = [[value, []]];
  for (let next = open.pop(); next && found.length < most; next = open.pop()) {
    const [node, path] = next;
    if (typeof node !== 'object' || node === null) continue;
    for (const key of Object.keys(node)) {
      const step = [...path, Array.isArray(node) ? Number(key) : key];
      found.push(step);
      open.push([(node as Holder)[key], step]);
    }
  }
  return found;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, key) => (node as Holder)[key], value);
}

const deep = (levels: number, leaf: unknown): unknown => {
  let value = leaf;
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { calls: value };
  return value;
};

/** Values of every wrong type, size and sign. */
export function junk(random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => true,
    () => '',
    () => '0x',
    () => '0x0',
    () => '0',
    () => -1,
    () => 0,
    () => 1.5,
    () => 1e300,
    () => -(2 ** 53),
    () => 2 ** 60,
    () => '-0x1',
    () => `0x${random.hex(63)}`,
    () => `0x${random.hex(64)}`,
    () => `0x${random.hex(65)}`,
    () => `0x${'f'.repeat(64)}`,
    () => `0x${random.hex(40)}`,
    () => `0x${'0'.repeat(40)}`,
    () => `0X${random.hex(40)}`,
    () => `0x${random.hex(39)}g`,
    () => `0x${random.hex(20_000)}`,
    () => ' 0x1 ',
    () => '0x1\n',
    () => 'x'.repeat(100_000),
    () => '\u202e\u0000\ud800',
    () => [],
    () => ({}),
    () => [[[]]],
    () => deep(2_000, null),
    () => new Array(5_000).fill('0x'),
    () => ({ __proto__: null, constructor: 1, toString: 'x', length: 1e9 }),
    () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown,
    () => 'NaN',
    () => 'Infinity',
    () => '1e9',
    () => '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  ])();
}

/** A text that is nearly what it was. */
function nearly(text: string, random: Random): string {
  const i = random.below(text.length + 1);
  return random.pick<() => string>([
    () => text.slice(0, -1),
    () => `${text}0`,
    () => text.toUpperCase(),
    () => text.replace(/^0x/, ''),
    () => ` ${text}`,
    () => `${text}\u0000`,
    () => text.slice(0, i) + random.hex(1) + text.slice(i + 1),
    () => text.slice(0, i) + text.slice(i + 1),
    () => text.slice(0, 66),
    () => text.slice(0, 42),
    () => `${text}${text.slice(2)}`,
    () => text.replace(/[1-9a-f]/g, '0'),
    () => text.replace(/[0-9a-e]/g, 'f').replace(/^fx/, '0x'),
  ])();
}

type Spoil = (root: unknown, random: Random) => void;

const onHolder =
  (change: (holder: Holder, key: string | number, random: Random, root: unknown) => void): Spoil =>
  (root, random) => {
    const paths = pathsOf(root);
    if (paths.length === 0) return;
    const path = random.pick(paths);
    change(at(root, path.slice(0, -1)) as Holder, path.at(-1)!, random, root);
  };

const onList =
  (change: (list: unknown[], random: Random, root: unknown) => void): Spoil =>
  (root, random) => {
    const lists = [[], ...pathsOf(root)]
      .map((path) => at(root, path))
      .filter((value): value is unknown[] => Array.isArray(value) && value.length > 0);
    if (lists.length > 0) change(random.pick(lists), random, root);
  };

/** Each changes one place of the value it is given. */
const SPOILS: Record<string, Spoil> = {
  missing: onHolder((holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }),
  junk: onHolder((holder, key, random) => {
    holder[key] = junk(random);
  }),
  nearly: onHolder((holder, key, random) => {
    const value = holder[key];
    holder[key] = typeof value === 'string' ? nearly(value, random) : [value];
  }),
  number: onHolder((holder, key, random) => {
    holder[key] = random.chance(0.5)
      ? `0x${random.amount().toString(16)}`
      : Number(random.amount() % 2n ** 60n);
  }),
  twice: onList((list, random) => {
    const item = random.pick(list);
    list.splice(random.below(list.length + 1), 0, structuredClone(item));
  }),
  many: onList((list, random) => {
    const item = random.pick(list);
    if (JSON.stringify(item).length < 2_000) for (let i = 0; i < 300; i++) list.push(structuredClone(item));
  }),
  fewer: onList((list, random) => {
    list.splice(random.below(list.length), 1 + random.below(3));
  }),
  reversed: onList((list) => {
    list.reverse();
  }),
  swapped: onList((list, random) => {
    const [i, j] = [random.below(list.length), random.below(list.length)];
    [list[i], list[j]] = [list[j], list[i]];
  }),
  // Looks like a cycle: a part of the answer holds the whole.
  grafted: onHolder((holder, key, random, root) => {
    let copy: unknown = structuredClone(root);
    if (JSON.stringify(copy).length < 20_000)
      for (let i = random.below(4); i > 0; i--) copy = { calls: [copy, structuredClone(copy)] };
    holder[key] = copy;
  }),
  stranger: onHolder((holder, key, random, root) => {
    holder[key] = structuredClone(at(root, random.pick(pathsOf(root))));
  }),
};

/** The value with one to three places spoiled, and what was done. The original is left alone. */
export function spoil(value: unknown, random: Random): { value: unknown; how: string[] } {
  if (random.chance(0.03)) return { value: junk(random), how: ['replaced'] };
  const changed = { root: structuredClone(value) };
  const how: string[] = [];
  for (let n = 1 + random.below(3); n > 0; n--) {
    const name = random.pick(Object.keys(SPOILS));
    try {
      SPOILS[name]!(changed.root, random);
    } catch (error) {
      // Nested too deep already for copies to be made of it: spoiled enough.
      if (!(error instanceof RangeError)) throw error;
      break;
    }
    how.push(name);
  }
  return { value: changed.root, how };
}
