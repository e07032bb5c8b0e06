import type { Camel } from '../../model/camel.ts';

/** The keys of a rule file in camel case: `tick_lower` as `tickLower`. */
export function camel<Raw extends object>(raw: Raw): Camel<Raw> {
  const named = Object.entries(raw).map(
    ([key, value]) => [key.replace(/_(\w)/g, (_, first: string) => first.toUpperCase()), value] as const,
  );
  return Object.fromEntries(named) as Camel<Raw>;
}
