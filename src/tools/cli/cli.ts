#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { CliError } from './cliIo.ts';

// The reader of a pipe may close it early: `txreport batch … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`${describe(error as Error)}\n`);
    process.exitCode = error instanceof CliError ? error.exitCode : 1;
  }
}

function describe(error: Error): string | undefined {
  if (error instanceof CliError) return error.message;
  if (process.env['DEBUG']) return error.stack;
  return `internal error: ${error.message} (DEBUG=1 shows the stack)`;
}
