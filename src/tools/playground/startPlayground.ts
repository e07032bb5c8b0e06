import {
  RULE_KINDS,
  type RulesAnswer,
  type RecordingsAnswer,
  type RuleKind,
  type TextAnswer,
  type TryAnswer,
} from './answers.ts';
import { traceOf, type Traced } from '../trace/openTraces.ts';
import { servePage, startView, type PageServer, type Routes, type ViewOptions } from '../view/servePage.ts';
import { CliError } from '../cli/cliIo.ts';
import { draftIntent } from '../cli/rules/newRule.ts';
import { examineTx, fetchRecording } from '../cli/rules/loadTx.ts';
import type { Recording } from '../cli/rules/recordings.ts';
import { openUnchangedRuleset, rulesetDirs, type SoundRuleset } from '../cli/rules/rulesets.ts';
import { RequestError } from '../../service/http/errorResponse.ts';
import { readConfig } from '../../service/config.ts';
import { createUpstream } from '../../stages/1-fetch/rpc/upstream.ts';
import type { Hash } from '../../model/hex.ts';
import { problemMeanings } from '../../rules/read/problems.ts';
import type { RuleItem } from '../../rules/compile/ruleItem.ts';
import { openEdited, tryRule } from './tryRule.ts';

interface PlaygroundOptions extends Pick<ViewOptions, 'port' | 'viewerFile'> {
  /** Transactions to try rules on. */
  readonly recordings: readonly Recording[];
  /** Node to ask for transactions that are not recorded. */
  readonly rpcUrl?: string | undefined;
  /** The service the page asks for reports, or a function that answers here; left out: the rules in force. */
  readonly reports?: string | Pick<ViewOptions, 'analyze' | 'trace' | 'examples'>;
}

export type Playground = PageServer;

/** Trying a rule keeps the process busy: one at a time, a few waiting. */
const ONE_AT_A_TIME = { maxConcurrency: 1, maxQueue: 4 };

/** Serves the viewer with the playground on this machine alone. Rejects for a taken port. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { recordings, rpcUrl, reports, ...page } = options;
  const config = rpcUrl === undefined ? null : readConfig({ RPC_URL: rpcUrl });
  const upstream = config && createUpstream({ ...config, priceApiUrl: null });
  /** Recorded, by name or hash, or asked of the node. Names are looked up, never taken for paths. */
  const pick: Choose = async (body) => {
    const [name, hash] = [textOf(body, 'recording'), textOf(body, 'tx_hash')?.toLowerCase() ?? null];
    if ((name === null) === (hash === null)) throw new RequestError(400, 'name one recording or one tx_hash');
    if (hash !== null && !HASH.test(hash)) throw new RequestError(400, 'tx_hash is not a transaction hash');
    const recorded = recordings.find((one) => (name === null ? one.raw.hash === hash : one.name === name));
    if (recorded) return recorded;
    if (name !== null) return none('there is no such recording');
    if (!upstream) return none('this transaction is not recorded, and there is no node to ask');
    return fetchRecording(hash as Hash, { upstream, config, rulebook: inForce().rulebook });
  };
  const names = recordings.map(({ name, raw }) => ({ name, hash: raw.hash }));
  const routes = playgroundRoutes({ recordings: names, node: upstream !== null }, pick);
  const parts = { routes, limits: ONE_AT_A_TIME };
  const settings = { playground: 'on' };
  const { url, close } =
    typeof reports === 'string'
      ? await servePage({
          ...page,
          ...parts,
          settings: { ...settings, api: new URL(reports).href.replace(/\/$/, '') },
        })
      : await startView({ ...page, ...(reports ?? byRulesInForce(pick)), more: { ...parts, settings } });
  return {
    url,
    async close() {
      await close();
      await upstream?.close();
    },
  };
}

/** Reports and calls by the rules in force, which may change between two requests. */
function byRulesInForce(pick: Choose): Pick<ViewOptions, 'analyze' | 'trace'> {
  const traced = async (hash: string): Promise<Traced> =>
    traceOf(await pick({ tx_hash: hash }), inForce().rulebook);
  return {
    analyze: async (hash) => JSON.stringify((await traced(hash)).report),
    trace: async (hash) => (await traced(hash)).tree,
  };
}

