import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';

/** The classes that a server makes its messages of. */
export type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/**
 * Classes whose messages have the app's prototypes from the start. Express sets these on each message it is
 * given. V8 then gives each message hidden classes of its own, one per property that is added later: 14 KB
 * that live until the next full collection, and no access to a message is fast.
 */
export function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
