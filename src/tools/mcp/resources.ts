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

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  read(): string;
}

/** Resources readable without a transaction: the intents, and the rules that recognise them. */
export function createResources(rulebook: Rulebook): Resource[] {
  const json = (uri: string, name: string, description: string, value: () => unknown): Resource => ({
    uri,
    name,
    description,
    mimeType: 'application/json',
    read: () => JSON.stringify(value()),
  });
  return [
    json('txreport://intents', 'Intents', 'Every intent kind, best first, with its rules.', () =>
      intentList(rulebook),
    ),
    json('txreport://rules', 'Rules', 'Every rule: slug, version, intent, proof and required motifs.', () =>
      rulebook.intents.map(({ slug, version, intent, status, proof, requiresAny }) => ({
        slug,
        version,
        intent,
        status,
        proof,
        requires_any: requiresAny,
      })),
    ),
  ];
}
