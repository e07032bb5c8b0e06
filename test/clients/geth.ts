/**
 * Runs the whole pipeline live against a real geth and against anvil: the same signed transactions must give the same
 * reports. Then lets geth prune the state of the first block and asks again.  usage: GETH=path/to/geth tsx test/clients/geth.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { jsonText } from '../../src/lib/reportJson.ts';
import { createAnalyzeBlock } from '../../src/service/analyzeBlock.ts';
import { createAnalyze } from '../../src/service/analyzer.ts';
import { resolveBlocks } from '../../src/stages/1-fetch/block/resolveBlocks.ts';
import { startAnvil } from '../devnet/startAnvil.ts';
import { previewMined, previewStories } from './gethPreview.ts';
import {
  analyze,
  check,
  checkSame,
  failures,
  freePort,
  other,
  rulebook,
  sendAll,
  signer,
  transactions,
  startClient,
  upstreamTo,
  validate,
  type LiveChain,
  type Rpc,
  type Sent,
} from './liveChains.ts';

const GETH = process.env['GETH'] ?? 'geth';
/** geth keeps the state of this many blocks. */
const KEPT_BLOCKS = 128;

async function startGeth(): Promise<LiveChain> {
  const folder = mkdtempSync(join(tmpdir(), 'txreport-geth-'));
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
  const zero = [
    'homestead',
    'eip150',
    'eip155',
    'eip158',
    'byzantium',
    'constantinople',
    'petersburg',
    'istanbul',
    'berlin',
    'london',
  ];
  const config = {
    chainId: 1,
    ...Object.fromEntries(zero.map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    blobSchedule: { cancun: { ...blobs, target: 3, max: 6 }, prague: blobs },
  };
  const code = (hex: string): object => ({ balance: '0x0', code: hex });
  const genesis = {
    config,
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x3b9aca00',
    alloc: {
      [signer.address]: { balance: '0xd3c21bcecceda1000000' },
      // System contracts that a Prague block needs (EIP-4788, EIP-2935, EIP-7002, EIP-7251): code that stops will do.
      '0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02': code('0x00'),
      '0x0000F90827F1C53a10cb7A02335B175320002935': code('0x00'),
      '0x00000961Ef480Eb55e80D19ad83579A64c007002': code('0x00'),
      '0x0000BBdDc7CE488642fb579F8B00f3a590007251': code('0x00'),
    },
  };
  writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis));
  const init = spawn(GETH, ['init', '--datadir', folder, join(folder, 'genesis.json')], { stdio: 'ignore' });
  if ((await once(init, 'exit'))[0] !== 0) throw new Error('geth init failed');
  const port = await freePort();
  const args = [
    '--dev',
    '--datadir',
    folder,
    '--http',
    '--http.port',
    String(port),
    '--http.api',
    'eth,debug,net,web3',
    '--authrpc.port',
    '0',
    '--port',
    '0',
    '--ipcdisable',
    '--nodiscover',
    '--verbosity',
    '1',
  ];
  return startClient(GETH, args, { port, folder });
}

/** Hashes of transactions whose report out of the whole block differs from the single one. */
async function differInBlocks(url: string, rpc: Rpc, hashes: readonly Hex[]): Promise<string[]> {
  const upstream = upstreamTo(url, 1_000);
  try {
    const deps = { upstream, rulebook: () => rulebook, validate, maxTokens: 100 };
    const options = () => ({
      signal: new AbortController().signal,
      deadlineAt: performance.now() + 10_000,
    });
    const receipts = await Promise.all(hashes.map((hash) => rpc('eth_getTransactionReceipt', [hash])));
    const numbers = [...new Set(receipts.map(({ blockNumber }) => BigInt(blockNumber as string)))];
    const [single, whole] = [
      createAnalyze(deps),
      createAnalyzeBlock(deps, { intents: null, addresses: null }, () => {}),
    ];
    const found = new Map<string, string>();
    for (const id of await resolveBlocks(upstream.open(options()), numbers)) {
      for (const report of (await whole(id!, options())).reports) {
        found.set((JSON.parse(report) as { tx: { hash: Hex } }).tx.hash, report);
      }
    }
    const differ: string[] = [];
    for (const hash of hashes) {
      const { json } = await single(hash, options());
      if (found.get(hash) !== jsonText(json)) differ.push(hash);
    }
    return differ;
  } finally {
    await upstream.close();
  }
}

const sent = await transactions();
const [geth, anvil] = [await startGeth(), await startAnvil()];
try {
  await anvil.rpc('anvil_setBalance', [signer.address, '0xd3c21bcecceda1000000']);
  const onGeth = await sendAll(geth.rpc, sent);
  const onAnvil = await sendAll(anvil.rpc as Rpc, sent);
  for (const [i, { name }] of sent.entries()) {
    const [a, b] = [await analyze(geth.url, onGeth[i]!), await analyze(anvil.rpcUrl, onAnvil[i]!)];
    checkSame(`${name}: geth and anvil give one report`, a, b);
  }
  await previewMined(
    geth,
    sent.map(({ name }) => name),
    onGeth,
  );
  await previewStories(geth);
  const differ = await differInBlocks(geth.url, geth.rpc, onGeth);
  check('whole blocks of geth give the reports of their transactions', differ.length === 0, () =>
    differ.join(),
  );
  const fillers: Sent[] = [];
  for (let i = 0; i < KEPT_BLOCKS + 8; i++)
    fillers.push({
      name: 'filler',
      raw: await signer.signTransaction({
        to: other,
        nonce: sent.length + i,
        chainId: 1,
        type: 'legacy',
        gas: 21_000n,
        gasPrice: 10n ** 10n,
      }),
    });
  await sendAll(geth.rpc, fillers);
  const late = await analyze(geth.url, onGeth[3]!);
  check(
    'a transaction whose state geth has pruned is a failure that says so',
    late === 'trace_unavailable' || late === 'state_unavailable',
    () => JSON.stringify(late).slice(0, 300),
  );
} finally {
  await geth.stop();
  await anvil.stop();
}
console.log(failures() === 0 ? 'geth: passed' : `geth: ${failures()} failed`);
process.exit(failures() === 0 ? 0 : 1);
