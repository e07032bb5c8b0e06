import * as Abi from 'ox/Abi';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '../../../../rules/compile/didYouMean.ts';
import type { Ruleset } from '../../../../rules/compile/loadRulebook.ts';
import { meaningsOf, ProblemSink, Spot, type RuleItem } from '../../../../rules/compile/ruleItem.ts';
import {
  isFault,
  parseSignature,
  reasonOf,
  type ParsedSignature,
} from '../../../../rules/compile/signature.ts';
import type { RawMeaning, RawShape } from '../../../../model/generated/rules.ts';
import { NO_AMOUNTS } from '../../../../rules/lint/checkWeak.ts';
import { CliError } from '../../cliIo.ts';

/** An event or call of a shape, and where it is written. */
export interface PlacedSignature {
  readonly raw: RawMeaning;
  readonly spot: Spot;
  readonly kind: AbiEntry['kind'];
  readonly signature: ParsedSignature;
}

/** The items that a check of the chain concerns: those of the overlays, without any the shipped ones. */
export function authored<T>(items: readonly RuleItem<T>[], { files }: Ruleset): RuleItem<T>[] {
  const isOverlaid = files.some(({ layer }) => layer > 0);
  const sink = new ProblemSink();
  return items.filter(({ file }) => !isOverlaid || file.layer > 0).map((item) => ({ ...item, sink }));
}

/** The readable signatures of a shape. */
export function signaturesOf(item: RuleItem<RawShape>): PlacedSignature[] {
  return meaningsOf(item).flatMap(([raw, spot]) => {
    const kind = raw.event === undefined ? 'function' : 'event';
    const signature = parseSignature(kind, raw.event ?? raw.call!);
    return isFault(signature) ? [] : [{ raw, spot, kind, signature }];
  });
}

/** Compares the signatures of the shapes with those that a contract's ABI has under the same names. */
export function checkAbi(ruleset: Ruleset, abi: readonly AbiEntry[]) {
  const shapes = authored(ruleset.shapes, ruleset);
  /** Signatures of the rules that the ABI has under their name. */
  let count = 0;
  for (const placed of shapes.flatMap(signaturesOf)) {
    const { kind, signature, spot } = placed;
    const of = abi.filter((entry) => entry.kind === kind);
    const alike = of.filter((entry) => entry.signature.name === signature.name);
    const at = spot.at(kind === 'event' ? 'event' : 'call');
    if (alike.length > 0) {
      count += 1;
      compare(placed, alike, at);
    } else {
      const names = of.map((entry) => entry.signature.name);
      const near = didYouMean(signature.name, names);
      if (near !== signature.name) at.report('other_signature', `the ABI has no ${kind} ${near}`);
    }
  }
  const mapped = new Set(ruleset.shapes.flatMap(signaturesOf).map(({ signature }) => signature.id));
  const events = abi.filter(({ kind, signature }) => kind === 'event' && !mapped.has(signature.id));
  // Events that no shape has.
  const unmapped = events.map(({ text }) => text);
  return { problems: shapes[0]?.sink.problems ?? [], count, unmapped };
}

function compare({ raw, signature }: PlacedSignature, alike: readonly AbiEntry[], at: Spot): void {
  const same = alike.filter((entry) => entry.signature.canonical === signature.canonical);
  const known = same.find(({ signature: { params, topicCount } }) =>
    params.every(({ indexed }, i) => topicCount === 0 || indexed === signature.params[i]?.indexed),
  );
  if (known === undefined) return at.report('other_signature', `the ABI has ${(same[0] ?? alike[0]!).text}`);
  const theirs = inputsOf(known.signature);
  for (const [i, name] of inputsOf(signature).entries()) {
    const elsewhere = theirs.indexOf(name);
    if (theirs[i] !== name && elsewhere >= 0)
      return at.report('other_signature', `${name} is at another place in the ABI: ${known.text}`);
    if (theirs[i] !== name && NO_AMOUNTS.test(theirs[i]!) && isAmount(raw, name))
      return at.report('no_amount', `the amount ${name} is ${theirs[i]} in the ABI`);
  }
}

