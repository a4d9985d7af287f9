import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Exchange } from './exchange.js';

/** Starts a server, sends two requests at once, and ends the connection after both have arrived. */
async function lostExchanges(): Promise<readonly (readonly [IncomingMessage, ServerResponse])[]> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  const exchanges: [IncomingMessage, ServerResponse][] = [];
  const arrived = new Promise<void>((resolve) => {
    server.on('request', (req, res) => {
      if (exchanges.push([req, res]) === 2) resolve();
    });
  });
  const socket = connect(address.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
  await arrived;
  const [first] = exchanges;
  const lost = first && once(first[1], 'close');
  socket.resetAndDestroy();
  await lost;
  return exchanges;
}

test.each(['the answer that was being sent', 'an answer that waited for its turn'])(
  'of a connection that is gone, %s calls back',
  async (which) => {
    const exchange = (await lostExchanges())[which.startsWith('an answer') ? 1 : 0];
    if (!exchange) throw new Error('There was no request');

    await expect(
      new Promise<string>((resolve) => Exchange.of(exchange[1]).onClose(() => resolve('called back'))),
    ).resolves.toBe('called back');
  },
);
