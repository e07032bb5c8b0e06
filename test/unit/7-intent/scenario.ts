import { buildValueFlow } from '../../../src/stages/3-flow/buildValueFlow.ts';
import { prepare } from '../../../src/rules/prepare.ts';
import { kindsWith } from '../../support/builders.ts';
import type { CanonicalTx, Frame, Log } from '../../../src/model/canonicalTx.ts';
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
  const from = options.from ?? SIGNER;
  const to = options.to === undefined ? account('70') : options.to;
  const succeeded = options.succeeded ?? true;
  const input = options.input ?? '0x12345678';
  const frames: Frame[] = [];
  const logs: Log[] = [];
  let seq = 0;
  const frame = (partial: Partial<Frame> & { from: Address; to: Address | null }): void => {
    const index = frames.length;
    frames.push({
      index,
      parent: index === 0 ? null : 0,
      end: index + 1,
      path: index === 0 ? [] : [index - 1],
      type: 'CALL',
      context: partial.to,
      value: 0n,
      input: '0x',
      output: '0x',
      selector: null,
      error: null,
      effective: succeeded,
      static: false,
      seq: seq++,
      ...partial,
    });
  };
  const log = (address: Address, topics: readonly string[], data: Hex): void => {
    logs.push({
      logIndex: logs.length,
      index: logs.length,
      address,
      topics: topics as Hash[],
      data,
      frame: 0,
      seq: seq++,
    });
  };
  const topic = (value: bigint | Address): string => `0x${word(value)}`;
  frame({
    from,
    to: to ?? account('c0de'),
    value: options.value ?? 0n,
    input,
    type: to === null ? 'CREATE' : 'CALL',
  });
  for (const step of options.steps ?? []) {
    if ('token' in step)
      log(step.token, [TRANSFER, topic(step.from), topic(step.to)], `0x${word(step.amount)}`);
    else if ('nft' in step) log(step.nft, [TRANSFER, topic(step.from), topic(step.to), topic(step.id)], '0x');
    else if ('native' in step) frame({ from: step.from, to: step.to, value: step.native });
    else if ('wrap' in step) {
      frame({ from: step.by, to: WETH, value: step.wrap, input: '0xd0e30db0' });
      log(WETH, [DEPOSIT, topic(step.by)], `0x${word(step.wrap)}`);
    } else if ('call' in step) frame({ from: step.from, to: step.call, input: '0x11111111' });
    else log(step.event, [`0x${'ab'.repeat(32)}`], '0x');
  }
  frames[0] = { ...frames[0]!, end: frames.length };
  const tx: CanonicalTx = {
    hash: `0x${'11'.repeat(32)}` as Hash,
    dialect: 'call_tracer',
    blockNumber: 20_000_000n,
    blockHash: `0x${'22'.repeat(32)}` as Hash,
    type: options.type ?? 2,
    from,
    to,
    value: options.value ?? 0n,
    input,
    nonce: 1n,
    succeeded,
    createdContract: to === null ? account('c0de') : null,
    gasUsed: 100_000n,
    effectiveGasPrice: 10n ** 9n,
    blobGasUsed: 0n,
    blobGasPrice: 0n,
    authorizations: options.authorizations ?? [],
    frames,
    logs: succeeded ? logs : [],
  };
  return { tx, flow: buildValueFlow(tx, { wrappedNative: new Set([WETH]), tokenEvents: new Map() }) };
}

/** A motif with only what a test cares about. */
export function motif(kind: string, partial: Partial<Motif> = {}): Motif {
  return {
    index: 0,
    kind,
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
    invariants: [],
    tags: [],
    status: 'Proven',
    doubt: null,
    confidence: 'High',
    movements: [],
    evidence: [],
    ...partial,
  };
}

export function numbered(motifs: readonly Motif[]): Motif[] {
  return motifs.map((m, index) => ({ ...m, index }));
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
    tokenEvents: new Map(),
    tokenCalls: new Map(),
    lexicon: [],
    feeds: [],
    pricing: { registry: null, rates: [], averages: [], apis: [] },
    multicall: { address: account('3c'), sinceBlock: 0n },
    errors: new Map(),
    legRoles: new Map(),
    motifKinds: kindsWith(),
    intentKinds: new Map(),
    intents: [],
    findings: [],
    signatures: { events: '', functions: '' },
    addressBook: '',
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
