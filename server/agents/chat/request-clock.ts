import { ChatError } from './chat-error.js';
import type { ChatLimits } from './chat-limits.js';

/** Aborts a request when its caller goes, when it takes too long in all, or when the server is silent. */
export class RequestClock {
  readonly #limits: ChatLimits;
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;

  /** Starts with the wait for the first byte. */
  constructor(limits: ChatLimits, caller: AbortSignal) {
    this.#limits = limits;
    this.#caller = caller;
    if (caller.aborted) this.#followCaller();
    caller.addEventListener('abort', this.#followCaller);
    this.#total = setTimeout(
      () =>
        this.#timeout(
          `The answer took longer than ${seconds(limits.totalMs)} and was stopped. Ask for a shorter answer.`,
        ),
      limits.totalMs,
    );
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
    this.#waitAtMost(this.#limits.silenceMs, 'It may be overloaded: try again later.');
  }

  /** Ends a wait: time until the next one is not the server's. */
  pause(): void {
    clearTimeout(this.#silence);
  }

  /** Ends all waits. */
  stop(): void {
    this.pause();
    clearTimeout(this.#total);
    this.#caller.removeEventListener('abort', this.#followCaller);
  }

  readonly #followCaller = (): void => this.#controller.abort(this.#caller.reason);

  #waitAtMost(milliseconds: number, advice: string): void {
    this.pause();
    this.#silence = setTimeout(
      () => this.#timeout(`The chat server sent nothing for ${seconds(milliseconds)}. ${advice}`),
      milliseconds,
    );
  }

  #timeout(message: string): void {
    this.#controller.abort(new ChatError('timeout', message));
  }
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
