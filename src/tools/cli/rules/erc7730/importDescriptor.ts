import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checksumAddress } from '../../../../evm/address.ts';
import { signatureWords } from '../../../../lib/lexicon.ts';
import { isRecord, itemsOf, type Fields } from '../../../../lib/shape.ts';
import {
  checkAddress,
  isFault,
  parseSignature,
  type ParsedSignature,
} from '../../../../rules/compile/signature.ts';
import type { Address } from '../../../../model/hex.ts';
import type { Rulebook } from '../../../../model/rulebook.ts';
import { shown } from '../../../wording/text.ts';
import { CliError, type CliIo } from '../../cliIo.ts';
import { openSoundRuleset, rulesetDirs } from '../rulesets.ts';
import {
  ACCOUNTS,
  flowOf,
  hintOf,
  pick,
  roleOf,
  slugOf,
  withoutBindWords,
  writeDraft,
  type Guess,
} from '../scaffold/writeDraft.ts';
import { emitFiles, type NewRuleOptions } from '../newRule.ts';

interface ImportOptions extends Pick<NewRuleOptions, 'name' | 'dir' | 'dirs'> {
  readonly erc7730: string;
}

/** Drafts names of arguments, protocol and shape from an ERC-7730 descriptor. */
export function importDescriptor(options: ImportOptions, io: CliIo): void {
  const descriptor = readDescriptor(options.erc7730);
  const { rulebook } = openSoundRuleset(rulesetDirs(options.dirs));
  const fallback = basename(options.erc7730, '.json').replace(/^calldata-/, '');
  const name = options.name ?? (descriptor.name || fallback);
  const { files, leftOut } = draftOf({ ...descriptor, name }, rulebook);
  emitFiles(files, options.dir, io);
  for (const line of leftOut) io.err(`left out: ${line}`);
}

/** Files by path: the names of arguments, a protocol for addresses that none lists, and a shape. */
export function draftOf({ name, functions, addresses, url }: Descriptor, rulebook: Rulebook) {
  const slug = slugOf(name);
  const guesses: Guess[] = [];
  const leftOut: string[] = [];
  for (const one of functions) {
    const guess = guessCall(one, rulebook);
    if (typeof guess === 'string') leftOut.push(`${shown(one.text)}: ${guess}`);
    else guesses.push(guess);
  }
  const owners = addresses.map((address) => ownerOf(address.toLowerCase() as Address, rulebook));
  const unlisted = addresses.filter((_, i) => owners[i] === undefined);
  const draft = { slug, name, addresses: unlisted, guesses, leftOut: [], recording: null, before: '' };
  const files = new Map(writeDraft(url === null ? draft : { ...draft, reference: url }));
  if (unlisted.length === 0) files.delete(`protocols/${slug}.yaml`);
  const slugs = [...new Set(owners.map((owner) => owner ?? slug))];
  const listed = new Set(owners.flatMap((owner) => rulebook.protocols.get(owner ?? '') ?? []));
  for (const { slug: owner, version } of guesses.length > 0 ? listed : [])
    files.set(
      `protocols/${owner}.yaml`,
      `slug: ${owner}\nversion: ${version + 1}\nshapes: [${slug}]\nextend: true\n`,
    );
  const names = functions.filter(isNamed).map(({ text }) => `${slugs.join(',')} ${text}\n`);
  const lines = [`# ERC-7730 descriptor${url === null ? '' : ` of ${url}`}\n`, ...names.sort()];
  if (names.length > 0) files.set(`signatures/own-${slug}.txt`, lines.join(''));
  return { files, leftOut };
}

/** The protocol or entity that lists the address. */
const ownerOf = (address: Address, { protocolAt, entities }: Rulebook): string | undefined =>
  protocolAt.get(address) ?? entities.get(address)?.slug;

/** Whether the text names its arguments: selectors and mere types name none. */
function isNamed({ text }: DescribedFunction): boolean {
  const signature = parseSignature('function', text);
  return !isFault(signature) && signature.inputs.length > 0 && signature.inputs.every(({ name }) => name);
}

