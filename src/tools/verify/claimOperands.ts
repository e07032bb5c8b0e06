import type { AssetAmount, Motif, Movement, TxReport } from '../../model/generated/report.ts';
import { placeOf } from './checkEvidence.ts';
import type { RawChain, RawFrame } from './rawChain.ts';

/** A claim's operands of one side, read from the report and the chain. */
export type Side = ReturnType<typeof emptySide>;

const emptySide = () => ({
  movements: [] as Movement[],
  amounts: [] as AssetAmount[],
  words: [] as bigint[],
  accounts: [] as string[],
  parts: [] as Motif[],
  /** Contracts that emitted the logs and that the frames ran. */
  places: [] as string[],
  frames: [] as string[],
});

export interface Context {
  readonly report: TxReport;
  readonly chain: RawChain;
  readonly motif: Motif;
  /** The id of an asset, ether's for tokens that wrap it. */
  readonly merged: (asset: string) => string;
}

/** Reads operands; a text says why one is wrong. */
export function readSide(texts: readonly string[], context: Context): Side | string {
  const side = emptySide();
  if (new Set(texts).size < texts.length) return 'names one operand twice';
  for (const text of texts) {
    const problem = readOperand(text, side, context);
    if (problem !== null) return `${text} ${problem}`;
  }
  return side;
}

/** Keeps an operand; else the reason why there is none. */
function keep<T>(list: T[], found: T | false | undefined, otherwise = ''): string | null {
  if (found === undefined || found === false) return otherwise;
  list.push(found);
  return null;
}

function readOperand(text: string, side: Side, context: Context): string | null {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return keep(side.accounts, text);
  const own = /^(?:(m-|in|out)(\d+)|movement:(.*))$/s.exec(text);
  return own ? readOwn(own, side, context) : readPlace(text, side, context);
}

/** Parts, amounts and movements of the motif. */
function readOwn(match: readonly string[], side: Side, { report, motif }: Context): string | null {
  const [text, form, index, movement] = match;
  if (form === 'm-') {
    const part = report.motifs[Number(index)];
    const isOwn = part?.id === text && part?.parent_id === motif.id;
    return keep(side.parts, isOwn && part, 'is no part of the motif');
  }
  if (form === undefined) {
    const isOwn = motif.movements.includes(Number(movement));
    return keep(side.movements, isOwn && report.movements?.[Number(movement)], 'is no movement of the motif');
  }
  const amount = motif[form === 'in' ? 'assets_in' : 'assets_out'][Number(index)];
  return keep(side.amounts, amount, 'is no amount of the motif');
}

/** Logs, frames, and amounts in them: of the motif's own evidence. */
function readPlace(text: string, side: Side, { chain, motif }: Context): string | null {
  const [, kind, where = '', at] = /^(log|frame|call|output|value):([\d.]*)(?::(.+))?$/.exec(text) ?? [];
  if (kind === undefined) return 'is no operand';
  const place = kind === 'log' ? `log ${Number(where)}` : `frame ${where}`;
  const found = kind === 'log' ? chain.logs.get(Number(where)) : chain.frames.get(where);
  if (!found || !motif.evidence.some((own) => placeOf(own) === place))
    return 'is not among the evidence of the motif';
  if (!('topics' in found)) return readFrame(found, kind, at, side);
  const { address, data, topics } = found;
  return at === undefined ? keep(side.places, address) : readWord(at, [data, ...topics], side);
}

function readFrame(frame: RawFrame, kind: string, at: string | undefined, side: Side): string | null {
  if (at !== undefined) return readWord(at, [kind === 'call' ? frame.input : frame.output], side);
  if (kind === 'value') return keep(side.words, frame.value);
  return keep(side.frames, frame.path) ?? keep(side.places, frame.to);
}

/** An amount at a byte of the data, or in a topic, which follow it in `data`. */
function readWord(at: string, [data = '0x', ...topics]: readonly string[], side: Side): string | null {
  const match = /^(t?)(\d+)(?::(-?)(16)?)?$/.exec(at);
  if (!match) return 'is no operand';
  const [topic, place] = [match[1] === 't', Number(match[2])];
  const [bits, hex] = [match[4] ? 128 : 256, topic ? (topics[place] ?? '0x') : data];
  const start = topic ? 2 : 2 + place * 2;
  const digits = hex.slice(start, start + bits / 4);
  if (digits.length < bits / 4) return 'is beyond the data';
  const value = BigInt(`0x${digits}`);
  side.words.push(match[3] ? -BigInt.asIntN(bits, value) : value);
  return null;
}
