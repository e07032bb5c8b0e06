/** An exact decimal as an integer and the number of its decimal places. */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

/** The decimal number of a money text or a plain decimal text; null for anything else. */
export function parseDecimal(text: string): Decimal | null {
  const match = /^\$?(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return null;
  const units = BigInt(match[2]! + (match[3] ?? ''));
  return { units: match[1] ? -units : units, places: match[3]?.length ?? 0 };
}

export const NOTHING: Decimal = { units: 0n, places: 0 };

export const asNumber = ({ units, places }: Decimal): number => Number(units) / 10 ** places;

const unitsAt = ({ units, places }: Decimal, wanted: number): bigint =>
  units * 10n ** BigInt(wanted - places);

export function plus(a: Decimal, b: Decimal, sign = 1n): Decimal {
  const places = Math.max(a.places, b.places);
  return { units: unitsAt(a, places) + sign * unitsAt(b, places), places };
}

/** The worth of an amount in smallest units. */
export const times = ({ units, places }: Decimal, raw: bigint, decimals: number): Decimal => ({
  units: raw * units,
  places: decimals + places,
});

/** Whether the two differ by no more than so many halves of the last digit at `places`. */
function isNear(a: Decimal, b: Decimal, places: number, halves: bigint): boolean {
  const gap = plus(a, b, -1n);
  return (gap.units < 0n ? -gap.units : gap.units) * 2n <= halves * 10n ** BigInt(gap.places - places);
}

/** True when `shown` is `exact` rounded to the places it shows. */
export function roundsTo(shown: Decimal, exact: Decimal): boolean {
  return isNear(shown, exact, shown.places, 1n);
}

/** Figures rounded apart may add up to a last digit more or less per part. */
export function addsUp(total: string, parts: readonly (Decimal | null)[]): boolean {
  const shown = parseDecimal(total);
  const known = parts.filter((part) => part !== null);
  if (!shown || known.length < parts.length) return false;
  const sum = known.reduce((all, part) => plus(all, part), NOTHING);
  const coarsest = Math.min(shown.places, ...known.map(({ places }) => places));
  return isNear(shown, sum, coarsest, 2n * BigInt(parts.length));
}
