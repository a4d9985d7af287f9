import { once } from 'node:events';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Contract } from '../../contract/document.js';
import { keyHeader } from '../auth/identify-caller.js';
import { FairQueue } from '../common/fair-gate.js';
import type { ProblemError } from '../problems/problem.js';
import { allowOrigins, createOriginRule } from './cors.js';
import { createBodyTimes, Exchange, serveInOrder } from './exchange.js';
import { answerUnreadableRequest, endingSockets, refuseTunnel } from './malformed-request.js';
import { findFault, hasBody, isLeftToParser, withoutQuery } from './request.js';

/** The longest time in which the headers of a request may arrive, and then its body, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const BODY_TIMEOUT_MS = 120_000;

/**
 * The time for which an idle connection stays open, in milliseconds. It is longer than that of proxies (60 s in nginx
 * and in AWS's load balancers), so that no request arrives on a connection that is closing.
 */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** The most open connections, most of which may be idle; each uses a file descriptor. */
const MAX_CONNECTIONS = 10_000;

/**
 * The longest time that a stop waits for running requests, in milliseconds. The rest of the ten
 * seconds of a stop is for closing the store.
 */
const CLOSE_TIMEOUT_MS = 6_000;

/**
 * The time in which the first request of a new connection may still arrive when the server closes,
 * in milliseconds. Idle connections are closed at once.
 */
const FIRST_REQUEST_MS = 1_000;

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
}

/**
 * Guards a listener: refuses malformed requests and, under load, those without a slot, and adds the
 * headers of CORS to every answer.
 * @param listener throws the `fault` of a malformed request
 * @param allowedOrigins origins whose pages may read the answers; none for no CORS
 */
export function protect(
  listener: RequestListener,
  allowedOrigins: readonly string[],
  shedding: LoadShedding,
): RequestListener {
  const shed = shedLoad(listener, shedding);
  const next = allowedOrigins.length === 0 ? shed : allowOrigins(createOriginRule(allowedOrigins), shed);
  return (req, res) => {
    const codings = req.headers['transfer-encoding'];
    if (endingSockets.has(req.socket) || (codings !== undefined && isLeftToParser(codings))) return;
    const fault = findFault(req);
    if (fault) {
      Exchange.of(res).fault = fault;
      // Its end may be uncertain, so nothing after it is parsed.
      endingSockets.add(req.socket);
      res.shouldKeepAlive = false;
      // Express answers some targets with its own page.
      req.url = '/';
    }
    next(req, res);
  };
}

export interface LoadShedding {
  /** The paths that are always answered, without a trailing slash. */
  readonly exempt: ReadonlySet<string>;
  /** Returns the problem of a request for which there is no slot, judged by its head. */
  readonly overloadProblem: (req: IncomingMessage) => ProblemError | undefined;
  readonly refuse: (refusal: ProblemError, req: IncomingMessage, res: ServerResponse) => void;
}

/** Refuses requests without a slot before any other work, and starts the others fairly. */
export function shedLoad(
  listener: RequestListener,
  { exempt, overloadProblem, refuse }: LoadShedding,
): RequestListener {
  const start = acceptFairly((req, res) => {
    const refusal = overloadProblem(req);
    if (refusal) refuse(refusal, req, res);
    else listener(req, res);
  });
  return (req, res) => {
    const path = withoutQuery(req.url ?? '');
    const isExempt = exempt.has(path.endsWith('/') ? path.slice(0, -1) : path);
    if (isExempt) listener(req, res);
    else start(req, res);
  };
}

/** The time in which requests are started in one turn of the event loop, in milliseconds. */
const STARTING_MS = 1;

/**
 * Starts few requests in each turn of the event loop. Node accepts one new connection per turn, so new callers would
 * wait forever while connected ones send as much as the service can handle.
 *
 * Keys take turns, even before they are checked: a caller who sends many requests at once does not make others wait for
 * all of them. Each connection has at most one waiting request (`serveInOrder`).
 */
