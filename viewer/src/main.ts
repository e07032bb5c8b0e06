import type { TxReport } from '../../src/model/generated/report.ts';
import { h, replaceChildren } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { shortHex, words } from './lib/text.ts';
import { createPanel } from './panel.ts';
import { playgroundPage } from './playground/playgroundPage.ts';
import { reportPage } from './reportPage.ts';
import { createShell } from './shell.ts';
import { fetchReport, HASH, isOwn, narrowConnections, readBaseUrl } from './source/api.ts';
import { acceptDrops, readReportFile } from './source/openFile.ts';
import { welcome } from './welcome.ts';

const setting = (name: string): string | null =>
  document.querySelector<HTMLMetaElement>(`meta[name="txreport-${name}"]`)?.content || null;
const BUILT_FOR = readBaseUrl(setting('api') ?? '') ?? 'http://127.0.0.1:3000';
const PLAYGROUND = setting('playground') === 'on';

const panel = createPanel();
const shell = createShell({ analyze: () => ask(), openFile: (file) => void open(file) }, panel.element);
let running: AbortController | null = null;

function show(...content: Parameters<typeof replaceChildren>[1][]): void {
  panel.close();
  replaceChildren(shell.content, ...content);
}

function showReport(report: TxReport, from: string): void {
  const began = performance.now();
  markTab('report');
  show(reportPage(report, panel));
  document.title = `${words(report.classification.intent_kind)} ${shortHex(report.tx.hash)} · txreport`;
  shell.status.replaceChildren(
    h('span', { class: 'sr' }, `Report shown: ${words(report.classification.intent_kind)}. `),
    h('span', { class: 'source' }, `Report ${from}`),
  );
  // After the first layout, when the graph has been drawn too.
  requestAnimationFrame(() =>
    setTimeout(() => performance.measure('txreport-draw', { start: began, end: performance.now() })),
  );
}

function complain(message: string): void {
  markTab('report');
  shell.status.replaceChildren();
  show(
    h(
      'div',
      { class: 'card failure', role: 'alert' },
      icon('caution'),
      h('div', {}, h('h1', {}, 'No report to show'), h('p', {}, message)),
    ),
  );
}

async function open(file: File): Promise<void> {
  running?.abort();
  try {
    const report = await readReportFile(file);
    history.replaceState(null, '', location.pathname);
    shell.hash.value = report.tx.hash;
    showReport(report, `from the file ${file.name}`);
  } catch (error) {
    complain((error as Error).message);
  }
}

/** Analyzes what the form says, and makes the address of the page a link to it. */
function ask(): void {
  const hash = shell.hash.value.trim().toLowerCase();
  const base = readBaseUrl(shell.api.value.trim());
  if (base === null)
    return complain(
      `${shell.api.value} is not the address of a service: it starts with http:// or https://.`,
    );
  if (!HASH.test(hash)) return complain('A transaction hash is 0x and 64 hexadecimal digits.');
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
      h('p', {}, `Asking ${base} about ${shortHex(hash, 10, 6)} …`),
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
    if (running === mine) showReport(report, `from ${base}`);
  } catch (error) {
    if (running !== mine) return;
    if (mine.signal.aborted) start();
    else
      complain(
        (error as Error).name === 'TimeoutError'
          ? `${base} did not answer in time.`
          : (error as Error).message,
      );
  }
}

/** The address asks for a transaction of a service nobody vouches for: the reader decides. */
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
        '. Whoever runs it decides what the report says.',
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

/** Shows what the address of the page asks for. */
function start(): void {
  const query = new URLSearchParams(location.search);
  const asked = query.get('api');
  const base = asked === null ? BUILT_FOR : readBaseUrl(asked);
  shell.api.value = base ?? asked ?? '';
  shell.hash.value = query.get('tx') ?? '';
  markTab('report');
  shell.status.replaceChildren();
  document.title = 'txreport';
  if (base === null) return complain('The api address in the link is not one of a service.');
  if (query.get('tx') === null) return show(welcome(PLAYGROUND));
  const hash = shell.hash.value.trim().toLowerCase();
  if (!HASH.test(hash))
    return complain('The transaction hash in the link is not one: it is 0x and 64 hexadecimal digits.');
  if (!isOwn(base, BUILT_FOR)) return confirmForeign(base, hash);
  if (!narrowConnections(base, PLAYGROUND)) return location.reload();
  void analyze(base, hash);
}

if (PLAYGROUND) {
  let page: HTMLElement | null = null;
  const tab = (name: 'report' | 'playground', label: string, act: () => void): HTMLElement =>
    h('button', { type: 'button', 'data-tab': name, onclick: act }, label);
  shell.tabs.hidden = false;
  shell.tabs.append(
    tab('report', 'Report', () => start()),
    tab('playground', 'Rule playground', () => {
      running?.abort();
      page ??= playgroundPage((report) => showReport(report, 'from the playground, by the rules as edited'));
      shell.status.replaceChildren();
      document.title = 'Rule playground · txreport';
      show(page);
      markTab('playground');
    }),
  );
}
acceptDrops((file) => void open(file));
window.addEventListener('popstate', start);
start();
