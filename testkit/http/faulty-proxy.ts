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
export type Trouble =
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

/** A way to the service on which things go wrong. */
export interface TroubledWay {
  url: string;
  /** Every request that came by, whatever became of it. */
  passed: Passed[];
  /** What happens to the next requests, one after the other. Those after them pass. */
  next(...troubles: Trouble[]): void;
  close(): Promise<void>;
}

/** Opens a way on a free port of the loopback address to the service at `target`. */
export async function openTroubledWay(target: string): Promise<TroubledWay> {
  const passed: Passed[] = [];
  const troubles: Trouble[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    passed.push({ method, path, headers, body });
    const aboutIt = Object.entries(headers).map(([name, value]): Header => [name, String(value)]);
    await meet(troubles.shift() ?? 'none', request, response, () =>
      fetch(target + path, { method, headers: endToEnd(aboutIt), ...(body && { body }) }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The way has no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    passed,
    next: (...more) => troubles.splice(0, troubles.length, ...more),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function meet(
  trouble: Trouble,
  request: IncomingMessage,
  response: ServerResponse,
  pass: () => Promise<Response>,
): Promise<void> {
  if (typeof trouble === 'object') {
    const { status, headers, body = '' } = trouble;
    response.writeHead(status, headers).end(body);
    return;
  }
  switch (trouble) {
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
