import { Command } from 'commander';
import { addRulesCommand } from '../../src/tools/cli/rules/rulesCommand.ts';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `txreport rules …` in this process and catches what it prints. */
export async function runRules(...args: string[]): Promise<Run> {
  const out: string[] = [];
  const err: string[] = [];
  const program = new Command('txreport').exitOverride();
  addRulesCommand(program, { out: (line) => out.push(line), err: (line) => err.push(line) });
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await program.parseAsync(['rules', ...args], { from: 'user' });
    return { code: Number(process.exitCode ?? 0), out: out.join('\n'), err: err.join('\n') };
  } finally {
    process.exitCode = before;
  }
}
