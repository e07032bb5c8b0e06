// Runs scenarios one after another on a fresh devnet and tells what each one did.
import type { Address, Hex } from 'viem';
import { startDevnet, type Devnet, type Progress } from './deploy.ts';
import { measure, type Delta } from './measure.ts';
import { Ctx, type Expectation, type Scenario } from './scenario.ts';
import { basics } from './scenarios/basics.ts';
import { composed } from './scenarios/composed.ts';
import { delegated } from './scenarios/delegated.ts';
import { lending } from './scenarios/lending.ts';
import { liquidity } from './scenarios/liquidity.ts';
import { mev } from './scenarios/mev.ts';
import { oddities } from './scenarios/oddities.ts';
import { routes } from './scenarios/routes.ts';
import { settlement } from './scenarios/settlement.ts';
import { smartAccounts } from './scenarios/smartAccounts.ts';
import { swaps } from './scenarios/swaps.ts';
import { transfers } from './scenarios/transfers.ts';
import { yields } from './scenarios/yields.ts';

/** The everyday transactions, in the order they are told. */
export const CORE: Scenario[] = [...transfers, ...swaps, ...liquidity, ...basics];

/** The harder ones, told after the core. */
export const DEEPER: Scenario[] = [
  ...smartAccounts,
  ...delegated,
  ...settlement,
  ...lending,
  ...yields,
  ...mev,
  ...routes,
  ...oddities,
  ...composed,
];
export const ALL: Scenario[] = [...CORE, ...DEEPER];

export interface Told {
  scenario: Scenario;
  hash: Hex;
  /** The expectation with every name replaced by its address. */
  expect: Omit<Expectation, 'signer' | 'actor'> & { signer: Address; actor: Address | null };
}
export interface Story {
  devnet: Devnet;
  ctx: Ctx;
  told: Told[];
  /** Balances before and after one of the transactions, read from the chain. */
  measure(hash: Hex): Promise<Delta[]>;
  stop(): Promise<void>;
}
export interface StoryOptions {
  scenarios?: Scenario[];
  /** Steps of the set-up. */
  onStep?: Progress;
  onScenario?(scenario: Scenario, hash: Hex, index: number, total: number): void;
}

/** Starts a devnet and runs the scenarios (the core story unless told otherwise). Stop it when done. */
export async function runStory(options: StoryOptions = {}): Promise<Story> {
  const scenarios = options.scenarios ?? CORE;
  const devnet = await startDevnet(options.onStep);
  try {
    const ctx = new Ctx(devnet.chain, devnet.world, devnet.contracts);
    const told: Told[] = [];
    for (const scenario of scenarios) {
      const hash = await runScenario(ctx, scenario);
      const { signer, actor } = scenario.expect;
      told.push({
        scenario,
        hash,
        expect: { ...scenario.expect, signer: ctx.at(signer), actor: actor === null ? null : ctx.at(actor) },
      });
      options.onScenario?.(scenario, hash, told.length, scenarios.length);
    }
    return {
      devnet,
      ctx,
      told,
      measure: (hash) => measure(devnet.chain, devnet.world, hash),
      stop: () => devnet.stop(),
    };
  } catch (error) {
    await devnet.stop();
    throw error;
  }
}

async function runScenario(ctx: Ctx, scenario: Scenario): Promise<Hex> {
  try {
    await scenario.setup?.(ctx);
    return await scenario.run(ctx);
  } catch (cause) {
    throw new Error(`scenario ${scenario.name}: ${(cause as Error).message}`, { cause });
  }
}
