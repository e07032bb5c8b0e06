import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Rulebook } from '../../model/rulebook.ts';

/** Every intent kind by rank, with the rules that recognise it. */
export function intentList(rulebook: Rulebook) {
  const intents = [...rulebook.intentKinds.values()]
    .sort((a, b) => a.rank - b.rank)
    .map(({ kind, category, headline }) => ({
      kind,
      category,
      headline,
      rules: rulebook.intents
        .filter((rule) => rule.intent === kind && rule.status !== 'deprecated')
        .map(({ slug, version, proof }) => ({ slug, version, proof })),
    }));
  return { ruleset: rulebook.version, intents };
}

/** Registers resources that need no transaction: the intents, and the rules that recognise them. */
export function registerResources(mcp: McpServer, rulebook: Rulebook): void {
  const json = (name: string, description: string, value: () => unknown): void => {
    const uri = `txreport://${name.toLowerCase()}`;
    const mimeType = 'application/json';
    mcp.registerResource(name, uri, { description, mimeType }, () => ({
      contents: [{ uri, mimeType, text: JSON.stringify(value()) }],
    }));
  };
  json('Intents', 'Every intent kind, best first, with its rules.', () => intentList(rulebook));
  json('Rules', 'Every rule: slug, version, intent, proof and required motifs.', () =>
    rulebook.intents.map(({ slug, version, intent, status, proof, requiresAny: requires_any }) => {
      return { slug, version, intent, status, proof, requires_any };
    }),
  );
}
