import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Config } from '../config.js';
import type { Contract } from '../contract/document.js';
import { boundBodyTime } from './body-timeout.js';
import { answerUnreadableRequest, refuseTunnel } from './client-error.js';
import { OpenRequests } from './open-requests.js';
import { serveInOrder } from './pipelining.js';

/**
 * The longest time in which the headers of a request may arrive, and then its body, in
 * milliseconds.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const BODY_TIMEOUT_MS = 120_000;

/**
 * The time for which an idle connection stays open, in milliseconds. It is longer than that of
 * proxies (60 s in nginx and in AWS's load balancers), so that no request arrives on a connection
 * that is closing.
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

/** An HTTP server, which closes without losing a request. */
export class HttpServer {
  readonly #open = new OpenRequests();
  readonly #server: Server;

  constructor(listener: RequestListener, contract: Contract) {
    this.#server = createHttpServer(this.#open.watch(listener), contract);
    this.#server.on('connection', (connection) => this.#open.addConnection(connection));
  }

  /** The number of requests that are not answered yet. */
  get openRequests(): number {
    return this.#open.count;
  }

  /**
   * Listens on the configured host and port.
   * @returns the address, with the actual port and the base path
   * @throws if it cannot listen, with the reason and a remedy in one line
   */
  async listen(config: Config): Promise<string> {
    const { host, port } = config;
    // As many connections may be pending. If the queue is full, a client gets no reply and retries
    // only after seconds.
    this.#server.listen({ port, host, backlog: 4096 });
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw new Error(`it cannot listen on HOST ${host} and PORT ${port}: ${reasonOf(cause)}`, {
        cause,
      });
    }
    return addressOf(this.#server, config);
  }

  /** Goes on serving, but makes each answer the last on its connection. */
  drain(): void {
    this.#open.drain();
  }

  /**
   * Refuses new connections, answers what has arrived, then ends; cuts the requests that take too
   * long.
   */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server.listening) return;
    this.drain();
    // Takes the connections that wait to be accepted: they would be reset with the port.
    await nextTurn();
    const closed = once(server, 'close');
    server.close();
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const unused = setTimeout(() => this.#open.closeUnused(), FIRST_REQUEST_MS);
    await Promise.race([closed, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    clearInterval(idle);
    clearTimeout(unused);
    server.closeAllConnections();
    await closed;
  }
}

/** Creates a server that does not listen yet. Slow senders cannot hold its connections forever. */
function createHttpServer(listener: RequestListener, contract: Contract): Server {
  const answerUnreadable = answerUnreadableRequest(contract);
  const bounded = serveInOrder(boundBodyTime(listener, BODY_TIMEOUT_MS, answerUnreadable));
  const server = createServer(
    {
      // Requests without a Host, or with an unknown Expect, go to the app, which answers with
      // problem+json.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // Would also end streams; see `boundBodyTime`.
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
    },
    bounded,
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Node would drop headers after the first 1000, even Host and Transfer-Encoding; the limit of 16
  // KiB suffices.
  server.maxHeadersCount = 0;
  return server
    .on('checkExpectation', bounded)
    .on('connect', refuseTunnel(contract))
    .on('clientError', answerUnreadable);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'EADDRINUSE'
    ? 'address already in use; stop what listens there, or choose another PORT'
    : error.message;
}

function addressOf(server: Server, { host, basePath }: Config): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}
