import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the numbers that systems give to connections, and to servers that take any: 32768 and up on Linux. */
const PORTS = { first: 10_000, end: 32_768 };

/**
 * Returns a free port of the loopback address, for a server that takes no other. It stays free until that server
 * listens, and while it restarts: no connection gets its number, and nobody else who asks here, in any process.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/** Reserves a number for this process, by a socket of UDP, which leaves the port of TCP to the server. */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  socket.bind({ address: '127.0.0.1', port, exclusive: true });
  return once(socket, 'listening').then(
    () => true,
    () => {
      socket.close();
      return false;
    },
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
