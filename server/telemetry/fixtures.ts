import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** Helpers shared by the tests of this folder. */

export interface Served {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves requests on a free port of the loopback address. */
export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
