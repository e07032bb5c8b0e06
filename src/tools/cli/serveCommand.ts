import type { Command } from 'commander';

const HELP = `
Configured by environment variables; without RPC_URL it prints all of them and ends. --rpc and --port go before RPC_URL and PORT.

Examples:
  RPC_URL=https://your-node.example txreport serve
  txreport serve --rpc http://127.0.0.1:8545 --port 3000

Exit status: 0 stopped by SIGTERM or SIGINT, 1 it could not start, 2 configured wrongly`;

/** `txreport serve`: the service, until it is told to stop. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve GET /health and POST /analyze')
    .option('--rpc <urls>', 'node to ask, several comma-separated (default: RPC_URL)')
    .option('-p, --port <port>', 'port to listen on (default: PORT, else 3000)')
    .addHelpText('after', HELP)
    .action(async ({ rpc, port }: { rpc?: string; port?: string }) => {
      if (rpc !== undefined) process.env['RPC_URL'] = rpc;
      if (port !== undefined) process.env['PORT'] = port;
      const { main } = await import('../../service/main.ts');
      await main();
    });
}
