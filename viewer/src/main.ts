import type { TxReport } from '../../src/model/generated/report.ts';
import { h, replaceChildren } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { shortHex, words } from '../../src/tools/wording/text.ts';
import { createPanel } from './panel.ts';
import { playgroundPage, type PlaygroundPage } from './playground/playgroundPage.ts';
import { reportPage } from './reportPage.ts';
import { createShell, unfoldForPrint } from './shell.ts';
import { commandsFor, pastedHash, whyNoTransaction } from '../../src/tools/pasted.ts';
import {
  AnswerError,
  fetchReport,
  fetchTrace,
  isOwn,
  isOwnOrigin,
  narrowConnections,
  readBaseUrl,
} from './source/api.ts';
import { checkReport } from './source/checkReport.ts';
import { acceptDrops, readReportFile } from './source/openFile.ts';
import example from 'txreport:example';
import type { View } from './view.ts';
import { otherExamples, welcome, type Example } from './welcome.ts';

const setting = (name: string): string | null =>
  document.querySelector<HTMLMetaElement>(`meta[name="txreport-${name}"]`)?.content || null;
const BUILT_FOR = readBaseUrl(setting('api') ?? '') ?? 'http://127.0.0.1:3000';
const PLAYGROUND = setting('playground') === 'on';
/** The page's own server also answers call trees. */
const TRACE = setting('trace') === 'on';
const EXAMPLES = JSON.parse(setting('examples') ?? '[]') as Example[];

const panel = createPanel();
const shell = createShell({ analyze: () => ask(), openFile: (file) => void open(file) }, panel.element);
let running: AbortController | null = null;

function show(...content: Parameters<typeof replaceChildren>[1][]): void {
  // A report's page has closed it already, and listens to it.
  if (!panel.element.hidden) panel.onChange = () => {};
  panel.close();
  replaceChildren(shell.content, ...content);
}

function choose(hash: string): void {
  shell.hash.value = hash;
  ask();
}

function showReport(report: TxReport, from: string, trace: View['trace'] = null): void {
  const began = performance.now();
  markTab('report');
  show(EXAMPLES.length > 0 && otherExamples(EXAMPLES, choose), reportPage(report, panel, trace));
  document.title = `${words(report.classification.intent_kind)} ${shortHex(report.tx.hash)} · txreport`;
  shell.status.replaceChildren(
    h('span', { class: 'sr' }, `Report shown: ${words(report.classification.intent_kind)}. `),
    h('span', { class: 'source' }, `Report ${from}`),
  );
  // After the first layout the graph has been drawn too.
  requestAnimationFrame(() =>
    setTimeout(() => performance.measure('txreport-draw', { start: began, end: performance.now() })),
  );
}

/** Titles of error pages, by words in their message. */
const TITLES: readonly (readonly [RegExp, string])[] = [
  [/not found/, 'No such transaction'],
  [/pending/, 'Not in a block yet'],
  [/overloaded|rate/, 'The service is busy'],
  [/Nothing answered|did not answer/, 'The service cannot be reached'],
  [/no transaction hash/, 'Not a transaction hash'],
  [/not the address/, 'Not the address of a service'],
  [/not a report|not JSON|not well-formed|schema version|too large for a report/, 'Not a report'],
  [/trace/i, 'The node has no trace'],
];

/** An error page: the failure, and the next step. */
function complain(message: string, ...next: readonly string[]): void {
  const title = TITLES.find(([pattern]) => pattern.test(message))?.[1] ?? 'The analysis failed';
  markTab('report');
  document.title = `${title} · txreport`;
  shell.status.replaceChildren();
  const again = h('button', { type: 'button', class: 'primary', onclick: () => ask() }, 'Try again');
  const home = h('button', { type: 'button', class: 'quiet', onclick: () => goHome() }, 'Start page');
  show(
    h(
      'div',
      { class: 'card failure', role: 'alert' },
      icon('caution'),
      h(
        'div',
        {},
        h('h1', {}, title),
        h('p', {}, message),
        next.length > 0 && [
          h('p', { class: 'next' }, 'What to do next:'),
          h(
            'ul',
            { class: 'next-steps' },
            next.map((step) => h('li', {}, step)),
          ),
        ],
        h('p', { class: 'actions' }, shell.hash.value !== '' && again, ' ', home),
      ),
    ),
  );
}

function goHome(): void {
  history.pushState(null, '', location.pathname);
  start();
}

function showExample(): void {
  running?.abort();
  shell.hash.value = example.tx.hash;
  showReport(checkReport(example), 'shipped with this page as an example');
}

async function open(file: File): Promise<void> {
  running?.abort();
  try {
    const report = await readReportFile(file);
    history.replaceState(null, '', location.pathname);
    shell.hash.value = report.tx.hash;
    showReport(report, `from the file ${file.name}`);
  } catch (error) {
    complain(
      (error as Error).message,
      'Open the JSON of one report, as POST /analyze or txreport analyze --json gives it.',
    );
  }
}

/** Analyzes the hash in the form, and turns the page's address into a link to it. */
function ask(): void {
  const hash = pastedHash(shell.hash.value);
  const base = readBaseUrl(shell.api.value.trim());
  if (base === null)
    return complain(
      `${shell.api.value} is not the address of a service.`,
      'Open the settings in the search bar and enter an address that starts with http:// or https://.',
    );
  if (hash === null)
    return complain(
      `This is no transaction hash: ${whyNoTransaction(shell.hash.value)}.`,
      ...commandsFor(shell.hash.value).map((command) => `On the command line: ${command}`),
      'Copy the hash from your wallet or explorer again; a link to the transaction works too.',
    );
  shell.hash.value = hash;
  const query = new URLSearchParams({ tx: hash, ...(base === BUILT_FOR ? {} : { api: base }) });
  if (!narrowConnections(base, PLAYGROUND)) {
    location.assign(`?${query.toString()}`);
    return;
  }
  if (location.search !== `?${query.toString()}`) history.pushState(null, '', `?${query.toString()}`);
  void analyze(base, hash);
}

