import { cachedRulebook } from './cache/rulebookCache.ts';
import { createAnalyze } from './createAnalyze.ts';
import { SHIPPED_RULES } from '../rules/read/shippedRules.ts';
import { createReportValidator } from '../stages/9-report/reportValidator.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { Config } from './config.ts';
import type { CreateAnalyze } from './server.ts';
import { createLargeAnalyses } from './workers/largeAnalyses.ts';

/** Puts rules, schemas and upstream together into the analysis that the service serves. */
export const assemble: CreateAnalyze = async ({ upstream, config, log }) => {
  const rules = await rulesInForce(config.rulesDirs);
  const named = await naming(config.addressBook);
  let rulebook = named(rules);
  log.info({ ruleset: rulebook.version, digest: rulebook.digest }, 'rules loaded');
  if (config.rulesReload) {
    const swap = (next: Rulebook): void => {
      rulebook = named(next);
      log.info({ ruleset: next.version, digest: next.digest }, 'rules changed');
    };
    const keep = (error: Error): void =>
      log.error({ problem: error.message }, 'rules changed and are broken: the last good set stays in force');
    const [{ watchRulebook }, { FACT_VOCABULARY }] = await Promise.all([
      import('../rules/read/watchRulebook.ts'),
      import('../stages/7-intent/facts/registry.ts'),
    ]);
    watchRulebook([SHIPPED_RULES, ...config.rulesDirs], swap, keep, {
      facts: FACT_VOCABULARY,
      digest: rules.digest,
    });
  }
  const large = createLargeAnalyses(config, () => rulebook);
  const analyze = createAnalyze({
    upstream,
    rulebook: () => rulebook,
    validate: createReportValidator(),
    maxTokens: config.maxTokens,
    priceSources: config.priceSources,
    large,
  });
  return Object.assign(analyze, { close: () => large.close() });
};

/**
 * The shipped rules with the given overlays. The loader, with all it takes to check rules, is itself loaded only where the
 * build has not compiled these rules already.
 */
async function rulesInForce(overlays: readonly string[]): Promise<Rulebook> {
  const cached = overlays.length === 0 ? cachedRulebook(SHIPPED_RULES) : null;
  return cached ?? (await import('./loadRules.ts')).loadRules(overlays);
}

/** The rules a configuration names, with its address book. Throws `RulebookError` for rules that do not compile. */
export async function configuredRules(config: Pick<Config, 'rulesDirs' | 'addressBook'>): Promise<Rulebook> {
  const named = await naming(config.addressBook);
  return named(await rulesInForce(config.rulesDirs));
}

/** Puts the names of a file of the user's own in place of the shipped ones, where one is configured. */
async function naming(file: string | null): Promise<(rules: Rulebook) => Rulebook> {
  if (file === null) return (rules) => rules;
  const { withAddressBook } = await import('../rules/compile/compileTables.ts');
  return (rules) => withAddressBook(rules, file);
}