/** The meaning of a call by its words and the amount that a wallet shows, or why it has none. */
function guessCall({ text, intent, amount, token }: DescribedFunction, rulebook: Rulebook): Guess | string {
  const own = parseSignature('function', text);
  const renamed = withoutBindWords(text, 'call');
  const signature = parseSignature('function', renamed);
  if (isFault(own) || isFault(signature)) return 'no signature with the names of its arguments';
  const known = knownAs(signature, rulebook);
  if (known !== null) return known;
  const words = signatureWords('call', { name: `${signature.name} ${intent}`, args: signature.params });
  const hint = hintOf(words, rulebook.lexicon);
  if (!hint) return 'its words hint at no act by which value goes one way';
  const amountWord = bindWord(amount, own, signature);
  if (amountWord === null) return 'it shows no amount that a leg can name';
  const flow = flowOf(hint, words.name);
  const recipient = flow === 'received' ? pick(signature.params, 'address', ACCOUNTS) : null;
  return {
    signature,
    text: renamed,
    kind: hint.kind,
    isOwn: false,
    account: recipient ?? 'caller',
    asset: amountWord === 'value' ? 'native' : bindWord(token, own, signature),
    amount: amountWord,
    flow,
    role: roleOf(hint, flow),
  };
}

function knownAs({ id }: ParsedSignature, { calls, tokenCalls }: Rulebook): string | null {
  if (tokenCalls.has(id)) return 'every token has it';
  const [known] = calls.get(id)?.mappings ?? [];
  return known ? `known to ${known.shape}` : null;
}

const CONTAINER: Readonly<Record<string, string>> = {
  '@.value': 'value',
  '@.to': 'target',
  '@.from': 'caller',
};

