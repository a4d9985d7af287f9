import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../../contract/json-record.js';
import { serveOnLoopback } from '../http/loopback-server.js';
import { type ChatRequestBody, isChatRequest } from './chat-contract.js';
import { type ChatReply, refuses } from './reply.js';

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ChatRequestBody;
  /** The client's port, which distinguishes connections. */
  readonly clientPort: number | undefined;
  /** Resolves when the reply is over: sent, or broken off by the client or by the script. */
  readonly outcome: Promise<ReplyOutcome>;
}

/** The end of a reply. */
export type ReplyOutcome = 'sent' | 'aborted by the client' | 'cut by the script';

/**
 * Replies to requests: a list in their order, whose last reply is repeated, or a function of the
 * request and of its number, which begins with 0.
 */
export type ChatScript =
  | readonly ChatReply[]
  | ((request: ReceivedRequest, number: number) => ChatReply | Promise<ChatReply>);

/** A chat server that plays a script. */
export interface ScriptedChatServer {
  /** The base URL, which ends in `/v1`. */
  readonly url: string;
  /** Every valid request so far. */
  readonly requests: readonly ReceivedRequest[];
  /** Replaces the script, and begins to count requests anew. */
  play(script: ChatScript): void;
  /** Returns the bodies of the valid requests since the script began. */
  sent(): ReceivedRequest['body'][];
  close(): Promise<void>;
}

/**
 * Starts a chat server on the loopback address. A request that `chat-server.yaml` does not allow gets
 * a 400 that says why.
 */
export async function openScriptedChatServer(script: ChatScript): Promise<ScriptedChatServer> {
  const requests: ReceivedRequest[] = [];
  let playing = script;
  let played = 0;
  let begun = 0;
  const next = async (request: ReceivedRequest): Promise<ChatReply | undefined> => {
    requests.push(request);
    const number = played;
    played += 1;
    if (typeof playing === 'function') return playing(request, number);
    return playing[number] ?? playing.at(-1);
  };
  const { origin, close } = await serveOnLoopback((incoming, response) => {
    // The client has gone, or the script has failed: the client sees a connection that breaks.
    answer(incoming, response, next).catch(() => response.destroy());
  });
  return {
    url: `${origin}/v1`,
    requests,
    play: (following) => {
      playing = following;
      played = 0;
      begun = requests.length;
    },
    sent: () => requests.slice(begun).map(({ body }) => body),
    close,
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  next: (request: ReceivedRequest) => Promise<ChatReply | undefined>,
): Promise<void> {
  const outcome = awaitOutcome(response);
  const body = parseJson(Buffer.concat(await incoming.toArray()).toString());
  if (!isChatRequest(body)) {
    return send(refuses(400, { message: JSON.stringify(isChatRequest.errors) }), response);
  }
  const { method = '', url: path = '', headers, socket } = incoming;
  const clientPort = socket.remotePort;
  const reply = await next({ method, path, headers, body, clientPort, outcome });
  return send(reply ?? refuses(500, { message: 'The script is empty.' }), response);
}

/** Connections that the script has cut. */
const cut = new WeakSet<ServerResponse>();

async function awaitOutcome(response: ServerResponse): Promise<ReplyOutcome> {
  await once(response, 'close');
  if (response.writableFinished) return 'sent';
  return cut.has(response) ? 'cut by the script' : 'aborted by the client';
}

async function send(reply: ChatReply, response: ServerResponse): Promise<void> {
  const { status = 200, headers = { 'Content-Type': 'text/event-stream' }, body = [] } = reply;
  if (reply.end === 'no headers') return;
  response.writeHead(status, headers).flushHeaders();
  for await (const part of body) {
    if (response.destroyed) return;
    if (!response.write(part)) await drained(response);
  }
  if (reply.end === 'silence') return;
  if (reply.end !== 'cut') response.end();
  else {
    cut.add(response);
    await flushed(response);
    response.destroy();
  }
}

/** Resolves when the client has taken what was written, or has gone. */
async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const { signal } = gone;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  gone.abort();
}

/** Resolves when all that was written has left the process. */
function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.write('', () => resolve()));
}
