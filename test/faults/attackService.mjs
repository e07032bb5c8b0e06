// The built service in a process of its own for `attacks.ts`: opens a server per case, so that no case inherits what
// another one taught the service of its node. `{open: id, rpcUrls}` answers `{id, url}`, `{close: id}` closes it again,
// `{stalls: id}` answers the longest time for which the event loop was busy, the log lines that hold a secret, and how
// often rules were refused.  usage: attackService.mjs DIST
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(join(process.argv[2], path)).href);
const { createLog } = await load('lib/log.js');
const { createMask } = await load('lib/mask.js');
const { configuredRules, createAnalyze, createServiceAnalyze } = await load('service/analyzer.js');
const { readConfig, secretUrls } = await load('service/config.js');
const { serve } = await load('service/server.js');
const { createLargeAnalyses } = await load('service/workers/largeAnalyses.js');
const { createReportValidator } = await load('stages/9-report/reportValidator.js');

// As the service has them: read from the stored copy, equal parts shared.
const rulebook = await configuredRules({ rulesDirs: [], addressBook: null });
const validate = createReportValidator();
// Only credentials of the cases are written like this.
const SECRET = /s3cret|czNjcmV0/i;
let leaks = [];
let broken = 0;
const stream = {
  write(line) {
    if (SECRET.test(line)) leaks.push(line);
    if (line.includes('rules changed and are broken')) broken++;
  },
};
const servers = new Map();

async function open({ open: id, rpcUrls, settings = {} }) {
  const config = {
    ...readConfig({ RPC_URL: rpcUrls.join(',') }),
    host: '127.0.0.1',
    port: 0,
    rpcTimeoutMs: 1_000,
    rpcRetries: 1,
    headersTimeoutMs: 1_000,
    requestTimeoutMs: 1_500,
    deadlineMs: 60_000,
    analysisMemoryMb: 512,
    ...settings,
  };
  const log = createLog({ level: 'debug', mask: createMask(secretUrls(config)), stream });
  const server = await serve(
    config,
    (deps) => {
      if (config.rulesReload) return createServiceAnalyze(deps);
      const { upstream } = deps;
      const large = createLargeAnalyses(config, () => rulebook);
      const { priceSources } = config;
      const rules = () => rulebook;
      const analyze = createAnalyze({
        upstream,
        rulebook: rules,
        validate,
        maxTokens: 100,
        priceSources,
        large,
      });
      return Object.assign(analyze, { close: () => large.close() });
    },
    { log },
  );
  servers.set(id, server);
  process.send({ id, url: server.url });
}

/** Time for which the main thread was ready to run while another thread or process had the core, milliseconds. */
const waited = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;

// On a busy machine a late turn may be the machine's fault: waiting for a core does not count, nor time without CPU use.
let busiest = 0;
let last = performance.now();
let before = waited();
let cpu = process.cpuUsage();
setInterval(() => {
  const now = performance.now();
  const idle = waited();
  const used = process.cpuUsage(cpu);
  const ran = now - last - 5 - (idle - before);
  busiest = Math.max(busiest, Math.min(ran, (used.user + used.system) / 1_000));
  last = now;
  before = idle;
  cpu = process.cpuUsage();
}, 5);

process.on('message', (message) => {
  if (message.open !== undefined) void open(message);
  else if (message.stalls !== undefined) {
    process.send({ id: message.stalls, busiest, leaks, broken });
    leaks = [];
    busiest = 0;
  } else {
    void servers.get(message.close)?.close();
    servers.delete(message.close);
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ id: 0, url: 'ready' });
