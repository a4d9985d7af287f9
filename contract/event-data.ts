import { asRecord, parseJson } from './json-record.js';

/**
 * Returns the data of each event of a `text/event-stream` body, in order. Comments are skipped, and a last `[DONE]`,
 * which ends the streams of OpenAI's API.
 * @throws {EventStreamError} if a line is neither `data: …` nor a comment, an event has no end, or a name other than
 *   the `type` of its data
 */
export function eventData(body: string): string[] {
  const blocks = body.split('\n\n');
  if (blocks.pop() !== '') throw new EventStreamError('the last event has no end');
  if (blocks.at(-1) === 'data: [DONE]') blocks.pop();
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'));
    const name = lines[0]?.startsWith('event: ') ? lines.shift()?.slice('event: '.length) : undefined;
    return lines.map((line) => {
      if (!line.startsWith('data: ')) {
        throw new EventStreamError(`a line is not data: ${line.slice(0, 200)}`);
      }
      const data = line.slice('data: '.length);
      if (name === undefined || asRecord(parseJson(data))['type'] === name) return data;
      throw new EventStreamError(`an event is named ${name}, which is not its type`);
    });
  });
}

/**
 * Parses the events of a `text/event-stream` body, as existing clients do: every `data` is JSON.
 * @throws {EventStreamError | SyntaxError} if a line is of another kind, or its data is not JSON
 */
export function eventsIn<T>(body: string): T[] {
  return eventData(body).map((data): T => JSON.parse(data));
}

/** A body is not the kind of event stream that the contract describes. */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError';
}
