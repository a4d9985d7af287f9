import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.js';
import type { Contract } from '../contract/document.js';
import { boundBodyTime } from './body-timeout.js';
import { answerUnreadableRequest, refuseTunnel } from './client-error.js';
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

/** The longest time that a stop waits for running requests, in milliseconds. */
const STOP_TIMEOUT_MS = 10_000;

/** Creates a server that does not listen yet. Slow senders cannot hold its connections forever. */
export function httpServer(listener: RequestListener, contract: Contract): Server {
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

/**
 * Listens on the configured host and port.
 * @returns the address, with the actual port and the base path
 * @throws if it cannot listen, with the reason and a remedy in one line
 */
export async function listen(server: Server, config: Config): Promise<string> {
  const { host, port } = config;
  // As many connections may be pending. If the queue is full, a client gets no reply and retries
  // only after seconds.
  server.listen({ port, host, backlog: 4096 });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(`it cannot listen on HOST ${host} and PORT ${port}: ${reasonOf(cause)}`, {
      cause,
    });
  }
  return addressOf(server, config);
}

/**
 * Lets running requests finish, then closes; ends the connections of requests that take too long.
 */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const stopped = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  await Promise.race([stopped, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  clearInterval(idle);
  server.closeAllConnections();
  await stopped;
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
