import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { ChatError, connectionError } from './chat-error.js';
import type { ChatLimits } from './messages.js';

/** A chunk of the answer, parsed, or its end. */
export type ChatEvent = JsonRecord | 'end';

/** JSON escapes make text longer: a quotation mark takes two characters. */
const ESCAPED = 2;

/** The most lines that are not of an event; the parser makes an error of each. */
const MAX_STRANGE_LINES = 1000;

/**
 * The most characters that the parser gets at once: where a line ends in CR it looks for the next LF,
 * through all that it got, for each line.
 */
const MAX_FEED_LENGTH = 4096;

/**
 * Decodes the bytes of an answer, however they are split: events (WHATWG HTML, section 9.2), or one
 * JSON document by a server that does not stream.
 */
export class AnswerDecoder {
  readonly #maxLength: number;
  readonly #text = new TextDecoder();
  readonly #parser;
  #events: ChatEvent[] = [];
  #eventCount = 0;
  #strangeLines = 0;
  #format: 'unknown' | 'events' | 'document' = 'unknown';
  #document = '';
  #hasEvents = false;
  #isEnding = false;

  constructor(private readonly limits: Pick<ChatLimits, 'maxBytes' | 'maxEvents'>) {
    this.#maxLength = limits.maxBytes * ESCAPED;
    this.#parser = createParser({
      maxBufferSize: this.#maxLength,
      onEvent: (event) => this.#onEvent(event),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw this.#tooLong();
        this.#strangeLines += 1;
        if (this.#strangeLines > MAX_STRANGE_LINES) throw unknownAnswer();
      },
    });
  }

  /**
   * Returns the events that these bytes complete.
   * @throws {ChatError} if they are not an answer of a chat server, an event is too long, or there are too many
   */
  push(bytes: Uint8Array): ChatEvent[] {
    this.#decode(this.#text.decode(bytes, { stream: true }));
    return this.#takeEvents();
  }

  /**
   * Returns the events that the end of the bytes completes.
   * @throws {ChatError} if the bytes were not an answer of a chat server, or break off within a document
   */
  end(): ChatEvent[] {
    this.#isEnding = true;
    this.#decode(this.#text.decode());
    if (this.#format === 'document') this.#endDocument();
    // The last event lacks its blank line on some servers.
    if (this.#format === 'events') this.#parser.feed('\n\n');
    if (this.#format === 'events' && !this.#hasEvents) throw unknownAnswer();
    return this.#takeEvents();
  }

  #takeEvents(): ChatEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #decode(text: string): void {
    if (this.#format === 'unknown') {
      this.#begin(text.trimStart());
    } else if (this.#format === 'document') {
      this.#document += text;
      if (this.#document.length > this.#maxLength) throw this.#tooLong();
    } else {
      for (let at = 0; at < text.length; at += MAX_FEED_LENGTH) {
        this.#parser.feed(text.slice(at, at + MAX_FEED_LENGTH));
      }
    }
  }

  /** Tells the format by the first character, since some servers send the wrong media type. */
  #begin(text: string): void {
    if (text === '') return;
    if (text.startsWith('<')) {
      throw new ChatError(
        'The chat server answered with a web page, as a proxy or a login does. Correct CHAT_URL, which often ends in /v1.',
      );
    }
    this.#format = text.startsWith('{') ? 'document' : 'events';
    this.#decode(text);
  }

  #endDocument(): void {
    const document = this.#document.trimEnd();
    if (!document.endsWith('}')) throw connectionError();
    const answer = parse(document);
    if (!answer || !('choices' in answer || 'error' in answer)) throw unknownAnswer();
    this.#events.push(answer, 'end');
  }

  /** Other data than JSON objects are words of the server, such as a keep-alive. */
  #onEvent({ event, data }: EventSourceMessage): void {
    const { maxEvents } = this.limits;
    this.#eventCount += 1;
    if (this.#eventCount > maxEvents) {
      throw new ChatError(
        `The chat server sent more than ${maxEvents} events in one answer. Ask for a shorter answer.`,
      );
    }
    const text = data.trim();
    if (text === '[DONE]') this.#add('end');
    else if (text.startsWith('{')) this.#addChunk(text, event);
    else if (event === 'error') this.#add({ error: text });
  }

  #addChunk(text: string, event: string | undefined): void {
    const chunk = parse(text);
    if (chunk) this.#add(event === 'error' && !('error' in chunk) ? { error: chunk } : chunk);
    // The last event is cut where the connection ended early. The answer is then incomplete, or was complete before.
    else if (this.#isEnding) this.#hasEvents = true;
    else {
      throw new ChatError(
        'The chat server sent an event that is no JSON. Ask again; if it happens again, update the server.',
      );
    }
  }

  #add(event: ChatEvent): void {
    this.#hasEvents = true;
    this.#events.push(event);
  }

  #tooLong(): ChatError {
    return new ChatError(
      `The chat server sent a piece of an answer that is longer than ${this.#maxLength} characters. Ask for a shorter answer.`,
    );
  }
}

function parse(text: string): JsonRecord | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function unknownAnswer(): ChatError {
  return new ChatError(
    'The chat server did not answer in the form of chat completions. Correct CHAT_URL, which often ends in /v1.',
  );
}
