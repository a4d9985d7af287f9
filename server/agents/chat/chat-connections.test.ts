import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, scripted, streamed } from '../../../testkit/chat/ask.js';
import { says } from '../../../testkit/chat/reply.js';
import { freePort } from '../../../testkit/http/free-port.js';
import { listen } from '../../../testkit/http/listen.js';
import { ChatClient } from './chat-client.js';

const KEY = 'sk-secret-1234567890';

describe('a chat client says', () => {
  it('that the server is not there', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    await expect(streamed(new ChatClient({ url }))).rejects.toMatchObject({
      errorType: 'connection',
      message: 'The chat server refused the connection. Start it, or correct CHAT_URL.',
    });
  });

  it('that its host is unknown', async () => {
    const client = new ChatClient({ url: 'http://roster.invalid/v1' });
    await expect(streamed(client)).rejects.toMatchObject({
      errorType: 'connection',
      message: expect.stringMatching(/host of the chat server is unknown/),
    });
  });

  it('that the server does not speak TLS', async () => {
    const { url } = await scripted([says('Hello')]);
    const client = new ChatClient({ url: url.replace('http:', 'https:') });
    await expect(streamed(client)).rejects.toMatchObject({
      errorType: 'connection',
      message: expect.stringMatching(/^The TLS connection/),
    });
  });

  it('that the server does not speak HTTP', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    const client = new ChatClient({ url: `http://127.0.0.1:${port}` });
    await expect(streamed(client)).rejects.toMatchObject({
      errorType: 'connection',
      message: expect.stringMatching(/did not answer in HTTP/),
    });
  });

  it('nothing to the target of a redirect', async () => {
    let isAsked = false;
    const target = await listen((_request, response) => {
      isAsked = true;
      response.end();
    });
    const reply = { status: 307, headers: { Location: target } };
    await expect(ask(reply, { readKey: () => KEY })).rejects.toThrow(/redirects/);
    expect(isAsked).toBe(false);
  });
});
