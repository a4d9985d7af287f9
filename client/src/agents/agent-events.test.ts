import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { anyText } from '../../../testkit/any-text.js';
import {
  type AgentEvent,
  agentEvents,
  createRosterClient,
  ProblemError,
  type RosterClient,
  retry,
  UnexpectedAnswerError,
} from '../index.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a server, and returns a client that repeats what may be repeated. */
async function clientOf(listener: RequestListener): Promise<RosterClient> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A string is for pipes only.
  const roster = createRosterClient({ baseUrl: `http://127.0.0.1:${port}` });
  roster.use(retry({ delay: 1 }));
  return roster;
}

/** Returns a client whose requests are all answered with these bytes, in these pieces. */
function answering(pieces: readonly Uint8Array[]): RosterClient {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };
  const fetch = async () => new Response(body, { headers });
  return createRosterClient({ baseUrl: 'http://roster.example', fetch });
}

const path = { project_name: 'default', agent_name: 'analyst' };

function ask(roster: RosterClient, signal: AbortSignal | null = null) {
  return agentEvents((streamed) =>
    roster.POST('/projects/{project_name}/agents/{agent_name}/completions/stream', {
      ...streamed,
      params: { path },
      body: { messages: [{ role: 'user', content: 'What does it cost?' }] },
      signal,
    }),
  );
}

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const read = [];
  for await (const event of events) read.push(event);
  return read;
}

const line = (event: AgentEvent) => `data: ${JSON.stringify(event)}\n\n`;
const delta = (content: string): AgentEvent => ({ type: 'delta', content, trace_id: 't' });
const END: AgentEvent = { type: 'end', trace_id: 't' };

describe('the events of a streamed answer', () => {
  test('are the same however the bytes arrive, with any text in them', async () => {
    const texts = fc.array(anyText(), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(texts, fc.infiniteStream(fc.integer({ min: 1, max: 40 })), async (said, sizes) => {
        const events = [...said.map(delta), END];
        const text = events.map((event) => `: ping\n\n${line(event)}`).join('');
        let rest = new TextEncoder().encode(text);
        const pieces = [];
        for (const size of sizes) {
          if (rest.length === 0) break;
          pieces.push(rest.subarray(0, size));
          rest = rest.subarray(size);
        }
        // A half of a surrogate pair arrives as the replacement character.
        const expected = events.map((event) => JSON.parse(JSON.stringify(event)));
        expect(await all(ask(answering(pieces)))).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  test('include the failure of an answer', async () => {
    const failure: AgentEvent = {
      type: 'error',
      content: 'The chat server is silent.',
      error_type: 'timeout',
      trace_id: 't',
    };
    const bytes = new TextEncoder().encode(line(delta('It')) + line(failure) + line(END));
    expect(await all(ask(answering([bytes])))).toEqual([delta('It'), failure, END]);
  });

  test('are asked for by their media type', async () => {
    let accepted: string | undefined;
    const roster = await clientOf((request, response) => {
      accepted = request.headers.accept;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(line(END));
    });
    await all(ask(roster));
    expect(accepted).toBe('text/event-stream');
  });

  test('are a ProblemError where the service answers with a problem', async () => {
    const problem = { type: '/problems/chat-not-configured', title: 'Chat not configured' };
    const roster = await clientOf((_request, response) => {
      response.writeHead(501, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    });
    const error: unknown = await all(ask(roster)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ problem, response: { status: 501 } });
  });

  test('are an UnexpectedAnswerError where a proxy answers a page', async () => {
    const roster = await clientOf((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Log in</h1>');
    });
    const error: unknown = await all(ask(roster)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({ body: '<h1>Log in</h1>' });
  });

  test.each(['is closed', 'breaks'])('end with a TypeError if the connection %s early', async (how) => {
    let requests = 0;
    const roster = await clientOf((_request, response) => {
      requests += 1;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(line(delta('About ')), () => (how === 'breaks' ? response.destroy() : response.end()));
    });
    const read: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of ask(roster)) read.push(event);
    })();
    await expect(reading).rejects.toThrow(TypeError);
    expect(read).toEqual([delta('About ')]);
    expect(requests).toBe(1);
  });

  test('cancel the request when the loop is left, or the signal aborted', async () => {
    const closed: Promise<unknown>[] = [];
    const roster = await clientOf((_request, response) => {
      closed.push(once(response, 'close'));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(line(delta('About ')));
    });
    for await (const _ of ask(roster)) break;
    const aborter = new AbortController();
    const events = ask(roster, aborter.signal);
    await events.next();
    aborter.abort(new Error('enough'));
    await expect(events.next()).rejects.toThrow('enough');
    expect(await Promise.all(closed)).toHaveLength(2);
  });

  test('are asked for once, however the service fails', async () => {
    let requests = 0;
    const roster = await clientOf((_request, response) => {
      requests += 1;
      response.writeHead(503, { 'Content-Type': 'application/problem+json' });
      response.end('{"type": "/problems/service-unavailable"}');
    });
    await expect(all(ask(roster))).rejects.toThrow(ProblemError);
    expect(requests).toBe(1);
  });
});
