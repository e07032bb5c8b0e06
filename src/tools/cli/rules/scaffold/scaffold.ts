import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { checksumAddress } from '../../../../evm/address.ts';
import { eventKey, eventNamed } from '../../../../evm/signatures.ts';
import { isFault, checkAddress } from '../../../../rules/compile/signature.ts';
import type { Rulebook } from '../../../../model/rulebook.ts';
import { CliError, type CliIo } from '../../cliIo.ts';
import type { ExaminedTx } from '../loadTx.ts';
import { unrecognised } from '../whyNot.ts';
import { readAbi } from '../abi/readAbi.ts';
import { guessMeaning, type Guess } from './guessMeaning.ts';
import { slugOf, writeDraft } from './writeDraft.ts';

export interface ScaffoldOptions {
  readonly abi?: string;
  readonly event?: readonly string[];
  readonly name?: string;
  readonly address?: string;
  /** Every event becomes a motif kind of its own. */
  readonly own?: boolean;
  readonly dir?: string;
}

/** Intents that an act at an unknown contract is usually a part of come after this one. */
const BEFORE = 'WithdrawalRequest';

/** Drafts shape, protocol, words, intent and examples for events, given as texts or in an ABI file. */
export function scaffoldEvents(options: ScaffoldOptions, rulebook: Rulebook, io: CliIo): void {
  const { abi, event = [], address, own = false } = options;
  const events = abi === undefined ? [] : readAbi(abi).filter(({ kind }) => kind === 'event');
  const texts = abi === undefined ? event : events.map(({ text }) => text);
  const { guesses, leftOut } = guessAll(texts, rulebook, { own, all: abi === undefined });
  const fallback = abi === undefined ? guesses[0]!.signature.name : basename(abi, extname(abi));
  if (address !== undefined) {
    const read = checkAddress(address);
    if (isFault(read)) throw new CliError(`${read.code}: ${read.message}`);
  }
  const addresses = address === undefined ? [] : [address];
  const slug = slugOf(options.name ?? fallback);
  const draft = { slug, addresses, guesses, leftOut, recording: null, before: rankOf(rulebook) };
  emitFiles(writeDraft(draft), options.dir, io);
}

/** Drafts rules for the events of a transaction that no shape recognises. */
export function scaffoldTx(
  examined: ExaminedTx,
  options: ScaffoldOptions,
  rulebook: Rulebook,
  io: CliIo,
): void {
  const { tx, recording } = examined;
  const { known, emitters, leftOut } = unknownEvents(examined, rulebook);
  if (known.size === 0)
    throw new CliError(
      ['no event of this transaction is unrecognised and has a known signature', ...leftOut].join('\n'),
    );
  const all = guessAll([...known.values()], rulebook, { own: options.own ?? false, all: true });
  const draft = {
    slug: slugOf(options.name ?? all.guesses[0]!.signature.name),
    addresses: [...emitters],
    guesses: all.guesses,
    leftOut: [...all.leftOut, ...leftOut],
    recording: recording.name === tx.hash ? null : recording.name,
    before: rankOf(rulebook),
  };
  emitFiles(writeDraft(draft), options.dir, io);
}

/** Events that no shape knows: signatures by topic where a table has them, and lines on the others. */
function unknownEvents(examined: ExaminedTx, rulebook: Rulebook) {
  const known = new Map<string, string>();
  const emitters = new Set<string>();
  const leftOut: string[] = [];
  for (const { log, contract, reasons } of unrecognised(examined, rulebook)) {
    if (log === null || reasons.some(({ shape }) => shape !== null)) continue;
    const { topics } = examined.tx.logs[log]!;
    const emitter = checksumAddress(contract);
    const named = topics[0] && eventNamed(rulebook.signatures, topics[0], topics.length);
    if (named) {
      known.set(topics[0]!, named.signature);
      emitters.add(emitter);
    } else
      leftOut.push(
        `topic0 ${topics[0] ?? '(anonymous)'} of ${emitter}: take its signature from the contract's ABI`,
      );
  }
  return { known, emitters, leftOut };
}

function rankOf({ intentKinds }: Rulebook): string {
  if (intentKinds.has(BEFORE)) return BEFORE;
  return [...intentKinds.values()].sort((a, b) => a.rank - b.rank).at(-1)!.kind;
}

/** One guess per event. `all: false`, for an ABI, leaves out administration: it states no amount. */
function guessAll(
  texts: readonly string[],
  rulebook: Rulebook,
  { own, all }: { readonly own: boolean; readonly all: boolean },
): { readonly guesses: readonly Guess[]; readonly leftOut: string[] } {
  const guesses: Guess[] = [];
  const leftOut: string[] = [];
  for (const text of texts) {
    const guess = guessMeaning(text, rulebook, own);
    const known = knownTo(guess, rulebook);
    if (known !== null) leftOut.push(`${guess.text}, known${known}`);
    else if (!all && guess.isOwn && guess.amount === null) leftOut.push(`${guess.text}: it states no amount`);
    else guesses.push(guess);
  }
  if (guesses.length === 0) throw new CliError(['nothing to draft', ...leftOut].join('\n'));
  return { guesses, leftOut };
}

/** ` to <shapes>`, empty for the events of token standards; null for an event that the rules do not know. */
function knownTo({ signature }: Guess, { events }: Rulebook): string | null {
  const { id, topicCount, canonical } = signature;
  const shapes = events.get(eventKey(id, topicCount))?.mappings.map(({ shape }) => shape) ?? [];
  if (shapes.length > 0) return ` to ${[...new Set(shapes)].join(', ')}`;
  return /^(Transfer|Approval|ApprovalForAll)\(/.test(canonical) ? '' : null;
}

/** Prints the files of a draft or, with `dir`, writes those that do not exist. */
export function emitFiles(files: ReadonlyMap<string, string>, dir: string | undefined, io: CliIo): void {
  if (dir === undefined) {
    for (const [path, text] of files) io.out(`# ${path}\n${text}`);
    return;
  }
  const taken = [...files.keys()].filter((path) => existsSync(join(dir, path)));
  for (const [path, text] of files) {
    if (taken.includes(path)) continue;
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
    io.out(`wrote ${join(dir, path)}`);
  }
  for (const path of taken)
    io.out(`${join(dir, path)} exists and is left alone; it needs\n${files.get(path)!}`);
  io.out(
    `next: RULES_DIR=${dir} txreport rules lint, then test; known kinds are shown by the rules in force`,
  );
}
