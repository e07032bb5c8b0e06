import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { prepare } from '../../../src/rules/prepare.ts';
import { kindOf } from '../../../src/lib/motifKinds.ts';
import { classified, kindsWith, txOf, type Happening } from '../../support/builders.ts';
import type { CanonicalTx, Frame } from '../../../src/model/canonicalTx.ts';
import type { Address, Hash, Hex } from '../../../src/model/hex.ts';
import type { Motif } from '../../../src/model/motif.ts';
import type { CompiledRules, Entity, Rulebook } from '../../../src/model/rulebook.ts';
import type { ValueFlow } from '../../../src/model/valueFlow.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';

/** A readable account: `account('a1')` is 0x…a1 in the low bytes, padded so that it is no precompile. */
export function account(tail: string): Address {
  return `0x${'c0ffee'}${tail.padStart(34, '0')}` as Address;
}
export const SIGNER = account('51');
export const WETH = account('feed');
export const ZERO = `0x${'0'.repeat(40)}` as Address;
const word = (value: bigint | Address): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');

export type Step =
  | { token: Address; from: Address; to: Address; amount: bigint }
  | { nft: Address; id: bigint; from: Address; to: Address }
  | { native: bigint; from: Address; to: Address }
  | { wrap: bigint; by: Address }
  | { event: Address }
  | { call: Address; from: Address };

export interface Scenario {
  tx: CanonicalTx;
  flow: ValueFlow;
}

/** A transaction told in steps, as stages 2 and 3 would hand it on. */
export function scenario(options: {
  from?: Address;
  to?: Address | null;
  input?: Hex;
  value?: bigint;
  type?: number;
  succeeded?: boolean;
  steps?: readonly Step[];
  authorizations?: CanonicalTx['authorizations'];
}): Scenario {
  const { steps = [], from = SIGNER, to = account('70'), input = '0x12345678', succeeded = true } = options;
  const word32 = (value: bigint | Address): Hash => `0x${word(value)}`;
  const log = (address: Address, topics: readonly string[], data: Hex): Happening => ({
    log: { address, topics: topics as Hash[], data },
  });
  const call = (caller: Address, callee: Address, more: Partial<Frame>): Happening => ({
    call: { effective: succeeded, from: caller, to: callee, ...more, selector: null },
  });
  const happenings = steps.flatMap((step): Happening[] => {
    if ('token' in step)
      return [log(step.token, [TRANSFER, word32(step.from), word32(step.to)], word32(step.amount))];
    if ('nft' in step)
      return [log(step.nft, [TRANSFER, word32(step.from), word32(step.to), word32(step.id)], '0x')];
    if ('native' in step) return [call(step.from, step.to, { value: step.native })];
    if ('wrap' in step)
      return [
        call(step.by, WETH, { value: step.wrap, input: '0xd0e30db0' }),
        log(WETH, [DEPOSIT, word32(step.by)], word32(step.wrap)),
      ];
    if ('call' in step) return [call(step.from, step.call, { input: '0x11111111' })];
    return [log(step.event, [`0x${'ab'.repeat(32)}`], word32(1n))];
  });
  const created = to === null ? account('c0de') : null;
  const told = txOf(happenings, {
    from,
    to,
    input,
    succeeded,
    value: options.value ?? 0n,
    type: options.type ?? 2,
    effectiveGasPrice: 10n ** 9n,
    blockHash: HEADER.hash,
    createdContract: created,
    authorizations: options.authorizations ?? [],
    root: {
      ...(created && { type: 'CREATE', to: created, context: created }),
      effective: succeeded,
      selector: null,
    },
  });
  const tx = succeeded ? told : { ...told, logs: [] };
  return { tx, flow: buildValueFlow(tx, { wrappedNative: new Set([WETH]), tokenEvents: new Map() }) };
}

const DEFAULT_KINDS = { motifKinds: kindsWith() };

/** A motif with only what a test cares about. */
export function motif(kind: string, partial: Partial<Motif> = {}): Motif {
  return {
    index: 0,
    kind,
    traits: kindOf(DEFAULT_KINDS, kind),
    protocol: { slug: 'some-protocol', version: 1, matchedBy: 'address' },
    basis: 'event',
    venue: account('f0'),
    poolId: null,
    seq: 1,
    scopeFrame: null,
    parent: null,
    participants: [],
    assetsIn: [],
    assetsOut: [],
    claims: [],
    tags: [],
    status: 'Proven',
    doubt: null,
    confidence: 'High',
    movements: [],
    evidence: [],
    ...partial,
  };
}

export function numbered(motifs: readonly Motif[], motifKinds = DEFAULT_KINDS.motifKinds): Motif[] {
  return classified(motifs, { motifKinds }).map((m, index) => ({ ...m, index }));
}

/** A rulebook without rules: wrapped native and whatever entities the test names. */
export function bareRulebook(
  partial: Partial<CompiledRules> & { tags?: Record<Address, readonly string[]> } = {},
): Rulebook {
  const entities = new Map<Address, Entity>(
    Object.entries(partial.tags ?? {}).map(([a, tags]) => [a as Address, { slug: a, name: a, tags }]),
  );
  return prepare({
    version: '0.0.0',
    digest: 'sha256:0',
    events: new Map(),
    calls: new Map(),
    wrappedNative: new Set([WETH]),
    assetClasses: new Map(),
    knownTokens: new Map(),
    knownNames: new Map(),
    tokenFacts: new Map(),
    tokenEvents: new Map(),
    tokenCalls: new Map(),
    lexicon: [],
    feeds: [],
    pricing: { registry: null, rates: [], averages: [], apis: [] },
    nameResolver: null,
    multicall: { address: account('3c'), sinceBlock: 0n },
    errors: new Map(),
    unlimited: { from: 2n ** 128n - 1n, exactly: new Set([2n ** 96n - 1n]) },
    motifKinds: kindsWith(),
    intentKinds: new Map(),
    intents: [],
    findings: [],
    signatures: { events: { text: '' }, functions: { text: '' }, own: { text: '' } },
    addressBook: { text: '' },
    protocolAt: new Map(),
    protocols: new Map(),
    entities,
    ...partial,
  });
}

export const HEADER = {
  number: 20_000_000n,
  hash: `0x${'22'.repeat(32)}` as Hash,
  timestamp: 1_700_000_000,
  baseFeePerGas: 10n ** 9n,
  coinbase: account('cb'),
};
