import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpPost, type HttpLimits } from '../../../src/stages/1-fetch/rpc/httpPost.ts';

const LIMITS: HttpLimits = { signal: new AbortController().signal, ms: 1_000, maxBytes: 1_000 };
const agent = new Agent();
let server: Server | undefined;
afterEach(() => server?.close().closeAllConnections());

async function serving(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server!.address() as AddressInfo).port}`;
}

describe('createHttpPost', () => {
  it('sends the body with the path, query and credentials of the address', async () => {
    const host = await serving(
      (request, response) =>
        void request
          .setEncoding('utf8')
          .on('data', (body) =>
            response.end(
              JSON.stringify([
                request.method,
                request.url,
                request.headers.authorization,
                request.headers['content-type'],
                body,
              ]),
            ),
          ),
    );
    const { status, body: answered } = await createHttpPost(
      `http://me%40home:p%3Aw@${host}/v2/key?a=b`,
      agent,
    )('{"x":1}', LIMITS);
    const credentials = `Basic ${Buffer.from('me@home:p:w').toString('base64')}`;
    expect([status, JSON.parse(answered.toString())]).toEqual([
      200,
      ['POST', '/v2/key?a=b', credentials, 'application/json', '{"x":1}'],
    ]);
  });

  it('reads what is compressed, and no more of it than the limit', async () => {
    const host = await serving(
      (request, response) =>
        void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('é'.repeat(Number(request.url!.slice(1))))),
    );
    expect((await createHttpPost(`http://${host}/500`, agent)('', LIMITS)).body.toString()).toBe(
      'é'.repeat(500),
    );
    await expect(createHttpPost(`http://${host}/100000`, agent)('', LIMITS)).rejects.toMatchObject({
      why: 'too_large',
      status: 200,
    });
  });

  it('stops reading a body without an announced length at the limit', async () => {
    let sent = 0;
    const host = await serving((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && (sent += 500) && response.write('x'.repeat(500)));
        response.once('drain', more);
      };
      more();
    });
    await expect(createHttpPost(`http://${host}`, agent)('', LIMITS)).rejects.toMatchObject({
      why: 'too_large',
    });
    expect(sent).toBeLessThan(10_000_000);
  });

  it('ends with its time or its signal, and leaves neither timer nor listener behind', async () => {
    const host = await serving(() => {});
    const post = createHttpPost(`http://${host}`, agent);
    await expect(post('', { ...LIMITS, ms: 20 })).rejects.toMatchObject({ why: 'too_late', status: null });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(post('', { ...LIMITS, signal: controller.signal })).rejects.toMatchObject({
      why: 'aborted',
    });
    await expect(post('', { ...LIMITS, signal: controller.signal })).rejects.toMatchObject({
      why: 'aborted',
    });
  });

  it('names a connection that breaks, before or after the headers', async () => {
    const host = await serving((request, response) => {
      if (request.url === '/late')
        response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy());
      else response.destroy();
    });
    await expect(createHttpPost(`http://${host}/early`, agent)('', LIMITS)).rejects.toMatchObject({
      why: 'broken',
      status: null,
    });
    await expect(createHttpPost(`http://${host}/late`, agent)('', LIMITS)).rejects.toMatchObject({
      why: 'broken',
      status: 200,
    });
  });
});
