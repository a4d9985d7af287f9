/** Connections to hosts that let a client log in, and then fail before the check of the session is answered. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Store } from '../index.js';

/** AuthenticationOk and ReadyForQuery (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const LOGGED_IN = Buffer.from([...[0x52, 0, 0, 0, 8, 0, 0, 0, 0], ...[0x5a, 0, 0, 0, 5, 0x49]]);

const sockets = new Set<Socket>();
let server: Server;
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

test.each([
  ['closes the connection', (socket: Socket) => socket.destroy()],
  ['says nothing more', () => {}],
])('a host that lets a client log in and then %s fails the request, and not the process', async (_, fail) => {
  server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.write(LOGGED_IN);
      socket.once('data', () => fail(socket));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // An error without a listener would fail the run of the tests.
  const opened = Store.open(`postgres://ann@127.0.0.1:${port},localhost:${port}/db`);
  await expect(opened).rejects.toThrow(/localhost:\d+: .*; 127\.0\.0\.1:\d+: /);
});
