import { readFile } from 'node:fs/promises';

const SCHEMA = new URL('../schemas/http/tx-report.schema.json', import.meta.url);
const WIDTH = 120;

const HEADER = `/* Generated from schemas/http/tx-report.schema.json by scripts/generateReportText.ts. Do not edit: change the schema and run it again. */
import { list, numbers, text, word, wordOrNull } from '../../lib/jsonText.ts';
import type * as wire from '../../model/report.ts';
`;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A schema with its reference followed and null set apart; `writer` is the function that writes its objects. */
interface Value {
  readonly kind: string | undefined;
  readonly schema: Schema;
  readonly nullable: boolean;
  readonly writer: string;
}

/** What JSON escapes in a text. */
const ESCAPED = ['"', '\\', '\ud800', '\udfff', ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))];
const CHARACTER_CLASS = /\[[^\]]*\]/g;

/** Whether no text that a pattern allows holds anything to escape: it is anchored and of plain characters and classes of such. */
export function isPlain(pattern: string): boolean {
  let rest = pattern.replace(CHARACTER_CLASS, 'x');
  if (!/^\^(?:[\w:/—(|)?*+{},-]|\\[$.])*\$$/.test(rest)) return false;
  // A choice outside all brackets is anchored on one side only.
  for (let before = ''; before !== rest; rest = rest.replace(/\([^()]*\)/g, '')) before = rest;
  return !rest.includes('|') && (pattern.match(CHARACTER_CLASS) ?? []).every((characters) => !ESCAPED.some((one) => new RegExp(characters, 'u').test(one)));
}

function isWord({ enum: choices, pattern }: Schema): boolean {
  return choices ? choices.every((choice) => choice === null || JSON.stringify(choice) === `"${choice}"`) : pattern !== undefined && isPlain(pattern);
}

function writerName(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** What stands in the template of an object for one of its values. */
function written({ kind, schema, nullable, writer }: Value, at: string, valueOf: (schema: Schema) => Value): string {
  const unlessNull = nullable ? `${at} && ` : '';
  if (kind === 'string' && isWord(schema)) return nullable ? `\${wordOrNull(${at})}` : `"\${${at}}"`;
  if (kind === 'string') return `\${text(${at})}`;
  if (kind === 'integer' || kind === 'boolean') return `\${${at}}`;
  if (kind === 'object' && writer !== '') return `\${${unlessNull}${writer}(${at})}`;
  if (kind === 'array' && schema.items) {
    const item = valueOf(schema.items);
    if (item.kind === 'integer') return `\${${unlessNull}numbers(${at})}`;
    if (item.kind === 'string') return `\${${unlessNull}list(${at}, ${isWord(item.schema) ? 'word' : 'text'})}`;
    if (item.writer !== '' && !item.nullable) return `\${${unlessNull}list(${at}, ${item.writer})}`;
  }
  throw new Error(`no way to write ${JSON.stringify(schema)}`);
}

/** The function that writes one kind of object: its keys in the schema's order, without those it may lack and does. */
function writerOf(name: string, { properties = {}, required = [] }: Schema, valueOf: (schema: Schema) => Value, head: string): string {
  const keys = Object.keys(properties);
  const first = keys.findIndex((key) => required.includes(key));
  if (first < 0) throw new Error(`${name} may lack every key`);
  const lines = ['  return `{'];
  keys.forEach((key, i) => {
    const member = `${i > first ? ',' : ''}"${key}":${written(valueOf(properties[key]!), `it.${key}`, valueOf)}${i < first ? ',' : ''}`;
    const piece = required.includes(key) ? member : `\${it.${key} === undefined ? '' : \`${member}\`}`;
    if (lines.at(-1)!.length + piece.length > WIDTH && i > 0) lines.push(`    + \`${piece}`);
    else lines.push(lines.pop()! + piece);
  });
  return `${head}(it: wire.${name}): string {\n${lines.join('`\n')}}\`;\n}\n`;
}

/**
 * TypeScript source of the function that writes a report as `JSON.stringify` would, in half its time: the keys are known,
 * and a text to which the schema leaves nothing to escape is not looked through again.
 */
export async function generateReportText(): Promise<string> {
  const root = JSON.parse(await readFile(SCHEMA, 'utf8')) as Schema;
  const definitions = root.$defs ?? {};
  function valueOf(schema: Schema, writer = ''): Value {
    const { $ref, anyOf, type } = schema;
    if ($ref) {
      const name = $ref.slice('#/$defs/'.length);
      return valueOf(definitions[name]!, writerName(name));
    }
    if (anyOf?.length === 2 && anyOf[1]!.type === 'null') return { ...valueOf(anyOf[0]!), nullable: true };
    const types = [type ?? (schema.enum ? ['string', ...(schema.enum.includes(null) ? ['null'] : [])] : [])].flat();
    const [kind, ...others] = types.filter((one) => one !== 'null');
    return { kind: others.length === 0 ? kind : undefined, schema, nullable: types.includes('null'), writer };
  }
  const writers = Object.entries(definitions).filter(([, { type }]) => type === 'object')
    .map(([name, schema]) => writerOf(name, schema, valueOf, `function ${writerName(name)}`));
  const whole = writerOf('TxReport', root, valueOf, 'export function reportText');
  return [HEADER, ...writers, `/** The report as \`JSON.stringify\` writes it, in half the time. It must conform to its schema. */\n${whole}`].join('\n');
}