const inputsOf = ({ params, inputs }: ParsedSignature): string[] =>
  params.slice(0, inputs.length).map(({ name }) => name);

/** Whether a leg takes the parameter for its amount. */
function isAmount({ legs = [] }: RawMeaning, name: string): boolean {
  const words = legs.flatMap(({ amount, fees, total }) => [amount, fees, total].flat());
  return words.some((word) => word !== undefined && new RegExp(`\\$${name}(?![\\w.])`).test(word));
}

/** An event or function of a contract's ABI. */
export interface AbiEntry {
  readonly kind: 'event' | 'function';
  /** As in Solidity, without the keyword and the words after the parameters of an event. */
  readonly text: string;
  readonly signature: ParsedSignature;
}

/**
 * The events and functions of an ABI as JSON, of a compiler's artifact or a Solidity interface, or of all
 * such files of a folder.
 * @throws CliError where a file holds none
 */
export function readAbi(path: string): AbiEntry[] {
  const texts = filesOf(path).flatMap((file) => signaturesIn(file));
  const entries = [...new Set(texts)].flatMap((line): AbiEntry[] => {
    const kind = line.startsWith('event ') ? 'event' : 'function';
    const text = line.slice(kind.length + 1);
    const signature = parseSignature(kind, text);
    return isFault(signature) ? [] : [{ kind, text, signature }];
  });
  if (entries.length === 0) throw new CliError(`${path} holds no ABI with events or functions`);
  return entries;
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.(?:json|sol)$/.test(name)).map((name) => join(path, name));
  } catch {
    throw new CliError(`${path}: cannot be read`);
  }
}

function signaturesIn(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  try {
    return Abi.format(path.endsWith('.sol') ? Abi.from(declarationsIn(text)) : abiOf(JSON.parse(text)));
  } catch (error) {
    throw new CliError(`${path}: ${error instanceof SyntaxError ? 'not JSON' : reasonOf(error)}`);
  }
}

/** The list of an ABI; compilers write it into a larger object. */
function abiOf(json: unknown): Abi.Abi {
  const list: unknown = Array.isArray(json) ? json : (json as { abi?: unknown } | null)?.abi;
  if (!Array.isArray(list)) throw new Error('it holds no ABI: a list, or an object with the key abi');
  const items = list.filter((item) => item?.type === 'event' || item?.type === 'function');
  // Hand-written ABIs leave lists out.
  return items.map((item) => ({ ...item, inputs: item.inputs ?? [], outputs: item.outputs ?? [] }));
}

const ELEMENTARY = /^(?:address|bool|string|bytes\d*|u?int\d*|function|mapping)$/;

/** Structs, events and functions that a Solidity text declares, with its own types in those of the ABI. */
function declarationsIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ' ');
  const named = (pattern: RegExp): [string, string][] =>
    [...code.matchAll(pattern)].map(([, name, type]) => [name!, type ?? '']);
  const structs = named(/\bstruct\s+(\w+)\s*\{([^}]*)\}/g);
  const types = new Map([
    ...named(/\benum\s+(\w+)/g).map(([name]) => [name, 'uint8'] as const),
    ...named(/\btype\s+(\w+)\s+is\s+(\w+)/g),
    ...structs.map(([name]) => [name, name] as const),
  ]);
  // A type that the text does not declare is a contract.
  const typed = (params: string): string =>
    params.replace(
      /(^|[,;(])\s*(?:\w+\.)?(\w+)(?=[\s[,);])/g,
      (_, before: string, type: string) =>
        `${before}${ELEMENTARY.test(type) ? type : (types.get(type) ?? 'address')}`,
    );
  const plain = (params: string): string =>
    typed(params.replace(/\s+/g, ' ').trim()).replace(/ payable\b/g, '');
  return [
    ...structs.map(([name, body]) => `struct ${name} { ${plain(body)} }`),
    ...named(/\bevent\s+(\w+)\s*\(([^)]*)\)/g).map(([name, params]) => `event ${name}(${plain(params)})`),
    ...named(/\bfunction\s+(\w+)\s*\(([^)]*)\)/g).map(
      ([name, params]) => `function ${name}(${plain(params)})`,
    ),
  ];
}
