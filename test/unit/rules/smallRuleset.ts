import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { FactVocabulary } from '../../../src/rules/compile/facts.ts';

export type Files = Readonly<Record<string, string | Uint8Array | null>>;

/** A few facts of every type. */
export const FACTS: FactVocabulary = {
  facts: [
    { name: 'actor.sent.assets', type: 'count', doc: '' },
    { name: 'actor.received.assets', type: 'count', doc: '' },
    { name: 'actor.is_signer', type: 'boolean', doc: '' },
    { name: 'actor.sides', type: 'enum', values: ['none', 'sent', 'received', 'both'], doc: '' },
    { name: 'motifs.kinds', type: 'list', of: 'motif_kind', doc: '' },
    { name: 'motifs.protocols', type: 'list', of: 'protocol', doc: '' },
    { name: 'motifs.tags', type: 'list', of: 'motif_tag', doc: '' },
    { name: 'actor.tags', type: 'list', of: 'entity_tag', doc: '' },
    { name: 'flow.classes', type: 'list', of: 'asset_class', doc: '' },
    { name: 'tx.tags', type: 'list', values: ['a', 'b', 'c'], doc: '' },
  ],
  motifFacts: (kind) => [{ name: `motif.${kind}.count`, type: 'count', doc: '' }],
};

export const TOKEN = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
export const OTHER = '0xcA11bde05977b3631167028862bE2a173976CA11';

export const SHAPE = `slug: pair
version: 1
status: stable
summary: A pair.
references: [https://example.org/pair]
any_emitter: true
events:
  - event: "Swap(address indexed sender, uint256 amountIn, uint256 amountOut, address indexed to)"
    kind: swap
    roles: {caller: $sender}
    legs:
      - {role: in, to: $venue, amount: $amountIn}
      - {role: out, from: $venue, amount: $amountOut}
source: a package
`;

export const PROTOCOL = `slug: pairs
version: 1
status: stable
name: Pairs
shapes: [pair]
addresses: ["${TOKEN}"]
`;

export const INTENT = `slug: direct
version: 1
status: stable
intent: DirectSwap
label: Swap
rests_on: [swap]
when: {fact: motif.swap.count, is: eq, value: 1}
proof: structural
confidence: {known: High, family: Medium}
examples:
  match: [{facts: {motif.swap.count: 1}}]
  near_miss: [{facts: {motif.swap.count: 2}}]
`;

/** A ruleset without problems; tests lay their own files over it. */
export const SMALL: Files = {
  'ruleset.yaml': 'name: small\nversion: 1.2.3\nengine: 1\n',
  'vocabulary.yaml': `motifs:
  swap: {title: Swap, fragment: DirectSwap}
intents:
  DirectSwap: {category: trade}
  Unknown: {category: unknown}
  Part: {category: trade, headline: false}
leg_roles: {in: sent, out: received}
account_roles: {caller: Who calls., owner: Whose it is.}
`,
  'precedence.yaml': 'order: [DirectSwap, Unknown, Part]\n',
  'entities/base.yaml': `- slug: wrapped
  version: 1
  status: stable
  kind: wrapped_native
  summary: Wrapped.
  references: [https://example.org]
  accounts: [{slug: weth, name: Wrapped, address: "${TOKEN}"}]
- slug: infra
  version: 1
  status: stable
  kind: accounts
  summary: Infrastructure.
  references: [https://example.org]
  accounts: [{slug: multicall, name: Multicall, address: "${OTHER}", tags: [multicall], since_block: 5}]
`,
  'shapes/pair.yaml': SHAPE,
  'protocols/pairs.yaml': PROTOCOL,
  'intents/direct.yaml': INTENT,
};

const made: string[] = [];

/** Writes files to a fresh directory, gone after the test file. A null leaves a file of the same name out. */
export function writeRuleset(...layers: readonly Files[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'ruleset-'));
  made.push(dir);
  for (const [path, content] of Object.entries(Object.assign({}, ...layers) as Files)) {
    if (content === null) continue;
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

afterAll(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});
