import { readFileSync } from 'node:fs';
import type { TxReport } from '../../src/model/generated/report.ts';

interface Described {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
}

const schema = JSON.parse(
  readFileSync(new URL('../../schemas/http/tx-report.schema.json', import.meta.url), 'utf8'),
) as Described & { readonly $defs: Readonly<Record<string, Described>> };

function walk(value: unknown, node: Described, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const named = node.$ref ?? node.anyOf?.[0]?.$ref;
  const target = named ? schema.$defs[named.slice('#/$defs/'.length)]! : node;
  if (Array.isArray(value))
    return value.flatMap((item, index) => walk(item, target.items!, `${path}[${index}]`));
  // A map by address, in the order in which the addresses occur.
  if (!target.properties) return [];
  const order = Object.keys(target.properties);
  const entries = Object.entries(value as Record<string, unknown>);
  const wrong = entries.some(
    ([key], index) => index > 0 && order.indexOf(entries[index - 1]![0]) > order.indexOf(key),
  );
  return [
    ...(wrong ? [path] : []),
    ...entries.flatMap(([key, inner]) => walk(inner, target.properties![key]!, `${path}.${key}`)),
  ];
}

/** Paths in a valid report at which the keys do not stand in the order its schema lists them. */
export function misorderedKeys(report: TxReport): string[] {
  return walk(report, schema, '$');
}
