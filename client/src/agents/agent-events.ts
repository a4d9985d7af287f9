import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { AgentEvent } from '../contract/resources.js';
import { type Answer, ProblemError } from '../problem-error.js';
import { UnexpectedAnswerError } from '../request/unexpected-answer.js';

const MEDIA_TYPE = 'text/event-stream';

/** The options of a request whose answer is streamed. */
export interface StreamRequest {
  headers: { Accept: typeof MEDIA_TYPE };
  parseAs: 'stream';
}

/**
 * Requests a streamed answer:
 * `(streamed) => roster.POST('…/completions/stream', { ...streamed, params, body })`.
 */
export type StreamCall = (streamed: StreamRequest) => Promise<Answer<Response['body']>>;

/**
 * Asks an agent or a chatbot, and returns the events of the answer as they arrive. The last one is
 * `end`. A failure of the answer is an event, too: `error`. Leaving the loop, or aborting the
 * call's own `signal`, cancels the request.
 *
 * Events are server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)
 * whose data is JSON.
 *
 * @throws ProblemError if the service answers with a problem instead of events
 * @throws UnexpectedAnswerError if the answer is not a stream of events
 * @throws TypeError if the connection breaks off before the last event, as fetch does
 */
export async function* agentEvents(call: StreamCall): AsyncGenerator<AgentEvent, void, undefined> {
  const { data, error, response } = await call({ headers: { Accept: MEDIA_TYPE }, parseAs: 'stream' });
  if (error !== undefined) throw new ProblemError(error, response);
  if (!data || !response.headers.get('Content-Type')?.startsWith(MEDIA_TYPE)) {
    throw new UnexpectedAnswerError(response, await new Response(data ?? null).text());
  }
  const reader = data.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new TypeError('The answer broke off before its last event');
      const event: AgentEvent = JSON.parse(value.data);
      yield event;
      if ('type' in event && event.type === 'end') return;
    }
  } finally {
    // Reading may have failed, which is then the error to throw.
    await reader.cancel().catch(() => {});
  }
}
