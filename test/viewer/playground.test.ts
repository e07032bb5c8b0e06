import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedSchemaErrors } from '../../src/tools/cli/readReports.ts';
import type {
  RecordingsAnswer,
  RulesAnswer,
  TextAnswer,
  TryAnswer,
} from '../../src/tools/playground/answers.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { startPlayground, type Playground } from '../../src/tools/playground/startPlayground.ts';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { startCli } from '../cli/runCli.ts';
import { buildViewer } from '../../viewer/build.ts';
import { TEMPLATES } from '../../viewer/src/playground/templates.ts';
import { checkAxe } from './support/axe.ts';
import { hasBrowser, openTab } from './support/browser.ts';

const RECORDINGS = join(import.meta.dirname, '../recordings');
const recordings = allRecordings([RECORDINGS]);
const viewerFile = join(tmpdir(), `txreport-playground-${process.pid}.html`);
let playground: Playground;
beforeAll(async () => {
  await buildViewer({ outFile: viewerFile });
  playground = await startPlayground({ port: 0, recordings, viewerFile });
});
afterAll(async () => {
  await playground?.close();
});

interface Answer {
  status: number;
  body: string;
}

/** A request with exactly these headers; `fetch` would not let Host and Origin be set. */
function send(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { port } = new URL(playground.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let body = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .on('end', () => resolve({ status: response.statusCode!, body }));
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
async function tryIt(rule: string, recording: string): Promise<TryAnswer> {
  const { status, body } = await post('/playground/try', { rule, recording });
  expect(status, body).toBe(200);
  return JSON.parse(body) as TryAnswer;
}

// Each try reads all rules twice and runs the pipeline three times.
describe('the endpoint', () => {
  it('says what a new rule makes of a transaction, condition by condition', async () => {
    const { outcome, problems, kind } = await tryIt(TEMPLATES['intent']!, 'swap-v3');
    expect([kind, problems]).toEqual(['intent', []]);
    expect(outcome!.before).toMatchObject({
      kind: 'DirectSwap',
      status: 'Proven',
      rule: expect.stringMatching(/^direct-swap v/) as string,
    });
    expect(outcome!.after).toMatchObject({ kind: 'DirectSwap', status: 'Suspected', rule: 'my-swap v1' });
    expect(outcome!.rules[0]).toMatchObject({
      slug: 'my-swap',
      fate: 'wins',
      subject: true,
      why: expect.arrayContaining(['outranks direct-swap']) as string[],
    });
    expect(outcome!.rules[0]!.conditions).toMatchObject({
      result: true,
      all: [{ fact: 'swaps.pools', operator: 'eq', expected: 1, actual: 1, result: true }, {}, {}],
    });
    expect(outcome!.report.classification.matched_rule).toBe('my-swap');
    expect(publishedSchemaErrors(outcome!.report)).toEqual([]);
  });

  it('says why a rule does not match, why it is not asked, and what came near', async () => {
    const two = (await tryIt(TEMPLATES['intent']!, 'swap-v3-two-hops')).outcome!;
    expect(two.after).toEqual(two.before);
    expect(two.rules[0]).toMatchObject({ fate: 'does_not_match', why: ['swaps.pools eq 1, but it is 2'] });
    expect(two.near.find((n) => n.slug === 'direct-swap')!.unmet).toEqual(['swaps.pools eq 1, but it is 2']);
    expect((await tryIt(TEMPLATES['intent']!, 'usdt-transfer')).outcome!.rules[0]).toMatchObject({
      fate: 'skipped',
      why: ['the transaction has no motif of kind swap'],
      conditions: null,
    });
    const low = (await tryIt(TEMPLATES['intent']!.replace('priority: 50', 'priority: -50'), 'swap-v3'))
      .outcome!;
    expect(low.rules[0]).toMatchObject({ fate: 'outranked', why: ['direct-swap (DirectSwap) outranks it'] });
  });

  it('tries shapes and protocols, new ones and changed ones', async () => {
    const { text } = JSON.parse(
      (await post('/playground/rule', { kind: 'shape', slug: 'amm-v2-pool' })).body,
    ) as TextAnswer;
    expect(text).toMatch(/^slug: amm-v2-pool\noverride: true$/m);
    const same = (await tryIt(text, 'swap-v2-usdt-eth')).outcome!;
    expect(same.after).toEqual(same.before);
    expect(same.signatures.find((s) => s.signature.startsWith('Swap('))).toMatchObject({
      seen: 1,
      recognised: 1,
    });
    expect(same.motifs.after.some((m) => m.edited && m.kind === 'swap')).toBe(true);
    const deaf = (await tryIt(text.replace('kind: swap', 'kind: nft_trade'), 'swap-v2-usdt-eth')).outcome!;
    expect(deaf.motifs.after.map((m) => m.kind)).not.toEqual(same.motifs.after.map((m) => m.kind));
    expect((await tryIt(TEMPLATES['shape']!, 'swap-v3')).outcome!.signatures).toMatchObject([
      { seen: 0, recognised: 0 },
    ]);
    expect((await tryIt(TEMPLATES['protocol']!, 'swap-v3')).outcome!.protocols).toEqual([
      { slug: 'my-protocol', seen: [] },
    ]);
  });

  it('lists what is wrong with a rule, by line, and names nothing of this machine', async () => {
    const broken = await tryIt(
      TEMPLATES['intent']!.replace('fact: swaps.pools', 'fact: swaps.pool').replace(
        'proof: heuristic',
        'proof: guess',
      ),
      'swap-v3',
    );
    expect(broken.outcome).toBeNull();
    expect(broken.problems.map(({ file, line, code }) => [file, line, code])).toEqual([
      ['your rule', 16, 'bad_value'],
    ]);
    expect(
      (await tryIt(TEMPLATES['intent']!.replace('fact: swaps.pools', 'fact: swaps.pool'), 'swap-v3'))
        .problems[0],
    ).toMatchObject({ line: 13, code: 'unknown_fact', meaning: expect.any(String) as string });
    const taken = await tryIt(TEMPLATES['intent']!.replace('my-swap', 'direct-swap'), 'swap-v3');
    expect(taken.problems[0]).toMatchObject({ code: 'duplicate_slug' });
    for (const answer of [broken, taken])
      expect(JSON.stringify(answer)).not.toMatch(/txreport-playground-|\/tmp|\/work|\/home/);
    for (const text of ['just text', '- 1\n- 2', 'a: &a [*a]', '{', '\u202e: 1', 'slug: x'])
      expect((await tryIt(text, 'swap-v3')).problems.length, text).toBeGreaterThan(0);
  });

  it('hands out recordings, rules in force and a first draft', async () => {
    const { recordings, node } = JSON.parse((await send('/playground/recordings')).body) as RecordingsAnswer;
    expect(node).toBe(false);
    expect(recordings.find((r) => r.name === 'swap-v3')!.hash).toMatch(/^0x[0-9a-f]{64}$/);
    const { rules } = JSON.parse((await send('/playground/rules')).body) as RulesAnswer;
    expect(new Set(rules.map((r) => r.kind))).toEqual(new Set(['intent', 'shape', 'protocol', 'entity']));
    const { text } = JSON.parse(
      (await post('/playground/rule', { kind: 'intent', slug: 'aggregated-swap' })).body,
    ) as TextAnswer;
    expect((await tryIt(text, 'swap-v3-two-hops')).outcome!.rules[0]).toMatchObject({
      slug: 'aggregated-swap',
      fate: 'wins',
    });
    const draft = JSON.parse(
      (await post('/playground/draft', { recording: 'vault-deposit' })).body,
    ) as TextAnswer;
    expect((await tryIt(draft.text, 'vault-deposit')).problems).toEqual([]);
  });

  it('takes a hash for a recorded transaction, and says when there is none', async () => {
    const { recordings } = JSON.parse((await send('/playground/recordings')).body) as RecordingsAnswer;
    const { hash } = recordings.find((r) => r.name === 'swap-v3')!;
    expect(
      JSON.parse((await post('/playground/try', { rule: TEMPLATES['intent'], tx_hash: hash })).body),
    ).toMatchObject({ outcome: { name: 'swap-v3' } });
    expect(
      await post('/playground/try', { rule: TEMPLATES['intent'], tx_hash: `0x${'0'.repeat(64)}` }),
    ).toMatchObject({ status: 404, body: expect.stringContaining('no node') as string });
  });

  it.each([
    ['a foreign name', { Host: 'evil.example' }],
    ['a foreign origin', { Origin: 'http://evil.example' }],
    ['a null origin', { Origin: 'null' }],
    ['another port of this machine', { Origin: 'http://127.0.0.1:1' }],
    ['a page from elsewhere', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of a neighbouring port', { 'Sec-Fetch-Site': 'same-site' }],
  ])('refuses %s', async (_, headers) => {
    expect(
      (await post('/playground/try', { rule: 'x', recording: 'swap-v3' }, headers as Record<string, string>))
        .status,
    ).toBe(403);
    expect(
      (await send('/playground/recordings', { headers: headers as Record<string, string> })).status,
    ).toBe(403);
  });

  it('takes no paths, no endless bodies, no other content, no other methods', async () => {
    const rule = TEMPLATES['intent']!;
    for (const recording of [
      '../../package',
      '/etc/passwd',
      '../recordings/swap-v3',
      join(RECORDINGS, 'swap-v3.json'),
      '__proto__',
      '',
    ]) {
      const { status, body } = await post('/playground/try', { rule, recording });
      expect(status, recording).toBe(404);
      expect(body).toBe('{"error":"there is no such recording"}');
    }
    const refused: readonly [Promise<Answer>, number][] = [
      [post('/playground/try', { rule: 'x'.repeat(200_000), recording: 'swap-v3' }), 413],
      [post('/playground/try', 'nonsense'), 400],
      [post('/playground/try', '[]'), 400],
      [post('/playground/try', { rule: 1, recording: 'swap-v3' }), 400],
      [post('/playground/try', { rule, recording: 'swap-v3', tx_hash: '0x' }), 400],
      [post('/playground/try', { rule }), 400],
      [post('/playground/try', { rule, tx_hash: '0x12' }), 400],
      [post('/playground/try', '{}', { 'content-type': 'text/plain' }), 415],
      [send('/playground/try'), 405],
      [post('/playground/recordings', {}), 405],
      [send('/etc/passwd'), 404],
      [send('/playground/constructor'), 404],
      [post('/playground/rule', { kind: '__proto__', slug: 'x' }), 404],
    ];
    for (const [answer, status] of refused) expect((await answer).status).toBe(status);
  });

  it('listens on this machine alone, and lets go of its port', async () => {
    const other = await startPlayground({ port: 0, recordings, viewerFile });
    expect(other.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await other.close();
    await new Promise<void>((done, fail) => {
      const server = createServer()
        .once('error', fail)
        .listen(Number(new URL(other.url).port), '127.0.0.1', () => server.close(() => done()));
    });
  });

  it('serves the page with the playground in it', async () => {
    const { status, body } = await send('/');
    expect(status).toBe(200);
    expect(body).toContain('name="txreport-playground" content="on"');
    expect(body).toContain(`name="txreport-api" content="${playground.url}"`);
    const elsewhere = { port: 0, recordings, viewerFile, reports: 'http://127.0.0.1:3000' };
    const other = await startPlayground(elsewhere);
    expect(await (await fetch(other.url)).text()).toBe(
      readFileSync(viewerFile, 'utf8').replace(
        'name="txreport-playground" content="off"',
        'name="txreport-playground" content="on"',
      ),
    );
    await other.close();
  });

  it('answers with reports and calls by the rules in force', async () => {
    const { raw, context } = recordings.find(({ name }) => name === 'swap-v3')!;
    const { status, body } = await post('/analyze', { tx_hash: raw.hash });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(await analyzeRaw(raw, context, loadRules()));
    expect(JSON.parse((await post('/trace', { tx_hash: raw.hash })).body)).toMatchObject({ hash: raw.hash });
    expect((await post('/analyze', { tx_hash: `0x${'ab'.repeat(32)}` })).status).toBe(404);
  });

  it('is started by txreport rules playground', async () => {
    const run = startCli(['rules', 'playground', '--no-open', '--recordings', RECORDINGS]);
    try {
      await expect.poll(run.out, { timeout: 60_000 }).toMatch(/http:\S+view=playground\n/);
      const url = new URL(/http:\S+/.exec(run.out())![0]);
      const { recordings: names, node } = (await (
        await fetch(`${url.origin}/playground/recordings`)
      ).json()) as RecordingsAnswer;
      expect([names.length > 100, node]).toEqual([true, false]);
      run.child.kill('SIGTERM');
      expect(await run.ended).toBe(0);
    } finally {
      run.child.kill('SIGKILL');
    }
  });
});

describe.skipIf(!hasBrowser)('the playground in a browser', () => {
  it('tries a rule, leads to its mistakes, and shows the report by it', async () => {
    const tab = await openTab();
    const { page } = tab;
    try {
      await page.goto(playground.url);
      await page.getByRole('button', { name: 'Rule playground' }).click();
      await page.locator('#recordings option').first().waitFor({ state: 'attached' });
      await page.locator('#transaction').fill('swap-v3-two-hops');
      await page.locator('#rule').press('Control+Enter');
      await page.locator('.rule-card').first().waitFor();
      expect(await page.locator('.rule-card').first().innerText()).toMatch(
        /my-swap v1 does not match[\s\S]*swaps\.pools = 1\s*is 2/,
      );
      await page.locator('#transaction').fill('swap-v3');
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.locator('.rule-card.wins').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await checkAxe(tab, `${colorScheme}, playground`);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      await page.setViewportSize({ width: 1280, height: 900 });

      await page.locator('#rule').fill(TEMPLATES['intent']!.replace('fact: swaps.pools', 'fact: swaps.pool'));
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.locator('.problems button').first().click();
      expect(
        await page.evaluate(
          'document.activeElement.id + document.activeElement.value.slice(0, document.activeElement.selectionStart).split("\\n").length',
        ),
      ).toBe('rule13');

      await page.locator('#start').selectOption('intent aggregated-swap');
      // Polled from here: a function that waits in the page would be evaluated there, which its policy forbids.
      await expect.poll(() => page.locator('#rule').inputValue()).toMatch(/^slug: aggregated-swap/);
      await page.locator('#transaction').fill('swap-v3-two-hops');
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.locator('.rule-card.wins').waitFor();
      await page.getByRole('button', { name: 'Show the report by these rules' }).click();
      await page.locator('.report .node-card').first().waitFor();

      // A link to the playground carries the report's transaction.
      const { hash } = JSON.parse(readFileSync(join(RECORDINGS, 'swap-v3.json'), 'utf8')) as { hash: string };
      await page.goto(`${playground.url}?tx=${hash}&view=playground`);
      await expect.poll(() => page.locator('#transaction').inputValue()).toBe(hash);
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.locator('.rule-card.wins').waitFor();
      expect(tab.requests.every((url) => url.startsWith(playground.url))).toBe(true);
      expect(tab.errors).toEqual([]);
    } finally {
      await tab.close();
    }
  });
});
