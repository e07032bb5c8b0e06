// What a transaction really changed: balances read from the chain before and after it. No log is believed, they only
// say where to look; so this can prove a report right or wrong without knowing how it was made.
import {
  decodeAbiParameters,
  decodeFunctionResult,
  getAddress,
  parseAbi,
  type Address,
  type Hex,
} from 'viem';
import { MAINNET } from './addresses.ts';
import { fn, type Chain, type Receipt } from './chain.ts';
import type { World } from './world.ts';

export interface Delta {
  subject: Address;
  kind: 'native' | 'erc20' | 'erc721' | 'erc1155';
  address: Address | null;
  tokenId: bigint | null;
  delta: bigint;
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
const ZERO = '0x0000000000000000000000000000000000000000';

interface Probe {
  subject: Address;
  kind: Delta['kind'];
  address: Address | null;
  tokenId: bigint | null;
  target: Address;
  data: Hex;
}
interface Frame {
  from: Hex;
  to?: Hex;
  calls?: Frame[];
}

/**
 * Every non-zero change of every account that took part, in every asset of the world or of the receipt. The native
 * deltas leave out gas: the sender's fee is added back and the builder's tip taken off.
 */
export async function measure(chain: Chain, world: World, hash: Hex): Promise<Delta[]> {
  const receipt = await chain.receipt(hash);
  const trace = (await chain.rpc('debug_traceTransaction', [hash, { tracer: 'callTracer' }])) as Frame;
  const block = (await chain.rpc('eth_getBlockByNumber', [receipt.blockNumber, false])) as {
    miner: Address;
    baseFeePerGas: Hex;
  };
  const probes = whatToRead(world, receipt, [...subjectsOf(trace, receipt), getAddress(block.miner)]);
  const before = await readAll(chain, probes, `0x${(BigInt(receipt.blockNumber) - 1n).toString(16)}`);
  const after = await readAll(chain, probes, receipt.blockNumber);
  const price = BigInt(receipt.effectiveGasPrice);
  const gas = BigInt(receipt.gasUsed);
  const fee =
    gas * price +
    BigInt(receipt.blobGasUsed ?? 0) * BigInt(receipt.blobGasUsed ? (receipt.blobGasPrice ?? 0) : 0);
  return probes
    .map((probe, i) => {
      let delta = after[i]! - before[i]!;
      if (probe.kind === 'native' && probe.subject === getAddress(receipt.from)) delta += fee;
      if (probe.kind === 'native' && probe.subject === getAddress(block.miner))
        delta -= gas * (price - BigInt(block.baseFeePerGas));
      return {
        subject: probe.subject,
        kind: probe.kind,
        address: probe.address,
        tokenId: probe.tokenId,
        delta,
      };
    })
    .filter(({ delta }) => delta !== 0n)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const key = (d: Delta) => `${d.subject} ${d.kind} ${d.address} ${d.tokenId}`;

/** Whoever called, was called, or is named by a transfer. The zero address holds nothing that balanceOf would tell. */
function subjectsOf(trace: Frame, { logs }: Receipt): Address[] {
  const found = new Set<Address>();
  const add = (value: string | undefined) => {
    if (value && BigInt(value) !== 0n) found.add(getAddress(value));
  };
  const walk = (frame: Frame) => {
    add(frame.from);
    add(frame.to);
    frame.calls?.forEach(walk);
  };
  walk(trace);
  for (const { topics } of logs)
    if ([TRANSFER, SINGLE, BATCH].includes(topics[0] ?? ''))
      for (const topic of topics.slice(topics[0] === TRANSFER ? 1 : 2, topics[0] === TRANSFER ? 3 : 4))
        add(`0x${topic.slice(26)}`);
  // Precompiles own nothing.
  return [...found].filter((address) => BigInt(address) > 0xffffn);
}

function whatToRead(world: World, { logs }: Receipt, subjects: Address[]): Probe[] {
  const fungible = new Set(
    Object.values(world.assets)
      .filter(({ kind }) => kind === 'erc20')
      .map(({ address }) => getAddress(address)),
  );
  const unique = new Map<string, { kind: 'erc721' | 'erc1155'; address: Address; id: bigint }>();
  for (const { address: raw, topics, data } of logs) {
    const address = getAddress(raw);
    const note = (kind: 'erc721' | 'erc1155', id: bigint) =>
      unique.set(`${address}/${id}`, { kind, address, id });
    if (topics[0] === TRANSFER && topics.length === 3) fungible.add(address);
    if (topics[0] === TRANSFER && topics.length === 4) note('erc721', BigInt(topics[3]!));
    if (topics[0] === SINGLE)
      note('erc1155', decodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], data)[0]);
    if (topics[0] === BATCH)
      for (const id of decodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], data)[0])
        note('erc1155', id);
  }
  const probes: Probe[] = [];
  for (const subject of new Set(subjects)) {
    probes.push({
      subject,
      kind: 'native',
      address: null,
      tokenId: null,
      target: MAINNET.multicall3,
      data: fn('getEthBalance(address)', [subject]),
    });
    for (const address of fungible)
      probes.push({
        subject,
        kind: 'erc20',
        address,
        tokenId: null,
        target: address,
        data: fn('balanceOf(address)', [subject]),
      });
    for (const { kind, address, id } of unique.values())
      probes.push({
        subject,
        kind,
        address,
        tokenId: id,
        target: address,
        data:
          kind === 'erc721' ? fn('ownerOf(uint256)', [id]) : fn('balanceOf(address,uint256)', [subject, id]),
      });
  }
  return probes;
}

const AGGREGATE = 'aggregate3((address,bool,bytes)[]) view returns ((bool,bytes)[])';

async function readAll(chain: Chain, probes: Probe[], block: Hex): Promise<bigint[]> {
  const calls = probes.map(({ target, data }) => [target, true, data]);
  const data = (await chain.rpc('eth_call', [
    { to: MAINNET.multicall3, data: fn(AGGREGATE, [calls]), gas: '0x1c9c380' },
    block,
  ])) as Hex;
  const results = decodeFunctionResult({
    abi: parseAbi([`function ${AGGREGATE}`]),
    data,
  } as never) as unknown as [boolean, Hex][];
  return results.map(([ok, word], i) => {
    const value = ok && word.length >= 66 ? BigInt(word.slice(0, 66)) : 0n;
    // An ERC-721 has one owner: the question is whether it is this subject.
    if (probes[i]!.kind !== 'erc721') return value;
    return value === BigInt(probes[i]!.subject) && probes[i]!.subject !== ZERO ? 1n : 0n;
  });
}