async function analyze(base: string, hash: string): Promise<void> {
  running?.abort();
  const mine = (running = new AbortController());
  markTab('report');
  show(
    h(
      'div',
      { class: 'card waiting' },
      h('span', { class: 'spinner', 'aria-hidden': 'true' }),
      h('h1', {}, `Analyzing ${shortHex(hash)}`),
      h('p', {}, `Asking ${base} …`),
      h('button', { type: 'button', class: 'quiet', onclick: () => mine.abort() }, 'Cancel'),
    ),
  );
  shell.status.textContent = 'Analyzing …';
  try {
    const report = await fetchReport(
      base,
      hash,
      AbortSignal.any([mine.signal, AbortSignal.timeout(180_000)]),
    );
    const trace = TRACE && isOwnOrigin(base) ? () => fetchTrace(base, hash) : null;
    if (running === mine) showReport(report, `from ${base}`, trace);
  } catch (error) {
    if (running !== mine) return;
    if (mine.signal.aborted) start();
    else complain(...explain(error as Error, base));
  }
}

/** An error of the service in words, with advice. */
function explain(error: Error, base: string): [string, ...string[]] {
  if (error.name === 'TimeoutError')
    return [`${base} did not answer in time.`, 'Try again; a very large transaction can take minutes.'];
  const steps = error instanceof AnswerError ? error.next : [];
  return [error.message, ...steps];
}

/** A link may name any service; one that is not this page's own is asked only after the reader agrees. */
function confirmForeign(base: string, hash: string): void {
  show(
    h(
      'div',
      { class: 'card foreign' },
      h('h1', {}, 'Ask another service?'),
      h(
        'p',
        {},
        'The link you followed wants the report from ',
        h('code', {}, base),
        '. Its operator decides what the report says.',
      ),
      h(
        'p',
        {},
        h('button', { type: 'button', class: 'primary', onclick: () => ask() }, `Ask ${new URL(base).host}`),
        ' ',
        h(
          'button',
          {
            type: 'button',
            class: 'quiet',
            onclick: () => {
              location.assign(location.pathname);
            },
          },
          'No',
        ),
      ),
      h('p', { class: 'hint' }, `Transaction ${hash}`),
    ),
  );
}

function markTab(name: 'report' | 'playground'): void {
  for (const tab of shell.tabs.querySelectorAll('button'))
    tab.setAttribute('aria-current', tab.dataset['tab'] === name ? 'page' : 'false');
  document.body.dataset['view'] = name;
}

/** Shows the page that its address names. */
function start(): void {
  const query = new URLSearchParams(location.search);
  const asked = query.get('api');
  const base = asked === null ? BUILT_FOR : readBaseUrl(asked);
  shell.api.value = base ?? asked ?? '';
  shell.hash.value = query.get('tx') ?? '';
  markTab('report');
  shell.status.replaceChildren();
  document.title = 'txreport';
  if (PLAYGROUND && query.get('view') === 'playground') return showPlayground();
  if (base === null) return complain('The api address in the link is not the address of a service.');
  if (query.get('tx') === null)
    return show(
      welcome({
        playground: PLAYGROUND,
        examples: EXAMPLES,
        showExample,
        analyze: choose,
      }),
    );
  const hash = pastedHash(shell.hash.value);
  if (hash === null)
    return complain(`The link holds no transaction hash: ${whyNoTransaction(shell.hash.value)}.`);
  if (!isOwn(base, BUILT_FOR)) return confirmForeign(base, hash);
  if (!narrowConnections(base, PLAYGROUND)) return location.reload();
  void analyze(base, hash);
}

let playground: PlaygroundPage | null = null;

/** Shows the playground with the transaction of the page's address, so that a link leads to both. */
function showPlayground(): void {
  running?.abort();
  playground ??= playgroundPage((report) =>
    showReport(report, 'from the playground, by the rules as edited'),
  );
  const hash = pastedHash(shell.hash.value);
  if (hash !== null) playground.choose(hash);
  const query = new URLSearchParams({ ...(hash === null ? {} : { tx: hash }), view: 'playground' });
  if (location.search !== `?${query.toString()}`) history.pushState(null, '', `?${query.toString()}`);
  shell.status.replaceChildren();
  document.title = 'Rule playground · txreport';
  show(playground.element);
  markTab('playground');
}

if (PLAYGROUND) {
  const tab = (name: 'report' | 'playground', label: string, act: () => void): HTMLElement =>
    h('button', { type: 'button', 'data-tab': name, onclick: act }, label);
  shell.tabs.hidden = false;
  shell.tabs.append(
    tab('report', 'Report', () => {
      const query = new URLSearchParams(location.search);
      query.delete('view');
      history.pushState(null, '', `${location.pathname}${query.size > 0 ? `?${query.toString()}` : ''}`);
      start();
    }),
    tab('playground', 'Rule playground', showPlayground),
  );
}
unfoldForPrint(shell.content);
acceptDrops((file) => void open(file));
window.addEventListener('popstate', start);
start();
