import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { WAIT_MS } from '../patience.js';

export interface LoopbackServer {
  /** Such as `http://127.0.0.1:4000`. */
  readonly origin: string;
  /** Ends the open connections too. */
  close(): Promise<void>;
}

/**
 * Serves a listener on the loopback address.
 * @param port 0 for any free one
 */
export async function serveOnLoopback(listener: RequestListener, port = 0): Promise<LoopbackServer> {
  // After its own five seconds, it would close a connection on which a slow client just sends.
  const server = createServer({ keepAliveTimeout: WAIT_MS }, listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
