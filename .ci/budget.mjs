// Holds the CPU cost of a warm analysis within the budget of bench/pin.json: the median of three runs, each in a
// process of its own beside the pinned build, which is built once and kept by its commit.
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

function warmRatio(against, places) {
  const run = spawnSync(
    'npm',
    ['run', '--silent', 'bench', '--', '--against', against, '--quick', ...places],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  process.stdout.write(run.stdout);
  const file = /written to (bench-results\/\S+)/.exec(run.stdout)?.[1];
  if (run.status !== 0 || !file) throw new Error(run.stderr);
  const { comparison } = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return Math.max(...Object.values(comparison).map(({ warm }) => warm));
}

const against = pinnedBuild();
if (against !== null) {
  const corpus = resolve(root, '../shared/corpus/labelled-defi.ndjson.gz');
  const places = existsSync(corpus) ? [corpus] : [];
  if (places.length === 0) console.log('budget: ../shared is absent, own recordings only');
  const ratios = [1, 2, 3].map(() => warmRatio(against, places)).sort((a, b) => a - b);
  console.log(
    `budget: warm ${ratios[1].toFixed(3)} of ${pin.commit}, at most ${pin.warm} (${ratios.map((r) => r.toFixed(3)).join(', ')})`,
  );
  if (ratios[1] > pin.warm) process.exit(1);
}
