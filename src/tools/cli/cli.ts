#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { CliError } from './rules/cliIo.ts';

// Whoever reads the output may have had enough: `txreport batch … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(
      `${error instanceof CliError ? error.message : process.env['DEBUG'] ? (error as Error).stack : `internal error: ${(error as Error).message} (DEBUG=1 tells more)`}\n`,
    );
    process.exitCode = error instanceof CliError ? 2 : 1;
  }
}
