// Holds the CPU cost of a warm analysis and of a request over HTTP within the budget of bench/pin.json: figures of this
// build over the pinned build's, in turns. The pinned build is made once and kept by its commit.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const pin = JSON.parse(readFileSync(join(root, 'bench/pin.json'), 'utf8'));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'txreport-pins');

/** The pinned commit, built; null where it cannot be. */
function pinnedBuild() {
  const place = join(cache, pin.commit);
  if (existsSync(place)) return place;
  const making = `${place}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    const archive = execFileSync('git', ['archive', pin.commit], { cwd: root, maxBuffer: 1 << 28 });
    execFileSync('tar', ['-x', '-C', making], { input: archive });
    // `prepare` builds it.
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: making, stdio: 'inherit' });
    renameSync(making, place);
    return place;
  } catch (error) {
    console.log(`budget: SKIPPED, ${pin.commit} cannot be built here: ${error.message.split('\n')[0]}`);
    rmSync(making, { recursive: true, force: true });
    return null;
  }
}

function bench(...options) {
  const run = spawnSync(
    'npm',
    ['run', '--silent', 'bench', '--', '--against', against, ...options, ...places],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  process.stdout.write(run.stdout);
  const file = /written to (bench-results\/\S+)/.exec(run.stdout)?.[1];
  if (run.status !== 0 || !file) throw new Error(run.stderr);
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

/** Prints the ratios in order and says whether their median is within the pin's limit. */
function isWithin(what, limit, ratios) {
  const sorted = ratios.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const all = sorted.map((ratio) => ratio.toFixed(3)).join(', ');
  console.log(`budget: ${what} ${middle.toFixed(3)} of ${pin.commit}, at most ${limit} (${all})`);
  return middle <= limit;
}

const against = pinnedBuild();
const corpus = resolve(root, '../shared/corpus/labelled-defi.ndjson.gz');
const places = existsSync(corpus) ? [corpus] : [];
if (against !== null) {
  if (places.length === 0) console.log('budget: ../shared is absent, own recordings only');
  const warm = [1, 2, 3].map(() =>
    Math.max(...Object.values(bench('--quick').comparison).map(({ warmEach }) => warmEach.median)),
  );
  // A process compiles its code its own way and keeps it so: one pair of processes says little.
  const pairs = Object.values(bench('--only', 'service', '--quick').service).flat();
  const overHttp = pairs.map(({ ratio }) => ratio.median);
  const held = [isWithin('warm', pin.warm, warm), isWithin('over HTTP', pin.service, overHttp)];
  if (held.includes(false)) process.exit(1);
}