export function acceptFairly(listener: RequestListener): RequestListener {
  const waiting = new FairQueue<[IncomingMessage, ServerResponse]>();
  /** The start time of the first request in this turn. */
  let begun: number | undefined;
  const start: RequestListener = (req, res) => {
    if (begun === undefined) {
      begun = performance.now();
      setImmediate(endTurn);
    }
    listener(req, res);
  };
  const endTurn = () => {
    begun = undefined;
    if (waiting.size > 0) startWaiting();
  };
  const startWaiting = () => {
    if (begun !== undefined && performance.now() - begun >= STARTING_MS) return;
    const next = waiting.take();
    if (!next) return;
    const [req, res] = next;
    // Do not work for a caller who disconnected while waiting.
    if (!res.closed && !req.socket.destroyed) start(req, res);
    // Most of the work follows in promises and must count: a tick requested by a microtask runs after all of them.
    queueMicrotask(() => process.nextTick(startWaiting));
  };
  return (req, res) => {
    const isOver = begun !== undefined && performance.now() - begun >= STARTING_MS;
    if (waiting.size === 0 && !isOver) start(req, res);
    else waiting.add(keyHeader(req.headers) ?? '', [req, res]);
  };
}

/** An HTTP server. Slow senders cannot hold its connections forever, and it closes without losing a request. */
export class HttpServer {
  readonly #connections = new Set<Socket>();
  readonly #responses = new Set<ServerResponse>();
  readonly #server: Server;
  #isDraining = false;