type Body = Readonly<Record<string, unknown>>;
/** The transaction that a request names. Throws `RequestError`, `AnalysisError`. */
type Choose = (body: Body) => Promise<Recording>;
/** A broken file can complain without end. */
const MOST_PROBLEMS = 100;
const HASH = /^0x[0-9a-f]{64}$/;

/** Requests of the playground's page. */
function playgroundRoutes(known: RecordingsAnswer, pick: Choose): Routes {
  return {
    get: { '/playground/recordings': () => known, '/playground/rules': listRules },
    post: {
      '/playground/rule': async (body) => sourceOf(textOf(body, 'kind'), textOf(body, 'slug')),
      '/playground/draft': async (body) => draft(await pick(body)),
      '/playground/try': async (body): Promise<TryAnswer> => {
        const text = textOf(body, 'rule');
        if (text === null || text.trim() === '') throw new RequestError(400, 'there is no rule to try');
        const recording = await pick(body);
        const edited = openEdited(text);
        const { kind, slugs, ruleset } = edited;
        const problems = edited.problems
          .slice(0, MOST_PROBLEMS)
          .map((p) => ({ ...p, meaning: problemMeanings()[p.code] }));
        const outcome = ruleset && (await tryRule({ ...edited, ruleset }, inForce().rulebook, recording));
        return { kind, slugs, problems, outcome };
      },
    },
  };
}

/** Read anew after changes: rule editors edit files too. */
function inForce(): SoundRuleset {
  const ruleset = openUnchangedRuleset(rulesetDirs([]));
  if (ruleset.problems.length === 0) return ruleset as SoundRuleset;
  throw new RequestError(
    409,
    `the rules in force have ${ruleset.problems.length} problem(s): fix them first (txreport rules lint)`,
  );
}

function none(message: string): never {
  throw new RequestError(404, message);
}

/** Rules in force by kind. */
function rulesByKind(): Readonly<Record<RuleKind, readonly RuleItem<{ readonly slug: string }>[]>> {
  const { intents: intent, shapes: shape, protocols: protocol, entities: entity } = inForce();
  return { intent, shape, protocol, entity };
}

function listRules(): RulesAnswer {
  const lists = rulesByKind();
  return {
    rules: RULE_KINDS.flatMap((kind) => lists[kind].map(({ value }) => ({ kind, slug: value.slug }))),
  };
}

/** A rule in force as written, prepared to replace itself. */
function sourceOf(kind: string | null, slug: string | null): TextAnswer {
  const known = RULE_KINDS.find((one) => one === kind);
  const item = known && rulesByKind()[known].find(({ value }) => value.slug === slug);
  const text = itemText(item ?? none('there is no such rule'));
  if (/^override:/m.test(text)) return { text };
  return { text: text.replace(/^slug:.*$/m, (line) => `${line}\noverride: true`) };
}

/** The lines of one item: the whole file, or the part behind its dash where the file is a list. */
function itemText({ file, pointer }: RuleItem): string {
  if (pointer === '') return file.text;
  const lines = file.text.split('\n');
  const first = file.locate(pointer).line - 1;
  const end = lines.findIndex((line, i) => i > first && line.startsWith('- '));
  const own = lines.slice(first, end < 0 ? lines.length : end).map((line) => line.slice(2));
  return `${own.join('\n').trimEnd()}\n`;
}

/** A first rule drafted from the transaction, as the command line drafts it. */
async function draft(recording: Recording): Promise<TextAnswer> {
  const ruleset = inForce();
  try {
    return { text: draftIntent(await examineTx(recording, ruleset.rulebook), ruleset) };
  } catch (error) {
    throw error instanceof CliError ? new RequestError(409, error.message) : error;
  }
}

/** A text of the body. Throws `RequestError` 400. */
function textOf(body: Body, key: string): string | null {
  const value = body[key];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new RequestError(400, `${key} is not a text`);
  return value;
}
