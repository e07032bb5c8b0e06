import type { Command } from 'commander';

const HELP = `
A file holds one report, or one a line (NDJSON, as batch writes it); - is standard input.

Examples:
  txreport validate report.json
  txreport validate reports-*.ndjson --quiet

Exit status: 0 every report is valid, 1 one is not, 2 a file cannot be read`;

/** `txreport validate`: reports against the published JSON Schema. */
export function addValidateCommand(program: Command): void {
  program
    .command('validate')
    .description('check reports against the published JSON Schema')
    .argument('<files...>', 'reports to check')
    .option('-q, --quiet', 'tell only what is wrong')
    .addHelpText('after', HELP)
    .action(async (files: string[], { quiet = false }: { quiet?: boolean }) => {
      process.exitCode = await validate(files, quiet);
    });
}

async function validate(files: readonly string[], quiet: boolean): Promise<number> {
  const [{ readReports }, { publishedSchemaErrors }, { CliError }] = await Promise.all([
    import('./readReports.ts'),
    import('./publishedSchema.ts'),
    import('./rules/cliIo.ts'),
  ]);
  let worst = 0;
  for (const file of files) {
    try {
      for await (const { name, value } of readReports(file)) {
        const faults = publishedSchemaErrors(value);
        if (faults.length > 0) worst = Math.max(worst, 1);
        if (faults.length > 0 || !quiet)
          process.stdout.write(
            faults.length === 0 ? `${name}: valid\n` : faults.map((fault) => `${name}: ${fault}\n`).join(''),
          );
      }
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      process.stderr.write(`${error.message}\n`);
      worst = 2;
    }
  }
  return worst;
}
