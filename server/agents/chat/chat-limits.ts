import { ChatError } from './chat-error.js';

/** Bounds of one answer of a chat server. */
export type ChatLimits = Readonly<typeof DEFAULT_LIMITS>;

export const DEFAULT_LIMITS = {
  /**
   * The longest wait for the first byte of the answer, in milliseconds. A server may load a model
   * meanwhile.
   */
  firstByteMs: 90_000,
  /** The longest silence within the answer, in milliseconds. */
  silenceMs: 60_000,
  /** The longest time of the whole answer, in milliseconds. */
  totalMs: 300_000,
  /** The longest wait for the usage and the end of an answer that is complete, in milliseconds. */
  endMs: 2_000,
  /**
   * The shortest time between two pieces of a text, in milliseconds, for each answer that is in
   * progress. A few answers are passed on as they arrive; the pieces of many are fewer and larger.
   */
  pieceMs: 1.25,
  /** The size of text, reasoning and tool calls together, in bytes of UTF-8. */
  maxBytes: 2 * 1024 * 1024,
  /** The size of all that arrives, with the form around each piece and with keep-alives, in bytes. */
  maxReceivedBytes: 64 * 1024 * 1024,
  /** The number of events, which take longer to read the smaller they are. */
  maxEvents: 500_000,
  maxToolCalls: 64,
};

/** Aborts a request when its caller goes, when it takes too long in all, or when the server is silent. */
export class RequestClock {
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout;

  /** Starts with the wait for the first byte. */
  constructor(
    private readonly limits: ChatLimits,
    private readonly caller: AbortSignal,
  ) {
    const { totalMs, firstByteMs } = limits;
    if (caller.aborted) this.#followCaller();
    caller.addEventListener('abort', this.#followCaller);
    this.#total = this.#abortAfter(
      totalMs,
      `The answer took longer than ${totalMs / 1000} s and was stopped. Ask for a shorter answer.`,
    );
    this.#silence = this.#abortAfter(
      firstByteMs,
      `The chat server sent nothing for ${firstByteMs / 1000} s. It may still be loading the model: try again in a minute.`,
    );
  }

  /** Aborts with the caller's reason, or with a `ChatError`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins a wait for the next bytes of the answer. */
  awaitBytes(): void {
    const { silenceMs } = this.limits;
    this.pause();
    this.#silence = this.#abortAfter(
      silenceMs,
      `The chat server sent nothing for ${silenceMs / 1000} s. It may be overloaded: try again later.`,
    );
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

  #abortAfter(milliseconds: number, message: string): NodeJS.Timeout {
    const abort = () => this.#controller.abort(new ChatError(message, 'timeout'));
    return setTimeout(abort, milliseconds);
  }
}
