import { Command } from 'commander';
import { analyzeCommand } from './analyzeCommand.ts';
import { blockCommand, demoCommand, readPort, viewCommand } from './viewCommands.ts';
import { batchCommand } from './batch/batchCommand.ts';
import { completeCommand, completionCommand } from './completionCommand.ts';
import { packageVersion, type CommonOptions } from './cliIo.ts';
import { columnsOf } from './layout.ts';
import { doctorCommand } from './doctorCommand.ts';
import { ledgerCommand } from './ledgerCommand.ts';
import { previewCommand } from './previewCommand.ts';
import { addRulesCommand } from './rules/rulesCommand.ts';
import { validateCommand, verifyCommand } from './checkCommands.ts';
import { TOOLS } from '../mcp/toolList.ts';
import { traceCommand } from './traceCommand.ts';

const HELP = `
Start here:
  txreport demo                                 example transactions in the viewer, without a node
  export RPC_URL=https://your-node.example      a mainnet node with debug_ or trace_ methods
  txreport doctor                               test the node
  txreport analyze 0x…                          one transaction, on the terminal
  txreport trace 0x…                            its calls, decoded, with what each means
  txreport view 0x…                             report and calls in the viewer
  txreport preview --raw 0x…                    what a transaction would do, before it is sent
  txreport serve                                the HTTP service
  txreport help batch                           options, examples and exit statuses of a command

Exit status: 0 success; 1 the command ran and found a problem (analysis failed, report invalid,
claim not confirmed, rule broken); 2 wrong arguments or configuration, nothing was done; 130 or 143
stopped by a signal.`;

const SERVE_HELP = `
Settings are environment variables; without RPC_URL the command lists them and exits. --rpc and
--port override RPC_URL and PORT.

Examples:
  RPC_URL=https://your-node.example txreport serve
  txreport serve --rpc http://127.0.0.1:8545 --port 3000

Exit status: 0 stopped by SIGTERM or SIGINT, 1 could not start, 2 wrong configuration`;

/** `txreport serve`: the HTTP service, until SIGTERM or SIGINT. */
const serveCommand = new Command('serve')
  .description('serve GET /health and POST /analyze')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('-p, --port <port>', 'port to listen on (default: PORT, else 3000)')
  .addHelpText('after', SERVE_HELP)
  .action(async ({ port }: { port?: string }) => {
    if (port !== undefined) process.env['PORT'] = port;
    const { main } = await import('../../service/main.ts');
    await main();
  });

const MCP_HELP = `
Speaks the Model Context Protocol on standard input and output, or with --http on a port of this
machine, at /mcp. Resources: txreport://intents, txreport://rules. Tools:
${Object.entries(TOOLS)
  .map(([name, answer]) => `  ${name.padEnd(21)}${answer}`)
  .join('\n')}

In the configuration of an agent:
  {"mcpServers": {"txreport": {"command": "txreport", "args": ["mcp"],
                              "env": {"RPC_URL": "https://your-node.example"}}}}

Exit status: 0 the client disconnected or a signal stopped it, 2 wrong configuration`;

/** `txreport mcp`: the analysis as tools for agents. */
const mcpCommand = new Command('mcp')
  .description('offer the analysis to agents as MCP tools')
  .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
  .option('--http <port>', 'serve streamable HTTP on this port of the machine; 0 takes a free one', readPort)
  .addHelpText('after', MCP_HELP)
  .action(async ({ http }: { http?: number }) => {
    const { runMcp } = await import('../mcp/runMcp.ts');
    process.exitCode = await runMcp(http ?? null);
  });

const COMMANDS = [
  serveCommand,
  doctorCommand,
  analyzeCommand,
  traceCommand,
  previewCommand,
  viewCommand,
  demoCommand,
  blockCommand,
  batchCommand,
  verifyCommand,
  validateCommand,
  ledgerCommand,
  mcpCommand,
  completionCommand,
];

/** The whole command line. Commands import their code when they run: help and completion stay fast. */
export function createProgram(): Command {
  const program = new Command('txreport')
    .description(
      'Explains one Ethereum transaction: what it was for, who acted, who gained and lost what, with proof.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'plain text (also: NO_COLOR=1)')
    .configureHelp({ helpWidth: Math.min(columnsOf(process.stdout.columns) ?? 100, 120) })
    .addHelpText('after', HELP)
    .hook('preAction', (_program, command) => {
      // Every request to a node finds it there.
      const { rpc } = command.opts<CommonOptions>();
      if (rpc !== undefined) process.env['RPC_URL'] = rpc;
    })
    .showHelpAfterError('`txreport help COMMAND` shows its options and examples')
    .exitOverride();
  for (const command of COMMANDS) program.addCommand(command.copyInheritedSettings(program));
  program.addCommand(completeCommand, { hidden: true });
  addRulesCommand(program);
  return program;
}