/** A path of a descriptor (`order.amounts.[0]`) as rules write it; null for a part that they cannot name. */
function bindWord(path: string | null, own: ParsedSignature, renamed: ParsedSignature): string | null {
  if (path === null) return null;
  if (CONTAINER[path] !== undefined) return CONTAINER[path];
  const [first, ...rest] = path
    .replace(/^#\./, '')
    .replace(/\.\[(\d+)\]/g, '.$1')
    .split('.');
  const at = own.params.findIndex((param) => param.name === first);
  if (at < 0 || !rest.every((step) => /^\w+$/.test(step))) return null;
  return [renamed.params[at]!.name, ...rest].join('.');
}

/** The part of an ERC-7730 descriptor that rules can use. */
export interface Descriptor {
  readonly name: string;
  readonly url: string | null;
  /** On Ethereum mainnet, EIP-55 checksummed. */
  readonly addresses: readonly string[];
  readonly functions: readonly DescribedFunction[];
}

export interface DescribedFunction {
  /** As in Solidity, without the keyword. */
  readonly text: string;
  /** Words that a wallet shows its user. */
  readonly intent: string;
  /** Paths of the first amount and of its token (`order.amount`, `@.value`); null where none is shown. */
  readonly amount: string | null;
  readonly token: string | null;
}

/** A file includes one that may include another. */
const MAX_INCLUDES = 4;

/**
 * Reads a clear-signing descriptor with the files that it includes.
 * @throws CliError that names the file and says why it gives no rules
 */
export function readDescriptor(path: string): Descriptor {
  const whole = readIncluded(path);
  const { context, metadata, display } = whole;
  const refuse = (why: string): CliError => new CliError(`${path}: ${why}`);
  if (objectAt(context, 'eip712'))
    throw refuse('describes typed data that is signed (EIP-712), and no calls');
  const deployments = listAt(objectAt(context, 'contract'), 'deployments');
  const onMainnet = deployments.filter((one) => one['chainId'] === 1).map((one) => String(one['address']));
  if (onMainnet.length === 0) throw refuse('names no deployment on Ethereum mainnet (chain 1)');
  const formats = Object.entries(objectAt(display, 'formats') ?? {});
  if (formats.length === 0) throw refuse('describes no function');
  const definitions = objectAt(display, 'definitions') ?? {};
  const url = textAt(objectAt(metadata, 'info'), 'url');
  const names = ['owner', 'contractName'].map((key) => textAt(metadata, key) ?? '');
  return {
    name: shown(names.join(' ')).trim(),
    url: url?.startsWith('https://') ? shown(url) : null,
    addresses: onMainnet.map((text) => {
      // Registries list addresses in lower case too.
      const address = /^0x[0-9a-f]{40}$/.test(text) ? checksumAddress(text as Address) : text;
      if (isFault(checkAddress(address)))
        throw refuse(`${text.slice(0, 80)} is no address with a right checksum`);
      return address;
    }),
    functions: formats.map(([text, format]) => described(text, format, definitions)),
  };
}

function described(text: string, format: unknown, definitions: Fields): DescribedFunction {
  const fields = flatFields(listAt(format, 'fields'), '', definitions);
  const shown = fields.find((field) => /^(?:tokenAmount|amount)$/.test(textAt(field, 'format') ?? ''));
  return {
    text,
    intent: textAt(format, 'intent') ?? '',
    amount: shown ? textAt(shown, 'path') : null,
    token: shown ? textAt(objectAt(shown, 'params'), 'tokenPath') : null,
  };
}

/** The fields with whole paths and with the definitions that they refer to. */
function flatFields(fields: readonly Fields[], within: string, definitions: Fields): Fields[] {
  return fields.flatMap((field) => {
    const [, name = ''] = /^\$\.display\.definitions\.(\w+)$/.exec(textAt(field, '$ref') ?? '') ?? [];
    const whole = merged(objectAt(definitions, name) ?? {}, field) as Fields;
    const path = within + (textAt(field, 'path') ?? '').replace(/^#\./, '');
    const inner = listAt(field, 'fields');
    return inner.length > 0 ? flatFields(inner, `${path}.`, definitions) : [{ ...whole, path }];
  });
}

function readIncluded(path: string, depth = 0): Fields {
  let own: unknown;
  try {
    own = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliError(`${path}: ${error instanceof SyntaxError ? 'not JSON' : 'cannot be read'}`);
  }
  if (!isRecord(own)) throw new CliError(`${path}: no ERC-7730 descriptor`);
  const includes = textAt(own, 'includes');
  if (includes === null) return own;
  if (/^\w+:/.test(includes) || depth === MAX_INCLUDES)
    throw new CliError(`${path}: includes ${includes.slice(0, 80)}: save it beside, at most 4 deep`);
  return merged(readIncluded(join(dirname(path), includes), depth + 1), own) as Fields;
}

/** ERC-7730: a file's own words go before those of the file that it includes, fields by their path. */
function merged(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above)) {
    const at = (list: readonly unknown[], path: string | null): unknown =>
      path === null ? undefined : list.find((one) => textAt(one, 'path') === path);
    const left = below.filter((one) => textAt(one, 'path') !== null && !at(above, textAt(one, 'path')));
    return [...left, ...above.map((one) => merged(at(below, textAt(one, 'path')), one))];
  }
  if (!isRecord(below) || !isRecord(above)) return above;
  const entries = Object.entries(above).map(
    ([key, value]) => [key, Object.hasOwn(below, key) ? merged(below[key], value) : value] as const,
  );
  return { ...below, ...Object.fromEntries(entries) };
}

const valueAt = (from: unknown, key: string): unknown =>
  isRecord(from) && Object.hasOwn(from, key) ? from[key] : null;

function objectAt(from: unknown, key: string): Fields | null {
  const value = valueAt(from, key);
  return isRecord(value) ? value : null;
}

const listAt = (from: unknown, key: string): readonly Fields[] =>
  itemsOf(valueAt(from, key)).filter(isRecord);

function textAt(from: unknown, key: string): string | null {
  const value = valueAt(from, key);
  return typeof value === 'string' && value !== '' ? value : null;
}
