import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

/**
 * What becomes of one request: it passes; is lost on its way, or its answer is; is never answered, or
 * only half; or is answered by somebody else.
 */
export type Fault =
  | 'none'
  | 'request lost'
  | 'answer lost'
  | 'silence'
  | 'half an answer'
  | { status: number; headers?: Record<string, string>; body?: string };

/** A request as it came by. */
export interface Passed {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A proxy before the service that fails as it is told. */
export interface FaultyProxy {
  url: string;
  /** Every request that came by, whatever became of it. */
  passed: Passed[];
  /** What happens to the next requests, one after the other. Those after them pass. */
  next(...faults: Fault[]): void;
  close(): Promise<void>;
}

/** Starts a proxy for the service at `target`, on a free port of the loopback address. */
export async function openFaultyProxy(target: string): Promise<FaultyProxy> {
  const passed: Passed[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    passed.push({ method, path, headers, body });
    const aboutIt = Object.entries(headers).map(([name, value]): Header => [name, String(value)]);
    await meet(faults.shift() ?? 'none', request, response, () =>
      fetch(target + path, { method, headers: endToEnd(aboutIt), ...(body && { body }) }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    passed,
    next: (...more) => faults.splice(0, faults.length, ...more),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function meet(
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
      response.writeHead(answer.status, Object.fromEntries(endToEnd(answer.headers)));
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

/** What is about a connection, and not about what goes over it. */
const OF_A_CONNECTION = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];

function endToEnd(headers: Iterable<Header>): Header[] {
  return [...headers].filter(([name]) => !OF_A_CONNECTION.includes(name));
}
