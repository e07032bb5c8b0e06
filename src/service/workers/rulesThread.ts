// A thread that watches and compiles the rule files. Started by `watchRules.ts`, where it is compiled.
import { parentPort, workerData } from 'node:worker_threads';
import { packRulebook } from '../cache/rulebookCache.ts';
import { watchRulebook } from '../../rules/read/watchRulebook.ts';
import { FACT_VOCABULARY } from '../../stages/7-intent/facts/registry.ts';

export interface RulesThreadData {
  readonly dirs: readonly string[];
  /** Of the rulebook in force. */
  readonly digest: string;
}

export type RulesMessage =
  | { readonly rulebook: Uint8Array }
  | { readonly problem: string }
  | { readonly recovered: true };

const send = (message: RulesMessage): void => parentPort!.postMessage(message);
const { dirs, digest } = workerData as RulesThreadData;
watchRulebook(
  dirs,
  (next) => send({ rulebook: packRulebook(next) }),
  (error) => send({ problem: error.message }),
  { facts: FACT_VOCABULARY, digest, onRecover: () => send({ recovered: true }) },
);
// The watch's timer alone would not keep the thread.
parentPort!.on('message', () => {});
