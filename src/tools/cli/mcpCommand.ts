import type { Command } from 'commander';

const HELP = `
Speaks the Model Context Protocol over standard input and output. Tools: analyze (a report and a plain summary of what is
proven in it), explain (which rule decided and why), list_intents (what can be recognised).

In the configuration of an agent:
  {"mcpServers": {"txreport": {"command": "txreport", "args": ["mcp"], "env": {"RPC_URL": "https://your-node.example"}}}}

Exit status: 0 the client went away, 2 configured wrongly`;

/** `txreport mcp`: the analysis as tools for agents. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('offer the analysis to agents as MCP tools on standard input and output')
    .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
    .addHelpText('after', HELP)
    .action(async ({ rpc }: { rpc?: string }) => {
      const { runMcp } = await import('../mcp/runMcp.ts');
      process.exitCode = await runMcp(rpc);
    });
}
