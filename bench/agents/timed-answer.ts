import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { asArray } from '../../contract/json-record.js';
import type { Headers } from '../../testkit/http/client.js';
import { readField, readText } from '../../testkit/json.js';

/** A way to get an answer: through the service, or from the chat server itself. */
export interface Way {
  readonly url: string;
  readonly headers: Headers;
  /** The JSON bodies of the requests, one after the other; the last one is answered in tokens. */
  readonly bodies: readonly string[];
  /** Returns a function that reads the events of one answer. */
  reader(): ReadEvent;
}

/** Returns the tokens in the data of an event, or `end` for the last event of a complete answer. */
type ReadEvent = (data: string) => string;

/** The times of an answer, in milliseconds. */
export interface TimedAnswer {
  /** From the first request until its first token. */
  readonly first: number;
  /** From the chat server to the reader, for each token. */
  readonly delays: readonly number[];
}

/** Keeps connections alive, as clients do. */
const connections = new Agent({ keepAlive: true });

/**
 * Asks, and reads the whole answer.
 * @throws if it is refused, or ends too early
 */
export async function timedAnswer({ url, headers, bodies, reader }: Way): Promise<TimedAnswer> {
  const begun = now();
  let first = Number.NaN;
  let delays: number[] = [];
  for (const body of bodies) {
    delays = [];
    let hasEnded = false;
    const read = reader();
    const onEvent = ({ data }: { readonly data: string }) => {
      const text = read(data);
      if (text === 'end') hasEnded = true;
      // Each token is the time at which it was sent.
      else {
        for (const token of text.split(' ').filter(Boolean)) {
          if (delays.length === 0) first = now() - begun;
          delays.push(now() - Number(token));
        }
      }
    };
    const parser = createParser({ onEvent });
    const response = await send(url, headers, body);
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
    await once(response, 'end');
    if (!hasEnded) throw new Error(`An answer was not complete: ${delays.length} tokens`);
  }
  return { first, delays };
}

async function send(url: string, headers: Headers, body: string): Promise<IncomingMessage> {
  const sent = request(url, {
    method: 'POST',
    agent: connections,
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response?.statusCode === 200) return response;
  const text = await response?.setEncoding('utf8').toArray();
  throw new Error(`${url}: ${response?.statusCode} ${text}`);
}

/** Returns a reader of the service's events. An answer ends well only after its output. */
export function ofService(): ReadEvent {
  let hasOutput = false;
  return (data) => {
    const event: unknown = JSON.parse(data);
    const type = readField(event, 'type');
    if (type === 'delta') return readText(event, 'content');
    if (type === 'error') throw new Error(readText(event, 'content'));
    if (readField(event, 'output') !== undefined) hasOutput = true;
    return type === 'end' && hasOutput ? 'end' : '';
  };
}

/** Reads an event of a chat server. */
export function ofChatServer(data: string): string {
  if (data === '[DONE]') return 'end';
  const [choice] = asArray(readField(JSON.parse(data), 'choices'));
  return readText(readField(choice, 'delta'), 'content');
}

/** Returns the time of a clock that all processes of the machine share, in milliseconds. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The questions that the scripted chat server knows. */
export const QUESTIONS = {
  /** Answered at once, in three tokens. */
  short: 'Say three words.',
  /** Answered in three tokens, after a use of the first tool that is offered. */
  tool: 'What does it cost?',
  /** Answered in `TOKENS` tokens, `TOKENS_A_SECOND` a second. */
  long: 'Say sixty words.',
} as const;

export const TOKENS = 60;
export const TOKENS_A_SECOND = 20;

/** The duration of an answer, in milliseconds. */
const ANSWER_MS = (TOKENS / TOKENS_A_SECOND) * 1000;

/** Opens streams within a time, and reads all of them to their end. */
export function openStreams(way: Way, count: number, withinMs: number): Promise<TimedAnswer[]> {
  const one = async (_: unknown, index: number) => {
    await delay((index * withinMs) / count);
    return timedAnswer(way);
  };
  return Promise.all(Array.from({ length: count }, one));
}

/**
 * Works while a number of streams are open, evenly spread over the duration of an answer; each that ends is followed
 * by another.
 * @throws if an answer was refused or not complete
 */
export async function withKeptStreams<T>(way: Way, count: number, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const keep = async (_: unknown, index: number) => {
    await delay((index * ANSWER_MS) / count);
    while (!isOver) await timedAnswer(way);
  };
  const kept = Promise.all(Array.from({ length: count }, keep));
  // Thrown below.
  kept.catch(() => {});
  await delay(ANSWER_MS);
  try {
    return await work();
  } finally {
    isOver = true;
    await kept;
  }
}
