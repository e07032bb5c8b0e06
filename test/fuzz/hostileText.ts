// Text that contracts chose, in every place where a report repeats it: symbols, names and reasons for failing.
import { encodeAbiParameters, encodeErrorResult, parseAbi, parseAbiParameters, type Hex } from 'viem';
import { renderReport } from '../../src/tools/cli/renderReport.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { ODD_TEXTS } from './oddTexts.ts';
import { brokenReport, improperFailure, newTally, type Tally } from './outcome.ts';
import { loadRecordings, type Recorded } from './recordedNode.ts';
import { analyzeCase, type Case } from './upstreamAnswers.ts';

/** Bytes that are no UTF-8: overlong forms, halves of surrogate pairs, cut sequences. */
const ODD_BYTES = [
  'c080',
  'eda080',
  'edb080',
  'f4908080',
  'ff',
  'e282',
  'f09f98',
  '80808080',
  'efbbbf',
  'fffe5500',
  '00'.repeat(32),
  `41${'e280ae'.repeat(80)}`,
];

/** A string in the ABI's form, or a claim to be one. */
const abiString = (hex: string): Hex =>
  `0x${'20'.padStart(64, '0')}${(hex.length / 2).toString(16).padStart(64, '0')}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
const LIES: Hex[] = [
  `0x${'20'.padStart(64, '0')}${'f'.repeat(64)}41`,
  `0x${'f'.repeat(128)}`,
  `0x${'0'.repeat(62)}21${'0'.repeat(64)}41`,
  `0x${'41'.repeat(32)}`,
  `0x${'41'.repeat(20_000)}`,
  '0x41',
  '0x',
];

const texts: Hex[] = [
  ...ODD_TEXTS.map((text) => encodeAbiParameters(parseAbiParameters('string'), [text])),
  ...ODD_BYTES.map(abiString),
  ...LIES,
];

/** Recordings with tokens on both sides of the trade, and one that fails in words. */
const NAMES = ['swap-v2-eth-usdc', 'swap-two-hops', 'erc1155-batch', 'nft-transfer', 'vault-deposit'];

function* casesOf(recordings: readonly Recorded[]): Generator<Case> {
  for (const name of NAMES) {
    const recorded = recordings.find((r) => r.name === name)!;
    for (const [i, text] of texts.entries())
      yield {
        recorded,
        dialect: 'geth',
        what: `${name}, text ${i}`,
        change: (method, result) =>
          method === 'eth_call' && typeof result === 'string' && result.length > 130 && result.length <= 194
            ? text
            : result,
      };
  }
  const failing = recordings.find((r) => r.name === 'reverted-string')!;
  for (const [i, text] of ODD_TEXTS.entries()) {
    const output = encodeErrorResult({
      abi: parseAbi(['error Error(string)']),
      errorName: 'Error',
      args: [text],
    });
    const callTracer = { ...failing.rpc.callTracer, output, revertReason: text, error: text };
    yield {
      recorded: { ...failing, rpc: { ...failing.rpc, callTracer } },
      dialect: 'geth',
      what: `reverted-string, text ${i}`,
      change: (_, result) => result,
    };
  }
}

/** Every odd text in every place. The rendering for terminals may hold no control character but line ends. */
export async function tryHostileText(): Promise<Tally> {
  const tally = newTally('hostile text');
  for (const tried of casesOf(loadRecordings())) {
    tally.tried++;
    const start = performance.now();
    const fail = (why: string): void =>
      void tally.failures.push({ index: tally.tried, what: tried.what, why });
    try {
      const json = await analyzeCase(tried);
      tally.accepted++;
      const report = JSON.parse(json) as TxReport;
      const broken = brokenReport(json);
      if (broken !== null) fail(broken);
      const words = [
        ...report.inventory_deltas.flatMap(({ asset }) => [asset.symbol, asset.name]),
        report.classification.intent_label,
        report.execution.outcome,
      ];
      for (const word of words)
        if (word !== null && [...word].length > 400) fail(`a text of ${word.length} characters`);
      // Colours are off where the output is no terminal; what remains must not steer one.
      const shown = renderReport(report).replaceAll(/\u001b\[\d+m/g, '');
      if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(shown))
        fail('control characters on the terminal');
    } catch (error) {
      // None of these transactions is at fault: its text must not keep it from being told.
      fail(improperFailure(error) ?? `refused: ${(error as Error).message}`);
    }
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - start);
  }
  return tally;
}
