import { createServer } from 'node:http';
import express from 'express';
import request from 'supertest';
import { expect, test } from 'vitest';
import { messagesOf } from '../../../src/service/http/messages.ts';

test('messages have the prototypes that Express would set, with all of its methods', async () => {
  const app = express();
  app.get('/', (asked, answer) => void answer.json({ path: asked.path, own: asked.app === app }));
  const messages = messagesOf(app);
  const server = createServer(messages, (asked, answer) => {
    // Express sets these: a change of prototype after the first property would show here.
    expect(Object.getPrototypeOf(asked)).toBe(app.request);
    expect(Object.getPrototypeOf(answer)).toBe(app.response);
    app(asked, answer);
  });
  await request(server).get('/').expect(200, { path: '/', own: true });
});
