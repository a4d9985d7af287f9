import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Contract, Operation } from '../../../contract/document.js';
import { Exchange } from '../../edge/exchange.js';
import { JSON_TYPE } from '../../edge/request.js';
import { invalidRequest, ProblemError, type ProblemRendering, problem, render } from '../../problems/problem.js';
import { errorOfProblem } from './json-rpc.js';
import { isOpenaiAddress, writeOpenaiError } from './openai-error.js';

/** Logs the cause of a failed request, which its caller does not see. */
export type NoteFailure = (req: Request, res: Response, cause: unknown, what: string) => void;

/** Returns the problem of an error that was thrown below the contract, if it knows it. */
type Translate = (thrown: unknown) => ProblemError | undefined;

/** Converts any error of a request into a problem; one that nobody knows is an internal error. */
export function asProblem(cause: unknown, translate?: Translate): ProblemError {
  if (cause instanceof ProblemError) return cause;
  if (cause instanceof URIError) {
    return invalidRequest([{ pointer: '/path', message: 'must be percent-encoded UTF-8 (RFC 3986, section 2.1)' }]);
  }
  const detail = 'Something went wrong inside the service. Its log has the cause under this request_id.';
  return translate?.(cause) ?? problem('/problems/internal-error', detail, {}, {}, { cause });
}

/**
 * Returns the error handler of the app, which renders any error as a problem.
 * @param bases the prefixes before the paths of the contract
 * @param onRefusal gets every problem but 500, with its status
 * @param noteFailure gets the cause of every 5xx that has one
 * @param writeOauthFault writes the problem of a request of OAuth that breaks the contract
 */
export function sendProblem(
  contract: Contract,
  bases: readonly string[],
  translate: Translate,
  onRefusal: (error: ProblemError, status: number, req: Request, res: Response) => void,
  noteFailure: NoteFailure,
  writeOauthFault: (
    operation: Operation,
    document: ProblemRendering,
  ) => { readonly mediaType: string; readonly text: string; readonly headers: ProblemError['headers'] },
): ErrorRequestHandler {
  return (thrown, req, res, _next) => {
    const error = asProblem(thrown, translate);
    const document = renderFor(contract, bases, error, {
      instance: req.originalUrl,
      requestId: res.locals.requestId ?? '',
    });
    if (document.status >= 500 && error.cause) {
      noteFailure(req, res, error.cause, document.title.toLowerCase());
    }
    if (res.headersSent) {
      // The response has begun; closing the connection is the only way to show that it is incomplete.
      res.destroy();
      return;
    }
    if (document.status !== 500) onRefusal(error, document.status, req, res);
    const { operation } = res.locals;
    // Limits belong to an authenticated caller, so a 401 shows none, unless the key ended during a long upload.
    if (document.status === 401 && !operation?.defersBody) {
      for (const name of LIMIT_HEADERS) res.removeHeader(name);
    }
    if (document.status === 400 && operation?.speaksJsonRpc) {
      sendText(res, error.headers, 400, JSON_TYPE, JSON.stringify(errorOfProblem(document, req.body)));
    } else if (document.status === 400 && operation?.speaksOauth) {
      const { mediaType, text, headers } = writeOauthFault(operation, document);
      sendText(res, { ...error.headers, ...headers }, 400, mediaType, text);
    } else sendDocument(res, error, document);
  };
}

/** Renders a problem for the clients of an address. */
function renderFor(
  contract: Contract,
  bases: readonly string[],
  error: ProblemError,
  at: Parameters<typeof render>[2],
): ProblemRendering {
  const document = render(contract, error, at);
  return isOpenaiAddress(at.instance, bases)
    ? Object.assign(document, { error: writeOpenaiError(document) })
    : document;
}

const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

function sendDocument(res: ServerResponse, { headers }: ProblemError, document: ProblemRendering): void {
  sendText(res, headers, document.status, 'application/problem+json', JSON.stringify(document));
}

function sendText(
  res: ServerResponse,
  headers: ProblemError['headers'],
  status: number,
  mediaType: string,
  body: string,
): void {
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
  res.setHeader('Content-Type', `${mediaType}; charset=utf-8`);
  Exchange.of(res).endUnread(body);
}

/** Sends a problem in response to a request that is not processed any further. */
export function sendRefusal(
  contract: Contract,
  bases: readonly string[],
  refusal: ProblemError,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const requestId = randomUUID();
  const document = renderFor(contract, bases, refusal, { instance: req.url ?? '/', requestId });
  res.setHeader('X-Request-Id', requestId);
  sendDocument(res, refusal, document);
}
