import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { serveOnLoopback } from './loopback-server.js';

/**
 * The fault that one request meets: none; the request or its answer is lost; there is no answer, or only half
 * of it; or the proxy answers itself.
 */
export type Fault =
  | 'none'
  | 'request lost'
  | 'answer lost'
  | 'silence'
  | 'half an answer'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A request as it reached the proxy. */
export interface Passed {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A proxy in front of the service that fails on command. */
export interface FaultyProxy {
  url: string;
  /** Every request that reached the proxy, whatever its fault. */
  passed: Passed[];
  /** Sets the faults of the next requests, one each. Later requests pass. */
  next(...faults: Fault[]): void;
  close(): Promise<void>;
}

/** Starts a proxy for the service at `target`, on a free port of the loopback address. */
export async function openFaultyProxy(target: string): Promise<FaultyProxy> {
  const passed: Passed[] = [];
  const faults: Fault[] = [];
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    passed.push({ method, path, headers, body });
    const received = Object.entries(headers).map(([name, value]): Header => [name, String(value)]);
    await applyFault(faults.shift() ?? 'none', request, response, () =>
      fetch(target + path, { method, headers: endToEnd(received), ...(body && { body }) }),
    );
  });
  return { url: origin, passed, next: (...more) => faults.splice(0, faults.length, ...more), close };
}

async function applyFault(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
  pass: () => Promise<Response>,
): Promise<void> {
  if (typeof fault === 'object') {
    const { status, headers, body = '' } = fault;
    response.writeHead(status, headers).end(body);
    return;
  }
  switch (fault) {
    case 'none': {
      const answer = await pass();
      // `fetch` has unpacked the body.
      const sent = endToEnd(answer.headers).filter(([name]) => name !== 'content-encoding');
      response.writeHead(answer.status, Object.fromEntries(sent));
      response.end(Buffer.from(await answer.arrayBuffer()));
      return;
    }
    case 'request lost':
      request.socket.destroy();
      return;
    case 'answer lost':
      await pass();
      request.socket.destroy();
      return;
    case 'silence':
      return;
    case 'half an answer':
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('[');
      return;
  }
}

type Header = [name: string, value: string];

/** Hop-by-hop headers, which are not forwarded. */
const HOP_BY_HOP = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];

function endToEnd(headers: Iterable<Header>): Header[] {
  return [...headers].filter(([name]) => !HOP_BY_HOP.includes(name));
}
