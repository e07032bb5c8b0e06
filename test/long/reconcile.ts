/**
 * Random transactions on a live devnet, one report each through the service, every report held against the chain.
 * Prints tried and failed per kind; a failure prints what reproduces it. Exits 1 when anything failed.
 *
 *   --count N   transactions (default 2000)      --seed N   others (default 1; the same seed gives the same chain)
 */
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import type { Hex } from 'viem';
import { startDevnet } from '../devnet/deploy.ts';
import { startDemoService } from '../devnet/service.ts';
import { Ctx } from '../devnet/scenario.ts';
import { seedOf } from '../fuzz/random.ts';
import { accountActions } from './accountActions.ts';
import { complaintsAbout } from './compare.ts';
import { Dice, NotNow } from './dice.ts';
import { tokenActions } from './tokenActions.ts';
import { tradeActions } from './tradeActions.ts';

const ACTIONS = { ...tokenActions, ...tradeActions, ...accountActions };

export interface Reconciled {
  readonly tried: number;
  readonly reverted: number;
  /** Kind of transaction to how many were tried. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly intents: ReadonlyMap<string, number>;
  readonly failures: readonly { index: number; kind: string; hash: Hex; complaints: string[] }[];
}

/** Sends one random transaction; kinds that cannot be done just now give way to others. */
async function sendOne(ctx: Ctx, seed: number): Promise<{ kind: string; hash: Hex }> {
  const dice = new Dice(seed, ctx);
  for (let tries = 0; tries < 200; tries++) {
    const kind = dice.pick(Object.keys(ACTIONS));
    try {
      const made = await ACTIONS[kind]!(dice);
      if (typeof made === 'string') return { kind, hash: made };
      const { from, ...request } = made;
      return { kind, hash: await ctx.send(from, request) };
    } catch (error) {
      // Nothing to spend, a view that reverts, or a node that refuses the transaction as unpayable: not sent.
      if (
        !(error instanceof NotNow) &&
        !(error instanceof Error && /RpcError|NotNow/.test(error.name)) &&
        !/nothing failed|reverted|insufficient/i.test((error as Error).message)
      )
        throw error;
    }
  }
  throw new Error('nothing can be done on this chain any more');
}

/** @throws Error when devnet or service cannot be started. */
export async function reconcile(
  count: number,
  seed: number,
  onFailure: (failure: Reconciled['failures'][number]) => void = () => {},
): Promise<Reconciled> {
  const devnet = await startDevnet();
  const service = await startDemoService(devnet.rpcUrl);
  const ctx = new Ctx(devnet.chain, devnet.world, devnet.contracts);
  const kinds = new Map<string, number>();
  const intents = new Map<string, number>();
  const failures: { index: number; kind: string; hash: Hex; complaints: string[] }[] = [];
  let reverted = 0;
  try {
    for (let index = 0; index < count; index++) {
      const { kind, hash } = await sendOne(ctx, seedOf(seed, index));
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if ((await devnet.chain.receipt(hash)).status === '0x0') reverted++;
      const response = await fetch(`${service.url}/analyze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tx_hash: hash }),
      });
      const text = await response.text();
      const complaints =
        response.status === 200
          ? await complaintsAbout(devnet, ctx, hash, text)
          : [`${response.status} ${text}`];
      if (response.status === 200) {
        const { intent_kind: intent, status } = (
          JSON.parse(text) as { classification: { intent_kind: string; status: string } }
        ).classification;
        intents.set(`${intent} ${status}`, (intents.get(`${intent} ${status}`) ?? 0) + 1);
      }
      if (complaints.length === 0) continue;
      failures.push({ index, kind, hash, complaints });
      onFailure(failures.at(-1)!);
    }
  } finally {
    await service.close();
    await devnet.stop();
  }
  return { tried: count, reverted, kinds, intents, failures };
}

async function program(): Promise<void> {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
  });
  const seed = Number(values.seed);
  const start = performance.now();
  const result = await reconcile(Number(values.count), seed, ({ index, kind, hash, complaints }) => {
    console.log(
      `#${index} ${kind} ${hash}\n  ${complaints.slice(0, 6).join('\n  ')}\n  reproduce: --seed ${seed} --count ${index + 1}`,
    );
  });
  const failed = new Map<string, number>();
  for (const { kind } of result.failures) failed.set(kind, (failed.get(kind) ?? 0) + 1);
  console.log(`\n${'kind'.padEnd(36)}  tried  failed`);
  for (const [kind, tried] of [...result.kinds].sort())
    console.log(
      `${kind.padEnd(36)}  ${String(tried).padStart(5)}  ${String(failed.get(kind) ?? 0).padStart(6)}`,
    );
  console.log(
    `\nintents: ${[...result.intents]
      .sort((a, b) => b[1] - a[1])
      .map(([intent, n]) => `${intent} ${n}`)
      .join(', ')}`,
  );
  console.log(
    `seed ${seed}: ${result.tried} transactions tried (${result.reverted} reverted), ${result.failures.length} failed, ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await program();
