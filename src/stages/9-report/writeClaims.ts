import type { CanonicalTx, Evidence, Frame, Log } from '../../model/canonicalTx.ts';
import type { Motif } from '../../model/motif.ts';
import type { Operand } from '../../model/primitive.ts';
import type * as wire from '../../model/generated/report.ts';
import { motifId, type ReportWriter } from './reportWriter.ts';

/** Each name of a motif's claims once: it holds where all claims of this name do. */
export function writeInvariants({ claims }: Motif): wire.Motif['invariants'] {
  const written = new Map<string, boolean>();
  for (const { name, holds } of claims) written.set(name, holds && (written.get(name) ?? true));
  return [...written].map(([name, holds]) => ({ name, holds }));
}

/** A motif's claims with the places that they compare; without a place nothing is claimed. */
export function writeClaims(motif: Motif, writer: ReportWriter, tx: CanonicalTx): wire.Claim[] {
  const { claims, evidence } = motif;
  const texts = (operands: readonly Operand[]): string[] => {
    const places = operands.map((one) => placeOf(one, evidence, writer, tx)).filter((one) => one !== null);
    return places.length < 2 ? places : [...new Set(places)];
  };
  const written: wire.Claim[] = [];
  for (const { name: predicate, holds, operands, against } of claims) {
    const own = texts(operands);
    const other = against ? texts(against) : [];
    if (other.length > 0) written.push({ predicate, operands: own, against: other, holds });
    else if (own.length > 0) written.push({ predicate, operands: own, holds });
  }
  return written;
}

function placeOf(operand: Operand, evidence: readonly Evidence[], writer: ReportWriter, tx: CanonicalTx) {
  if (typeof operand === 'number') return `movement:${operand}`;
  if (typeof operand === 'string') return writer.text(operand);
  if ('act' in operand) return motifId(operand.act.index);
  if ('frame' in operand) return `frame:${writer.framePath(operand.frame)?.join('.') ?? ''}`;
  if ('log' in operand) return `log:${tx.logs[operand.log]!.logIndex}`;
  return findWord(operand.word, evidence, tx);
}

/** Where the evidence states an amount: a word of a log or call, a half of one, or the ether of a call. */
function findWord(word: bigint, evidence: readonly Evidence[], tx: CanonicalTx) {
  const forms = formsOf(word);
  for (const { log, frame } of evidence) {
    const entry = tx.logs[log ?? -1];
    const call = tx.frames[frame ?? -1];
    const place = entry ? findInLog(entry, forms) : call ? findInCall(call, word, forms) : null;
    if (place !== null) return place;
  }
  return null;
}

function findInLog({ topics, data, logIndex }: Log, forms: readonly Form[]): string | null {
  const topic = topics.findIndex((text, i) => i > 0 && text.endsWith(forms[0]!.digits));
  if (topic > 0) return `log:${logIndex}:t${topic}`;
  const place = findDigits(data, 2, forms);
  return place === null ? null : `log:${logIndex}:${place}`;
}

function findInCall(frame: Frame, word: bigint, forms: readonly Form[]): string | null {
  const { input, output, value } = frame;
  const given = findDigits(input, 10, forms);
  if (given !== null) return `call:${frame.path.join('.')}:${given}`;
  const returned = findDigits(output, 2, forms);
  if (returned !== null) return `output:${frame.path.join('.')}:${returned}`;
  return value === word ? `value:${frame.path.join('.')}` : null;
}

interface Form {
  readonly digits: string;
  readonly suffix: string;
}

/** A whole word, a negative one, and halves of words. */
function formsOf(word: bigint): readonly Form[] {
  const form = (value: bigint, length: number, suffix: string): Form => {
    return { digits: value.toString(16).padStart(length, '0'), suffix };
  };
  const whole = [form(word, 64, ''), form(BigInt.asUintN(256, -word), 64, ':-')];
  if (word >> 128n > 0n) return whole;
  return [...whole, form(word, 32, ':16'), form(BigInt.asUintN(128, -word), 32, ':-16')];
}

/** The byte, counted from the start of the hex text, of the first of the forms found; whole words first. */
function findDigits(hex: string, from: number, forms: readonly Form[]): string | null {
  for (const { digits, suffix } of forms) {
    let unaligned: number | null = null;
    for (let at = hex.indexOf(digits, from); at >= 0; at = hex.indexOf(digits, at + 1)) {
      if ((at - from) % 64 === 0) return `${(at - 2) / 2}${suffix}`;
      if (at % 2 === 0) unaligned ??= at;
    }
    if (unaligned !== null) return `${(unaligned - 2) / 2}${suffix}`;
  }
  return null;
}
