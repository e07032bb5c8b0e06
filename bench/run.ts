// npm run bench: measures the built service. See HELP.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DIST } from './product.ts';

const PARTS = ['start', 'pipeline', 'load', 'service', 'latency', 'growth', 'isolation'];
const HELP = `npm run bench -- [--only PART,...] [--quick] [PLACE...]
npm run bench -- --against CHECKOUT [--only service] [--quick] [PLACE...]

Measures the built service (npm run build first) on the repository's recordings and on those given,
prints tables and writes every figure to bench-results/.

PART   start      time to listen, CPU time of loading the rules
       pipeline   each stage against JSON.parse of the node's answers
       load       requests per CPU second against a service that only reads the same bytes
       service    processor time per request over HTTP at 1 and 8 connections, by thread; with --against in turns
       latency    an analysis with a node that takes 50 ms
       growth     synthetic transactions of 100 to 100,000 frames or logs
       isolation  small requests beside a large transaction
PLACE  a folder of recordings, or a .json, .ndjson or .ndjson.gz file

--against  another built checkout: both builds in one process, in turns, figures of this one over that one's
--quick    fewer repetitions
--help     this text

Without --against the figures are of one build alone: compare those of one run only; on a busy machine, only ratios.`;

function fail(message: string): never {
  console.error(`bench: ${message}\n\n${HELP}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        against: { type: 'string' },
        quick: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { values, positionals } = readArguments();
const only = values.only?.split(',') ?? PARTS;
const unknown = only.find((part) => !PARTS.includes(part));
const absent = positionals.find((place) => !place.startsWith('synthetic:') && !existsSync(place));

if (values.help) console.log(HELP);
else if (unknown !== undefined) fail(`no part is called ${unknown}`);
else if (absent !== undefined) fail(`${absent} does not exist`);
else if (!existsSync(DIST)) fail('nothing is built: run npm run build first');
else if (values.against !== undefined && values.only !== 'service') {
  const { runComparison } = await import('./compare.ts');
  await runComparison(values.against, { quick: values.quick ?? false, places: positionals });
} else {
  // Imported last: the parts import the built service, which --help does not need.
  const { runBench } = await import('./parts.ts');
  await runBench(
    PARTS.filter((part) => only.includes(part)),
    {
      quick: values.quick ?? false,
      places: positionals,
      ...(values.against !== undefined && { against: values.against }),
    },
  );
  process.exit(0);
}
