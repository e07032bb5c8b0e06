// A devnet ready for use: anvil with everything deployed, funded and priced. The finished chain is cached as a dump
// outside git (it holds other projects' bytecode); a fresh anvil always starts from that dump, first run or not,
// so block numbers, times and hashes are the same either way.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { addressOf } from './accounts.ts';
import { lockFile } from './artifacts.ts';
import { Chain } from './chain.ts';
import {
  CACHE_DIR,
  compileContracts,
  digest,
  ownSources,
  writeAtomically,
  type Contracts,
} from './compile.ts';
import { deployAave } from './deploy/aave.ts';
import { deployAccounts } from './deploy/accounts.ts';
import { deployOwn } from './deploy/own.ts';
import { deployTokens, fund, updateFeeds } from './deploy/tokens.ts';
import { deployUniswap, openPools } from './deploy/uniswap.ts';
import { startAnvil, type Anvil } from './startAnvil.ts';
import type { World } from './world.ts';

export interface Devnet extends Anvil {
  chain: Chain;
  world: World;
  contracts: Contracts;
}
export type Progress = (step: string) => void;

/** Seconds between the genesis of the set-up and the first block of the story; feeds are fresh at that moment. */
const STORY_TIMESTAMP = 1_735_693_200;

/** Starts anvil and brings the world onto it. `stop()` ends it; it also ends with the process, however that ends. */
export async function startDevnet(progress: Progress = () => {}): Promise<Devnet> {
  const snapshot = await preparedChain(progress);
  progress('starting anvil');
  const anvil = await startAnvil();
  try {
    progress('loading contracts');
    await anvil.rpc('anvil_loadState', [snapshot.dump]);
    const { builder } = snapshot;
    await anvil.rpc('anvil_setCoinbase', [builder]);
    // One empty block first: the dump brings the latest state only, and a trace of block N needs the state of N-1.
    await anvil.rpc('anvil_setNextBlockTimestamp', [STORY_TIMESTAMP]);
    await anvil.rpc('anvil_mine', ['0x1']);
    return { ...anvil, chain: new Chain(anvil.rpc), world: snapshot.world, contracts: compileContracts() };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

interface Snapshot {
  dump: string;
  world: World;
  builder: string;
}

async function preparedChain(progress: Progress): Promise<Snapshot> {
  const path = join(
    CACHE_DIR,
    `devnet-${digest([lockFile(), ...Object.entries(ownSources()).flat(), ...setupSources()])}.json`,
  );
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Snapshot;
  } catch {
    /* not built yet */
  }
  progress('compiling contracts (once)');
  const own = compileContracts();
  progress('deploying contracts (once)');
  const anvil = await startAnvil();
  try {
    const world = await deployWorld(new Chain(anvil.rpc), own);
    const snapshot = {
      dump: withoutHistory((await anvil.rpc('anvil_dumpState', [])) as string),
      world,
      builder: addressOf('builder'),
    };
    writeAtomically(path, JSON.stringify(snapshot));
    return snapshot;
  } finally {
    await anvil.stop();
  }
}

/**
 * A dump with the accounts and the last block alone: nobody asks about the set-up's transactions, and with them the
 * dump is larger than a request anvil accepts (2 MB).
 */
function withoutHistory(dump: string): string {
  const state = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()) as {
    best_block_number: number;
    blocks: { header: { number: string } }[];
    transactions: unknown[];
  };
  const blocks = state.blocks.filter(({ header }) => Number(header.number) === state.best_block_number);
  return `0x${gzipSync(JSON.stringify({ ...state, blocks, transactions: [] })).toString('hex')}`;
}

async function deployWorld(chain: Chain, own: Contracts): Promise<World> {
  const world: World = { contracts: {}, assets: {} };
  for (const name of ['deployer', 'maker'])
    await chain.rpc('anvil_setBalance', [addressOf(name), '0x21e19e0c9bab24000000']);
  await deployTokens(chain, own, world);
  await deployOwn(chain, own, world);
  await deployUniswap(chain, world);
  await fund(chain, own, world);
  await openPools(chain, world);
  await deployAccounts(chain, world);
  await deployAave(chain, world);
  // A round of prices just before the story begins, so that it finds them fresh.
  await chain.rpc('anvil_setNextBlockTimestamp', [STORY_TIMESTAMP - 300]);
  await updateFeeds(chain);
  return world;
}

/** Everything that decides what the dump contains. */
function setupSources(): string[] {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const files = [
    ...readdirSync(join(here, 'deploy'))
      .sort()
      .map((name) => join('deploy', name)),
    'deploy.ts',
    'chain.ts',
    'accounts.ts',
    'addresses.ts',
    'artifacts.ts',
    'compile.ts',
    'startAnvil.ts',
    'world.ts',
  ];
  return files.map((name) => readFileSync(join(here, name), 'utf8'));
}
