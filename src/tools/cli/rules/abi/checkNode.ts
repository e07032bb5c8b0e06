import type { Ruleset } from '../../../../rules/compile/loadRulebook.ts';
import { Spot, type RuleItem } from '../../../../rules/compile/ruleItem.ts';
import type { Problem } from '../../../../rules/read/problems.ts';
import type { RawProtocol } from '../../../../model/generated/rules.ts';
import type { Address, Hex } from '../../../../model/hex.ts';
import { AnalysisError } from '../../../../lib/errors.ts';
import { CHAIN_CALL, type RpcCall } from '../../../../stages/1-fetch/rpc/rpcMessages.ts';
import { createUpstream } from '../../../../stages/1-fetch/rpc/upstream.ts';
import { CliError } from '../../cliIo.ts';
import { readCliConfig } from '../../openAnalyzer.ts';
import { authored, signaturesOf, type PlacedSignature } from './checkAbi.ts';

type Ask = (call: RpcCall) => Promise<unknown>;

/** Blocks with logs to look through for events that the code does not show. */
const RECENT_BLOCKS = 1_000;

/** EIP-1967: where a proxy keeps its implementation, and its beacon. */
const IMPLEMENTATION = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const BEACON = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';

/** `implementation()`, as a beacon answers it. */
const ASK_BEACON = '0x5c60da1b';

/** EIP-1167: code of a minimal proxy, around its implementation. */
const MINIMAL = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af4/;

/** Asks the node of RPC_URL whether the listed contracts hold the signatures of their shapes. */
export async function checkNode(ruleset: Ruleset): Promise<readonly Problem[]> {
  const config = readCliConfig('--node asks a node: set RPC_URL');
  await using upstream = createUpstream({ ...config, priceApiUrl: null });
  const ask: Ask = async (call) => {
    const session = upstream.open({ signal: AbortSignal.timeout(config.deadlineMs) });
    const [answer] = await session.ask((endpoint) => endpoint.send([call], session));
    if (!answer!.ok) throw new CliError(`the node refuses ${call.method}: code ${answer!.error.code}`);
    return answer!.result;
  };
  try {
    const chain = Number(await ask(CHAIN_CALL));
    if (chain !== 1)
      throw new CliError(`the node is of chain ${chain}; the rules are of Ethereum mainnet, 1`);
    const protocols = authored(ruleset.protocols, ruleset);
    for (const item of protocols) await checkProtocol(item, ruleset, ask);
    return protocols[0]?.sink.problems ?? [];
  } catch (error) {
    throw error instanceof AnalysisError ? new CliError(error.message) : error;
  }
}

async function checkProtocol(item: RuleItem<RawProtocol>, { shapes }: Ruleset, ask: Ask): Promise<void> {
  const { addresses = [], shapes: slugs = [] } = item.value;
  const spoken = shapes.filter(({ value }) => slugs.includes(value.slug)).flatMap(signaturesOf);
  const unseen = new Set(spoken);
  for (const [text, spot] of new Spot(item).each('addresses', addresses)) {
    const address = text.toLowerCase() as Address;
    const code = await codeOf(address, ask);
    if (code === '') return spot.report('no_code', 'no contract of Ethereum mainnet has this address');
    const rest = spoken.filter((one) => !code.includes(word(one)));
    const logged = await inLogs(rest, address, ask);
    const found = spoken.filter((one) => !rest.includes(one) || logged.includes(one));
    for (const one of found) unseen.delete(one);
    if (found.length === 0 && spoken.length > 0)
      spot.report('not_on_chain', `nothing of ${slugs.join(', ')} is in its code or its recent logs`);
  }
  if (addresses.length > 0) reportUnseen(item, unseen);
}

function reportUnseen(item: RuleItem<RawProtocol>, unseen: Iterable<PlacedSignature>): void {
  const at = new Spot(item, ['addresses']);
  // A family of other files may have more than this protocol speaks.
  for (const { raw, spot } of unseen)
    if (spot.item.file.layer === item.file.layer && item.file.layer > 0)
      at.report('not_on_chain', `no code or recent log has ${raw.event ?? raw.call!}`);
}

/** Digits that code holds which compares with a selector or logs a topic; compilers drop zeros in front. */
const word = ({ signature }: PlacedSignature): string => signature.id.slice(2).replace(/^(?:00)+/, '');

/** The code at an address and of its implementation; empty where there is none. */
async function codeOf(address: Address, ask: Ask, depth = 3): Promise<string> {
  const own = String(await ask({ method: 'eth_getCode', params: [address, 'latest'] }));
  if (own === '0x') return '';
  const target = depth > 0 ? await implementationOf(address, own, ask) : null;
  return target === null ? own : own + (await codeOf(target, ask, depth - 1));
}

async function implementationOf(address: Address, code: string, ask: Ask): Promise<Address | null> {
  const [, minimal] = MINIMAL.exec(code) ?? [];
  if (minimal) return `0x${minimal}`;
  const slot = async (at: Hex): Promise<Address | null> =>
    addressIn(await ask({ method: 'eth_getStorageAt', params: [address, at, 'latest'] }));
  const named = await slot(IMPLEMENTATION);
  const beacon = named === null ? await slot(BEACON) : null;
  if (beacon === null) return named;
  return addressIn(await ask({ method: 'eth_call', params: [{ to: beacon, data: ASK_BEACON }, 'latest'] }));
}

function addressIn(word: unknown): Address | null {
  const digits = /^0x0{24}([0-9a-f]{40})$/.exec(String(word))?.[1];
  return digits === undefined || /^0+$/.test(digits) ? null : `0x${digits}`;
}

/** The events that the contract logged lately. */
async function inLogs(
  spoken: readonly PlacedSignature[],
  address: Address,
  ask: Ask,
): Promise<PlacedSignature[]> {
  const events = spoken.filter(({ kind }) => kind === 'event');
  if (events.length === 0) return [];
  const latest = Number(await ask({ method: 'eth_blockNumber', params: [] }));
  const fromBlock: Hex = `0x${Math.max(0, latest - RECENT_BLOCKS).toString(16)}`;
  const topics = [[...new Set(events.map(({ signature }) => signature.id as Hex))]];
  const logs = await ask({
    method: 'eth_getLogs',
    params: [{ address, fromBlock, toBlock: 'latest', topics }],
  });
  const logged = new Set((logs as { readonly topics: readonly string[] }[]).map((log) => log.topics[0]));
  return events.filter(({ signature }) => logged.has(signature.id));
}
