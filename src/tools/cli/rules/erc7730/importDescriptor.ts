import { basename } from 'node:path';
import { signatureWords } from '../../../../lib/lexicon.ts';
import { isFault, parseSignature, type ParsedSignature } from '../../../../rules/compile/signature.ts';
import type { Address } from '../../../../model/hex.ts';
import type { Rulebook } from '../../../../model/rulebook.ts';
import { shown } from '../../../wording/text.ts';
import type { CliIo } from '../../cliIo.ts';
import { openSoundRuleset, rulesetDirs } from '../rulesets.ts';
import {
  ACCOUNTS,
  flowOf,
  hintOf,
  pick,
  roleOf,
  withoutBindWords,
  type Guess,
} from '../scaffold/guessMeaning.ts';
import { emitFiles } from '../scaffold/scaffold.ts';
import { slugOf, writeDraft } from '../scaffold/writeDraft.ts';
import { readDescriptor, type DescribedFunction, type Descriptor } from './readDescriptor.ts';

export interface ImportOptions {
  readonly erc7730: string;
  readonly name?: string;
  readonly dir?: string;
  readonly dirs?: readonly string[];
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
  const guessed = functions.map((one) => ({ text: one.text, guess: guessCall(one, rulebook) }));
  const guesses = guessed.flatMap(({ guess }) => (typeof guess === 'string' ? [] : [guess]));
  const leftOut = guessed.flatMap(({ text, guess }) =>
    typeof guess === 'string' ? `${shown(text)}: ${guess}` : [],
  );
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
  return at < 0 || !rest.every((step) => /^\w+$/.test(step))
    ? null
    : [renamed.params[at]!.name, ...rest].join('.');
}