  /** @param messages the classes of its requests and responses */
  constructor(listener: RequestListener, contract: Contract, messages: Messages) {
    const answerUnreadable = answerUnreadableRequest(contract);
    const inOrder = serveInOrder(this.#watch(listener, answerUnreadable));
    this.#server = createServer(
      {
        ...messages,
        // Requests without a Host, or with an unknown Expect, go to the app, which answers with problem+json.
        requireHostHeader: false,
        headersTimeout: HEADERS_TIMEOUT_MS,
        // Would also end streams; see `createBodyTimes`.
        requestTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        connectionsCheckingInterval: 1000,
      },
      inOrder,
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    // Node would drop headers after the first 1000, even Host and Transfer-Encoding; the limit of 16 KiB suffices.
    this.#server.maxHeadersCount = 0;
    this.#server
      .on('checkExpectation', inOrder)
      .on('connect', refuseTunnel(contract))
      .on('clientError', answerUnreadable)
      .on('connection', (connection) => {
        this.#connections.add(connection);
        connection.once('close', () => this.#connections.delete(connection));
      });
  }

  #watch(listener: RequestListener, refuse: ReturnType<typeof answerUnreadableRequest>): RequestListener {
    const bodyTimes = createBodyTimes(BODY_TIMEOUT_MS, refuse);
    return (req, res) => {
      const exchange = Exchange.of(res);
      this.#responses.add(res);
      exchange.onClose(() => this.#responses.delete(res));
      if (this.#isDraining) res.shouldKeepAlive = false;
      if (hasBody(req)) exchange.limitBody(bodyTimes);
      listener(req, res);
    };
  }

  /** The number of requests that are not answered yet. */
  get openRequests(): number {
    return this.#responses.size;
  }

  /**
   * @returns the address, with the actual port and the base path
   * @throws if it cannot listen, with the reason and a remedy in one line
   */
  async listen({ host, port, basePath }: ListenAddress): Promise<string> {
    // As many connections may be pending. If the queue is full, a client gets no reply and retries only after seconds.
    this.#server.listen({ port, host, backlog: 4096 });
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw new Error(`it cannot listen on HOST ${host} and PORT ${port}: ${explainFailure(cause)}`, { cause });
    }
    const address = this.#server.address();
    const actual = typeof address === 'object' ? address?.port : undefined;
    return `http://${isIPv6(host) ? `[${host}]` : host}:${actual}${basePath}`;
  }

  /**
   * Goes on serving, but makes each answer the last on its connection, and says so (`Connection:
   * close`), so that no client sends a request on a connection that is about to be closed.
   */
  drain(): void {
    this.#isDraining = true;
    for (const res of this.#responses) if (!res.headersSent) res.shouldKeepAlive = false;
  }

  /** Refuses new connections, answers what has arrived, then ends; cuts the requests that take too long. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server.listening) return;
    this.drain();
    // Takes the connections that wait to be accepted: they would be reset with the port.
    await nextTurn();
    const closed = once(server, 'close');
    server.close();
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const unused = setTimeout(() => this.#closeUnused(), FIRST_REQUEST_MS);
    await Promise.race([closed, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    clearInterval(idle);
    clearTimeout(unused);
    server.closeAllConnections();
    await closed;
  }

  #closeUnused(): void {
    const used = new Set([...this.#responses].map(({ req }) => req.socket));
    for (const connection of this.#connections) if (!used.has(connection)) connection.destroy();
  }
}

function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'EADDRINUSE'
    ? 'address already in use; stop what listens there, or choose another PORT'
    : error.message;
}

/** The classes of the requests and responses that a server makes. */
export type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Runs a handler before an app's router, with the app's requests and responses. Express's router
 * takes a fifth of the processor time of a simple read. It gets the requests that the handler passes on.
 * @param begin runs first for every request, even for a malformed one
 * @param answerError answers a request whose handler failed
 * @returns the listener, for a server that makes its requests and responses of the given classes
 */
export function bypassRouter(
  app: Express,
  begin: (req: Request, res: Response) => void,
  handler: RequestHandler,
  answerError: ErrorRequestHandler,
): { readonly listener: RequestListener; readonly messages: Messages } {
  const serve = (req: Request, res: Response) => {
    req.res = res;
    req.originalUrl = req.url;
    const pass = () => app(req, res);
    const passOn = (thrown?: unknown) => {
      if (thrown === undefined) pass();
      else answerError(thrown, req, res, pass);
    };
    try {
      begin(req, res);
      setSecurityHeaders(res);
      const { fault } = Exchange.of(res);
      if (fault) throw fault;
      handler(req, res, passOn);
    } catch (thrown) {
      passOn(thrown);
    }
  };
  // The server's requests and responses are the app's.
  return { listener: serve as RequestListener, messages: createMessages(app) };
}

/**
 * Returns classes whose objects are an app's requests and responses from the start. Express sets the
 * prototypes of Node's objects instead, and adds properties to them: V8 then makes new shapes for each
 * request, 7 kB of garbage of which a third outlives the collections of young objects.
 */
function createMessages(app: Express): Messages {
  class AppRequest extends IncomingMessage {
    res = undefined;
    originalUrl = '';
    baseUrl = '';
    params = {};
    body = undefined;
  }
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {
    locals = new Locals();
  }
  Object.setPrototypeOf(AppRequest.prototype, Object.create(app.request, QUERY));
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** A class, because V8 makes room for the properties that its instances get. */
class Locals {
  [name: string]: unknown;
}

/** Reads the query as Express does, which would parse the address even if it has none. */
const QUERY = {
  query: {
    get(this: Request): Request['query'] {
      return this.url.includes('?') ? Reflect.get(express.request, 'query', this) : {};
    },
  },
};

/**
 * The headers that make a browser treat a response as data only (OWASP REST Security Cheat Sheet): it
 * is not rendered, runs no scripts, and cannot be framed or read by another origin. Pages override
 * the Content-Security-Policy with their own.
 *
 * HSTS is left to the proxy that terminates TLS: it must not be sent over HTTP, which is all that
 * the service speaks (RFC 6797, section 7.2).
 */
const HEADERS = [
  ['content-security-policy', "default-src 'none';frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
] as const;

export function setSecurityHeaders(res: ServerResponse): void {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
}
