// Audits and scores the built service against recorded mainnet transactions, in both trace dialects, and fails below the
// floors in the tables here.  usage: node .ci/recordings.mjs SHARED [audit|score]
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

const shared = resolve(process.argv[2] ?? '../shared');
const only = process.argv[3];
const corpus = (name) => join(shared, 'corpus', `${name}.ndjson.gz`);

const ALL = ['labelled-defi', 'full-traces', 'geth-tracers', 'whole-blocks', 'block-10m', 'mev-blocks'];
/** Least share of each audited property, in percent. `same dialect` is asked only where frames were recorded exactly. */
const SOUND = { answered: 100, conserved: 100, reconciled: 100, evidence: 100, repeatable: 100 };
const AUDITS = {
  'labelled-defi': SOUND,
  'full-traces': { ...SOUND, 'same dialect': 97 },
  'geth-tracers': { ...SOUND, 'same dialect': 97 },
  'whole-blocks': { ...SOUND, 'same dialect': 97 },
  'block-10m': { ...SOUND, 'same dialect': 97 },
  // Its logs were synthesised from calls, so evidence and dialects are printed, not judged.
  // 22 of them carry 2^64-1 as gas used, which is refused as more than the transaction allows.
  'mev-blocks': { answered: 99.2, conserved: 100, repeatable: 100 },
};
/**
 * Least share of right answers in percent; `provenWrong` is the most wrong answers marked Proven, of all scored.
 * Some labels cannot be met: tokens whose decimals the recordings leave out have no decimal amount to compare, and
 * `full-traces` states raw integers (every one of these agrees in raw units); several owners of one batch settlement
 * have no single actor; Safe executions without effect are labelled now with the Safe, now with the executor.
 */
const SCORES = [
  { files: ['whole-blocks', 'block-10m'], floors: { headline: 100, actor: 99 }, provenWrong: 0 },
  {
    files: ['labelled-defi'],
    floors: {
      headline: 99.6,
      recall: 99.6,
      actor: 99,
      delegated: 60,
      inventory: 99,
      positions: 96,
      allowances: 95,
      protocol: 97,
    },
    provenWrong: 0,
  },
  {
    files: ['full-traces'],
    floors: { headline: 100, actor: 100, delegated: 100, inventory: 28 },
    provenWrong: 0,
  },
];

const children = [];
const stopAll = () => children.forEach((child) => child.kill('SIGTERM'));
process.on('exit', stopAll);

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

async function untilAnswers(url) {
  for (let tries = 0; tries < 300; tries++) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      /* not up yet */
    }
    await new Promise((wait) => setTimeout(wait, 100));
  }
  throw new Error(`nothing answers at ${url}`);
}

/** A replay node of one trace dialect with the built service in front of it. */
async function serve(dialect) {
  const [nodePort, port] = [await freePort(), await freePort()];
  children.push(
    spawn(
      process.execPath,
      [
        join(shared, 'replay/replay-node.mjs'),
        '--port',
        String(nodePort),
        '--dialect',
        dialect,
        ...ALL.map(corpus),
      ],
      { stdio: 'ignore' },
    ),
  );
  await untilAnswers(`http://127.0.0.1:${nodePort}/__stats`);
  children.push(
    spawn(process.execPath, ['dist/service/main.js'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        RPC_URL: `http://127.0.0.1:${nodePort}`,
        PORT: String(port),
        LOG_LEVEL: 'error',
      },
    }),
  );
  await untilAnswers(`http://127.0.0.1:${port}/health`);
  return `http://127.0.0.1:${port}`;
}

function evaluate(script, args) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [join(shared, 'eval', script), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  process.stdout.write(stdout);
  if (status !== 0) throw new Error(`${script} failed: ${stderr}`);
  return stdout;
}

const failures = [];
const floor = (what, share, least) => {
  if (!(share >= least)) failures.push(`${what}: ${share.toFixed(2)} %, at least ${least} % wanted`);
};

const geth = await serve('geth');
const parity = await serve('parity');

if (only !== 'score')
  for (const [name, floors] of Object.entries(AUDITS))
    for (const [url, other] of name === 'mev-blocks'
      ? [[geth, parity]]
      : [
          [geth, parity],
          [parity, geth],
        ]) {
      console.log(`\n== audit ${name}, ${url === geth ? 'callTracer' : 'trace_transaction'}`);
      const out = evaluate('audit.mjs', ['--url', url, '--other-url', other, corpus(name)]);
      for (const [key, least] of Object.entries(floors)) {
        const found = new RegExp(`^${key}\\s+(\\d+)/(\\d+)$`, 'm').exec(out);
        if (found) floor(`${name} ${key}`, (100 * Number(found[1])) / Number(found[2]), least);
        else if (key !== 'reconciled' && key !== 'same dialect')
          failures.push(`${name}: ${key} was not reported`);
      }
    }

if (only !== 'audit')
  for (const { files, floors, provenWrong } of SCORES) {
    console.log(`\n== score ${files.join(' ')}`);
    const out = evaluate('score.mjs', ['--url', geth, ...files.map(corpus)]);
    for (const [key, least] of Object.entries(floors)) {
      const found = new RegExp(`^${key}\\s+(\\d+)/(\\d+)`, 'm').exec(out);
      floor(
        `${files.join('+')} ${key}`,
        found && found[2] !== '0' ? (100 * Number(found[1])) / Number(found[2]) : Number.NaN,
        least,
      );
    }
    const scored = Number(/^headline\s+\d+\/(\d+)/m.exec(out)?.[1]);
    const wrong = Number(/wrong (\d+)\//.exec(out)?.[1]);
    if (!((100 * wrong) / scored <= provenWrong))
      failures.push(`${files.join('+')}: ${wrong} of ${scored} wrong answers marked Proven`);
  }

stopAll();
if (failures.length) {
  console.error(`\n${failures.length} below their floor:\n  ${failures.join('\n  ')}`);
  process.exit(1);
}
console.log('\nrecordings: every floor held');
