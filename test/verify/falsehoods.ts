/** A falsehood written into a report: one leaf changed, or one list shortened, repeated or reordered. */
export interface Falsehood {
  /** Where, as a JSON pointer. */
  readonly at: string;
  /** The place with list positions left out, such as `/motifs/*\/kind`: what the table of coverage is kept by. */
  readonly field: string;
  readonly kind: 'value' | 'null' | 'dropped' | 'repeated' | 'reordered' | 'removed';
  readonly report: unknown;
}

/** Another value of the same type, never equal to the given one. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return 'something';
  if (/^-?\d+$/.test(value)) return (BigInt(value) + 1n).toString();
  const digit = value.search(/\d(?=\D*$)/);
  if (digit < 0) return `${value}x`;
  return value.slice(0, digit) + ((Number(value[digit]) + 1) % 10) + value.slice(digit + 1);
}

/**
 * Lists without an order of their own: turned around they say the same. Where an order means something the
 * schema says so ("in execution order", "best first", "by asset id").
 */
export const UNORDERED =
  /\/(evidence|participants|operands|against|caveats|warnings|underlying|position_effects|inventory_deltas)$/;

type Path = readonly (string | number)[];

function changes(value: unknown, field: string): { kind: Falsehood['kind']; value: unknown }[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    const found: { kind: Falsehood['kind']; value: unknown }[] = [
      { kind: 'dropped', value: value.slice(0, -1) },
      { kind: 'repeated', value: [...value, value.at(-1)] },
    ];
    const reversed = [...value].reverse();
    if (JSON.stringify(reversed) !== JSON.stringify(value) && !UNORDERED.test(field))
      found.push({ kind: 'reordered', value: reversed });
    return found;
  }
  if (value !== null && typeof value === 'object') return [];
  return [
    { kind: 'value', value: another(value) },
    ...(value === null ? [] : [{ kind: 'null' as const, value: null }]),
  ];
}

/** Every falsehood of these kinds, each in a copy of its own. */
export function* falsehoodsOf(report: object): Generator<Falsehood> {
  const text = JSON.stringify(report);
  const found: { path: Path; kind: Falsehood['kind']; value: unknown }[] = [];
  const walk = (node: unknown, path: Path): void => {
    for (const change of changes(node, fieldOf(path))) found.push({ path, ...change });
    if (node === null || typeof node !== 'object') return;
    for (const [key, child] of Object.entries(node))
      walk(child, [...path, Array.isArray(node) ? Number(key) : key]);
    if (path.length > 0 && !Array.isArray(node)) found.push({ path, kind: 'removed', value: undefined });
  };
  walk(report, []);
  for (const { path, kind, value } of found) {
    const copy = JSON.parse(text) as Record<string | number, unknown>;
    let holder = copy;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
    if (value === undefined) delete holder[path.at(-1)!];
    else holder[path.at(-1)!] = value;
    yield { at: `/${path.join('/')}`, field: fieldOf(path), kind, report: JSON.parse(JSON.stringify(copy)) };
  }
}

const fieldOf = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? '/*' : /^(0x|eip155)/.test(step) ? '/*' : `/${step}`))
    .join('');
