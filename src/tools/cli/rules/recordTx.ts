import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hash } from '../../../model/hex.ts';
import { CliError, type CliIo } from './cliIo.ts';
import { fetchTx } from './loadTx.ts';
import { recordingPlaces, type Recording } from './recordings.ts';
import { openSoundRuleset, rulesetDirs } from './rulesets.ts';

/** Saves what the node says about a transaction, so that examples can name it and tests need no node. */
export async function recordTx(
  hash: string,
  options: { name: string; out?: string; dirs?: readonly string[] },
  io: CliIo,
): Promise<number> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) throw new CliError(`${hash} is not a transaction hash`);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(options.name))
    throw new CliError(`${options.name} cannot be the name of a file`);
  const ruleset = openSoundRuleset(rulesetDirs(options.dirs ?? []), io);
  if (ruleset === null) return 1;
  const folder = options.out ?? recordingPlaces()[0]!;
  const path = join(folder, `${options.name}.json`);
  if (existsSync(path)) throw new CliError(`${path} exists: nothing is overwritten`);
  const recording = await fetchTx(hash.toLowerCase() as Hash, ruleset.rulebook);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(recordingJson(recording, options.name))}\n`);
  io.out(`wrote ${path}`);
  return 0;
}

/** The file format that `recordings.ts` reads. Prices are left out: rules never see them. */
export function recordingJson({ raw, context }: Recording, name: string): object {
  const trace =
    raw.trace.dialect === 'parity' ? { trace: raw.trace.result } : { callTracer: raw.trace.result };
  return {
    name,
    hash: raw.hash,
    rpc: { tx: raw.tx, receipt: raw.receipt, block: context.block, ...trace },
    tokens: Object.fromEntries(
      [...context.tokens].map(([address, { symbol, name: title, decimals }]) => [
        address,
        { symbol, name: title, decimals },
      ]),
    ),
    delegations: Object.fromEntries(context.delegations),
  };
}
