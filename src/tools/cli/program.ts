import { Command } from 'commander';
import { addAnalyzeCommand } from './analyzeCommand.ts';
import { addBatchCommand } from './batch/batchCommand.ts';
import { addCompletionCommand } from './completionCommand.ts';
import { addMcpCommand } from './mcpCommand.ts';
import { packageVersion } from './packageVersion.ts';
import { addRulesCommand } from './rules/rulesCommand.ts';
import { addServeCommand } from './serveCommand.ts';
import { addValidateCommand } from './validateCommand.ts';
import { addVerifyCommand } from './verifyCommand.ts';

const HELP = `
Start here:
  export RPC_URL=https://your-node.example      an Ethereum mainnet node with debug_traceTransaction or trace_transaction
  txreport analyze 0x…                          one transaction, on the terminal
  txreport serve                                the HTTP service
  txreport help batch                           every command tells its options, examples and exit status

Exit status: 0 done; 1 it ran and the answer is bad (analysis failed, report invalid, claim not borne out, rule broken);
2 called or configured wrongly, nothing was done; 130 or 143 stopped by a signal.`;

/** The whole command line. Commands load what they need when they run, so that help and completion come at once. */
export function createProgram(): Command {
  const program = new Command('txreport')
    .description(
      'What an Ethereum transaction was for, who acted, what everyone gained and lost, and the proof.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'plain text (also: NO_COLOR=1)')
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 100, 120) })
    .addHelpText('after', HELP)
    .exitOverride();
  addServeCommand(program);
  addAnalyzeCommand(program);
  addBatchCommand(program);
  addVerifyCommand(program);
  addValidateCommand(program);
  addRulesCommand(program);
  addMcpCommand(program);
  addCompletionCommand(program);
  return program;
}
