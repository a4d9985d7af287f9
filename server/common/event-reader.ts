import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface EventLimits {
  /** The most characters of one event. */
  readonly maxLength: number;
  readonly maxEvents: number;
}

export type EventFault = 'too-long' | 'too-many' | 'no-events';

interface EventHandlers {
  readonly onEvent: (event: EventSourceMessage) => void;
  /** Gets the wait before a reconnection that the server asks for, in milliseconds. */
  readonly onRetry?: (milliseconds: number) => void;
  /** Creates the error that ends the reading. */
  readonly createError: (fault: EventFault) => Error;
}

/** The most lines that are not of an event; the parser makes an error of each. */
const MAX_STRANGE_LINES = 1000;

/**
 * The most characters that the parser gets at once: where a line ends in CR it looks for the next LF,
 * through all that it got, for each line.
 */
const MAX_FEED_LENGTH = 4096;

/** Reads server-sent events (WHATWG HTML, section 9.2) within bounds, however their text is split. */
export class EventReader {
  readonly #parser;
  #events = 0;
  #strangeLines = 0;

  constructor({ maxLength, maxEvents }: EventLimits, handlers: EventHandlers) {
    const { onEvent, onRetry, createError } = handlers;
    this.#parser = createParser({
      maxBufferSize: maxLength,
      onEvent: (event) => {
        this.#events += 1;
        if (this.#events > maxEvents) throw createError('too-many');
        onEvent(event);
      },
      onRetry,
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw createError('too-long');
        this.#strangeLines += 1;
        if (this.#strangeLines > MAX_STRANGE_LINES) throw createError('no-events');
      },
    });
  }

  /** @throws the error of `createError`, or what `onEvent` throws */
  feed(text: string): void {
    for (let at = 0; at < text.length; at += MAX_FEED_LENGTH) {
      this.#parser.feed(text.slice(at, at + MAX_FEED_LENGTH));
    }
  }

  /** Reads the last event, which lacks its blank line on some servers. */
  end(): void {
    this.#parser.feed('\n\n');
  }
}
