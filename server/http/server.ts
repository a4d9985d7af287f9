import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.js';
import type { Contract } from '../contract/document.js';
import { boundBodyTime } from './body-timeout.js';
import { answerUnreadableRequest, refuseTunnel } from './client-error.js';
import { serveInOrder } from './pipelining.js';

/** How long the headers of a request may take to arrive, and then its body, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const BODY_TIMEOUT_MS = 120_000;

/**
 * How long a connection stays open without a request, in milliseconds. It is longer than proxies keep theirs
 * (60 s in nginx and in AWS's load balancers), so that a request never meets a connection that is being closed.
 */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** Connections at once, most of which may do nothing; each takes a file descriptor. */
const MAX_CONNECTIONS = 10_000;

/** How long a stop waits for what has begun, in milliseconds. */
const STOP_TIMEOUT_MS = 10_000;

/** A server that does not listen yet, and whose connections cannot be held for ever by who sends slowly. */
export function httpServer(listener: RequestListener, contract: Contract): Server {
  const answerUnreadable = answerUnreadableRequest(contract);
  const bounded = serveInOrder(boundBodyTime(listener, BODY_TIMEOUT_MS, answerUnreadable));
  const server = createServer(
    {
      // A request without a Host, or with an unknown Expect, is for the app to answer: Node has no problem+json.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // It would end streams, too.
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
    },
    bounded,
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Node would leave out those after the first 1000, Host and Transfer-Encoding among them; 16 KiB bound them all.
  server.maxHeadersCount = 0;
  return server
    .on('checkExpectation', bounded)
    .on('connect', refuseTunnel(contract))
    .on('clientError', answerUnreadable);
}

/**
 * Listens where the configuration says.
 * @returns the address, with the port that the system chose if it was to choose, and the base path
 * @throws if it cannot, with the reason and a remedy in one line
 */
export async function listen(server: Server, config: Config): Promise<string> {
  const { host, port } = config;
  // As many may wait to be let in: whoever finds the queue full is told nothing, and tries again after seconds.
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

/** Lets what has begun end, then closes; what has not ended in time is cut. */
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
