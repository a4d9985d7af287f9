/** Replies of a chat server as it should be, and means to make them as they are in the wild. */
import { setTimeout as wait } from 'node:timers/promises';
import type { components } from '../../generated/chat-server.js';

type Schemas = components['schemas'];

export interface ChatReply {
  /** 200 if it is left out. */
  readonly status?: number;
  /** `Content-Type: text/event-stream` if they are left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one by one. A generator may wait between, and may have no end. */
  readonly body?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
  /**
   * The end of the reply: `end` closes it as HTTP asks, `cut` breaks the connection, `silence` leaves
   * it open, `no headers` does so before the status was sent. `end` if it is left out.
   */
  readonly end?: 'end' | 'cut' | 'silence' | 'no headers';
}

/** A tool call as a test writes it. */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: unknown;
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** Returns a chunk with the next piece of the answer. */
export function chunk(delta: unknown, finishReason: string | null = null): string {
  return event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
}

/** Returns a chunk with the usage, as the last one of a stream has it. */
export function usageChunk(usage: Schemas['Usage']): string {
  return event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage });
}

export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The event at the end of a stream. */
export const DONE = 'data: [DONE]\n\n';

/** Returns a reply of events, as they are given. */
export function stream(...body: readonly (string | Uint8Array)[]): ChatReply {
  return { body };
}

/** Returns a reply that says a text, in pieces. */
export function says(...pieces: readonly string[]): ChatReply {
  return stream(
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    countedTokens(3),
    DONE,
  );
}

/** Returns a reply that says as many pieces of a text as it may write tokens, and counts them. */
export function saysWithin(maxTokens = Number.POSITIVE_INFINITY, ...pieces: readonly string[]): ChatReply {
  const said = pieces.slice(0, maxTokens);
  return stream(
    ...said.map((content) => chunk({ content })),
    chunk({}, said.length < pieces.length ? 'length' : 'stop'),
    countedTokens(said.length),
    DONE,
  );
}

/** Returns a chunk with the usage of a request of twelve tokens. */
export function countedTokens(completion: number): string {
  const counted = { prompt_tokens: 12, completion_tokens: completion };
  return usageChunk({ ...counted, total_tokens: 12 + completion });
}

/** Returns a reply that calls tools, the arguments of each in two pieces. */
export function calls(...toolCalls: readonly ScriptedCall[]): ChatReply {
  return stream(
    chunk({ role: 'assistant', content: null }),
    ...toolCalls.flatMap(({ id, name, arguments: given }, index) => {
      const text = JSON.stringify(given);
      const half = Math.ceil(text.length / 2);
      const called = { name, arguments: text.slice(0, half) };
      return [
        callChunk({ index, id: id ?? `call_${index}`, type: 'function', function: called }),
        callChunk({ index, function: { arguments: text.slice(half) } }),
      ];
    }),
    chunk({}, 'tool_calls'),
    DONE,
  );
}

/** Returns a chunk with pieces of tool calls, of whatever form. */
export function callChunk(...toolCalls: readonly unknown[]): string {
  return chunk({ tool_calls: toolCalls });
}

/** Returns an answer that is not a stream. */
export function document(body: unknown): ChatReply {
  return { headers: JSON_HEADERS, body: [JSON.stringify(body)] };
}

/** Returns a refusal as chat servers send it. */
export function refuses(
  status: number,
  error: unknown = { message: 'Refused.' },
  headers: Readonly<Record<string, string>> = {},
): ChatReply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: [JSON.stringify({ error })] };
}

export function page(status: number): ChatReply {
  return {
    status,
    headers: { 'Content-Type': 'text/html' },
    body: [`<!doctype html><html><body><h1>${status} of nginx</h1></body></html>`],
  };
}

/** Returns a reply whose parts are sent slowly. */
export function slowly(reply: ChatReply, milliseconds: number): ChatReply {
  return { ...reply, body: delayed(reply.body ?? [], milliseconds) };
}

async function* delayed(
  parts: NonNullable<ChatReply['body']>,
  milliseconds: number,
): AsyncGenerator<string | Uint8Array> {
  for await (const part of parts) {
    yield part;
    await wait(milliseconds);
  }
}

/** Returns a reply that never ends. */
export function endless(part: string): ChatReply {
  // Each reply begins anew: a script may play it more than once.
  return { body: { [Symbol.iterator]: () => repeated(part) } };
}

function* repeated(part: string): Generator<string> {
  for (;;) yield part;
}
