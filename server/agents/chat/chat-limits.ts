import { ChatError } from './chat-error.js';

/** Bounds of one answer of a chat server. */
export interface ChatLimits {
  /**
   * The longest wait for the first byte of the answer, in milliseconds. A server may load a model
   * meanwhile.
   */
  readonly firstByteMs: number;
  /** The longest silence within the answer, in milliseconds. */
  readonly silenceMs: number;
  /** The longest time of the whole answer, in milliseconds. */
  readonly totalMs: number;
  /** The longest wait for the usage and the end of an answer that is complete, in milliseconds. */
  readonly endMs: number;
  /**
   * The shortest time between two pieces of a text, in milliseconds, for each answer that is in
   * progress. A few answers are passed on as they arrive; the pieces of many are fewer and larger.
   */
  readonly pieceMs: number;
  /** The size of text, reasoning and tool calls together, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** The size of all that arrives, with the form around each piece and with keep-alives, in bytes. */
  readonly maxReceivedBytes: number;
  /** The number of events, which take longer to read the smaller they are. */
  readonly maxEvents: number;
  readonly maxToolCalls: number;
}

export const DEFAULT_LIMITS: ChatLimits = {
  firstByteMs: 90_000,
  silenceMs: 60_000,
  totalMs: 300_000,
  endMs: 2_000,
  pieceMs: 1.25,
  maxBytes: 2 * 1024 * 1024,
  maxReceivedBytes: 64 * 1024 * 1024,
  maxEvents: 500_000,
  maxToolCalls: 64,
};

/** Aborts a request when its caller goes, when it takes too long in all, or when the server is silent. */
export class RequestClock {
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;

  /** Starts with the wait for the first byte. */
  constructor(
    private readonly limits: ChatLimits,
    private readonly caller: AbortSignal,
  ) {
    if (caller.aborted) this.#followCaller();
    caller.addEventListener('abort', this.#followCaller);
    const late = `The answer took longer than ${limits.totalMs / 1000} s and was stopped. Ask for a shorter answer.`;
    this.#total = this.#abortAfter(limits.totalMs, late);
    this.#waitAtMost(
      limits.firstByteMs,
      'It may still be loading the model: try again in a minute.',
    );
  }

  /** Aborts with the caller's reason, or with a `ChatError`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins a wait for the next bytes of the answer. */
  awaitBytes(): void {
    this.#waitAtMost(this.limits.silenceMs, 'It may be overloaded: try again later.');
  }

  /** Ends a wait: time until the next one is not the server's. */
  pause(): void {
    clearTimeout(this.#silence);
  }

  /** Ends all waits. */
  stop(): void {
    this.pause();
    clearTimeout(this.#total);
    this.caller.removeEventListener('abort', this.#followCaller);
  }

  readonly #followCaller = (): void => this.#controller.abort(this.caller.reason);

  #waitAtMost(milliseconds: number, advice: string): void {
    this.pause();
    const silent = `The chat server sent nothing for ${milliseconds / 1000} s. ${advice}`;
    this.#silence = this.#abortAfter(milliseconds, silent);
  }

  #abortAfter(milliseconds: number, message: string): NodeJS.Timeout {
    const abort = () => this.#controller.abort(new ChatError(message, 'timeout'));
    return setTimeout(abort, milliseconds);
  }
}
