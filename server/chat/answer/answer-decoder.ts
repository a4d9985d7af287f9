import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { ChatError } from '../chat-error.js';
import { brokenConnection } from '../network-error.js';

/** A chunk of the answer, parsed, or its end. */
export type AnswerEvent = JsonRecord | 'end';

/** JSON escapes make text longer: a quotation mark takes two characters. */
const ESCAPED = 2;

/**
 * Decodes the bytes of an answer, however they are split: events (WHATWG HTML, section 9.2), or one
 * JSON document by a server that does not stream.
 */
export class AnswerDecoder {
  readonly #maxLength: number;
  readonly #text = new TextDecoder();
  readonly #parser;
  #events: AnswerEvent[] = [];
  #format: 'unknown' | 'events' | 'document' = 'unknown';
  #document = '';
  #hasEvents = false;
  #isEnding = false;

  /** @param maxBytes the most bytes of text that an event may have */
  constructor(maxBytes: number) {
    this.#maxLength = maxBytes * ESCAPED;
    this.#parser = createParser({
      maxBufferSize: this.#maxLength,
      onEvent: (event) => this.#onEvent(event),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw this.#tooLong();
      },
    });
  }

  /**
   * Returns the events that these bytes complete.
   * @throws {ChatError} if they are no answer of a chat server, or an event is too long
   */
  push(bytes: Uint8Array): AnswerEvent[] {
    this.#decode(this.#text.decode(bytes, { stream: true }));
    return this.#takeEvents();
  }

  /**
   * Returns the events that the end of the bytes completes.
   * @throws {ChatError} if the bytes were no answer of a chat server, or break off within a document
   */
  end(): AnswerEvent[] {
    this.#isEnding = true;
    this.#decode(this.#text.decode());
    if (this.#format === 'document') this.#endDocument();
    // The last event lacks its blank line on some servers.
    if (this.#format === 'events') this.#parser.feed('\n\n');
    if (this.#format === 'events' && !this.#hasEvents) throw unknownAnswer();
    return this.#takeEvents();
  }

  #takeEvents(): AnswerEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #decode(text: string): void {
    if (this.#format === 'events') this.#parser.feed(text);
    else if (this.#format === 'document') this.#addToDocument(text);
    else this.#begin(text.trimStart());
  }

  /** Tells the format by the first character, since some servers send the wrong media type. */
  #begin(text: string): void {
    if (text === '') return;
    if (text.startsWith('<')) throw webPage();
    this.#format = text.startsWith('{') ? 'document' : 'events';
    this.#decode(text);
  }

  #addToDocument(text: string): void {
    this.#document += text;
    if (this.#document.length > this.#maxLength) throw this.#tooLong();
  }

  #endDocument(): void {
    const document = this.#document.trimEnd();
    if (!document.endsWith('}')) throw brokenConnection();
    const answer = parse(document);
    if (!answer || !('choices' in answer || 'error' in answer)) throw unknownAnswer();
    this.#events.push(answer, 'end');
  }

  /** Other data than JSON objects are words of the server, such as a keep-alive. */
  #onEvent({ event, data }: EventSourceMessage): void {
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
    else throw invalidEvent();
  }

  #add(event: AnswerEvent): void {
    this.#hasEvents = true;
    this.#events.push(event);
  }

  #tooLong(): ChatError {
    return new ChatError(
      'general',
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

function invalidEvent(): ChatError {
  return new ChatError(
    'general',
    'The chat server sent an event that is no JSON. Ask again; if it happens again, update the server.',
  );
}

function webPage(): ChatError {
  return new ChatError(
    'general',
    'The chat server answered with a web page, as a proxy or a login does. Correct CHAT_URL, which often ends in /v1.',
  );
}

function unknownAnswer(): ChatError {
  return new ChatError(
    'general',
    'The chat server did not answer in the form of chat completions. Correct CHAT_URL, which often ends in /v1.',
  );
}
