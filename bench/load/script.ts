import { Answers } from '../answers.ts';
import { built } from '../product.ts';
import { timedUpstream } from '../timedUpstream.ts';
import type { Recorded } from '../recordings.ts';

const { createAnalyze } = await built<typeof import('../../src/service/analyzer.ts')>('service/analyzer.js');
const { loadRules } = await built<typeof import('../../src/service/loadRules.ts')>('service/loadRules.js');

/** What the floor service sends upstream and answers, by transaction hash. */
export type Script = Readonly<
  Record<string, { readonly requests: readonly string[]; readonly report: string }>
>;

/** The service's own requests and reports for every transaction it does not refuse. */
export async function writeScript(recorded: readonly Recorded[]): Promise<Script> {
  const script: Record<string, Script[string]> = {};
  const rulebook = loadRules();
  const answers = new Answers(recorded);
  for (const one of recorded) {
    const requests: string[] = [];
    const upstream = timedUpstream((_hash, _round, calls) => {
      requests.push(JSON.stringify(calls));
      return answers.respond(calls);
    });
    const analyze = createAnalyze({
      upstream,
      rulebook: () => rulebook,
      validate: () => {},
      maxTokens: 2_000,
    });
    try {
      const { json } = await analyze(one.hash, {
        signal: new AbortController().signal,
        deadlineAt: Infinity,
      });
      script[one.hash] = { requests, report: String(json) };
    } catch {
      // Refused by the service: nothing to compare.
    }
  }
  return script;
}
