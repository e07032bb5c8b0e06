import type { AssetAmount, Motif, Movement, TxReport } from '../../model/generated/report.ts';
import type { RawChain, RawFrame, RawLog } from './rawChain.ts';

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

function readOperand(text: string, side: Side, context: Context): string | null {
  const { report, motif } = context;
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) side.accounts.push(text);
  else if (/^m-\d+$/.test(text)) {
    const part = report.motifs[Number(text.slice(2))];
    if (part?.id !== text || part.parent_id !== motif.id) return 'is no part of the motif';
    side.parts.push(part);
  } else if (/^(in|out)\d+$/.test(text)) {
    const [, name, index] = /^(in|out)(\d+)$/.exec(text)!;
    const amount = motif[name === 'in' ? 'assets_in' : 'assets_out'][Number(index)];
    if (amount === undefined) return 'is no amount of the motif';
    side.amounts.push(amount);
  } else if (text.startsWith('movement:')) {
    const index = Number(text.slice(9));
    const movement = report.movements?.[index];
    if (movement === undefined || !motif.movements.includes(index)) return 'is no movement of the motif';
    side.movements.push(movement);
  } else return readPlace(text, side, context);
  return null;
}

/** Logs, frames, and amounts in them: of the motif's own evidence. */
function readPlace(text: string, side: Side, { chain, motif }: Context): string | null {
  const place = /^(log|frame|call|output|value):([\d.]*)(?::(.+))?$/.exec(text);
  if (!place) return 'is no operand';
  const [, kind, where, at] = place as unknown as [string, string, string, string?];
  const own = motif.evidence.some(({ log_index: index, frame_path: path }) =>
    kind === 'log' ? index === Number(where) : index === null && path?.join('.') === where,
  );
  const log = kind === 'log' ? chain.logs.get(Number(where)) : undefined;
  const frame = kind === 'log' ? undefined : chain.frames.get(where);
  const found = log ?? frame;
  if (!own || found === undefined) return 'is not among the evidence of the motif';
  if (at !== undefined) return readWord(at, dataOf(kind, log, frame), side);
  if (kind === 'value') side.words.push(frame!.value);
  else {
    side.places.push(log?.address ?? frame!.to);
    if (frame) side.frames.push(frame.path);
  }
  return null;
}

function dataOf(kind: string, log: RawLog | undefined, frame: RawFrame | undefined): readonly string[] {
  if (log) return [log.data, ...log.topics];
  return [kind === 'call' ? frame!.input : frame!.output];
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
