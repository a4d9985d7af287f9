import { agentEvents, type StreamCall } from 'roster-client';
import { ConnectionError } from '../session/connection.js';
import { signal } from '../session/signal.js';
import { afterEvent, begun, type Exchange, newExchange } from './exchange.js';

/** Requests the answer to the last of some exchanges. */
export type Ask = (exchange: Exchange, before: readonly Exchange[], signal: AbortSignal) => StreamCall;

/**
 * The exchanges with an agent or in a conversation, and the text that is being written. It outlives
 * its view: an answer arrives while one looks at something else.
 */
export class Thread {
  readonly exchanges = signal<readonly Exchange[]>([]);
  readonly draft = signal('');
  readonly #ask: Ask;
  #aborter = new AbortController();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  get isAnswering(): boolean {
    return this.exchanges.get().some(({ state }) => state === 'answering');
  }

  /** Asks what is written, and empties the draft. */
  send(): void {
    const question = this.draft.get();
    if (question.trim() === '' || this.isAnswering) return;
    this.draft.set('');
    const exchange = newExchange(question);
    this.exchanges.set([...this.exchanges.get(), exchange]);
    void this.#answer(exchange);
  }

  /** Asks a question again whose answer failed or was stopped. */
  askAgain({ id }: Exchange): void {
    if (this.isAnswering) return;
    this.#change(id, begun);
    const exchange = this.exchanges.get().find((other) => other.id === id);
    if (exchange) void this.#answer(exchange);
  }

  /** Takes a question back that was not accepted, to change it. */
  edit({ id, question }: Exchange): void {
    this.exchanges.set(this.exchanges.get().filter((exchange) => exchange.id !== id));
    this.draft.set([question, this.draft.get()].filter(Boolean).join('\n'));
  }

  /** Stops the answer. The text that has arrived stays. */
  stop(): void {
    this.#aborter.abort();
  }

  /** Forgets the exchanges. */
  clear(): void {
    this.stop();
    this.exchanges.set([]);
  }

  /** Takes over the messages that the service has stored. Messages that it lacks stay. */
  adopt(kept: readonly Exchange[]): void {
    if (this.isAnswering) return;
    const here = this.exchanges.get();
    const reasons = new Map(here.map((exchange) => [exchange.messageId, exchange]));
    const isLost = ({ messageId, question }: Exchange) =>
      messageId === undefined && question !== null && question !== kept.at(-1)?.question;
    this.exchanges.set([
      ...kept.map((exchange) =>
        exchange.state === 'failed' ? (reasons.get(exchange.messageId) ?? exchange) : exchange,
      ),
      ...here.filter((exchange) => exchange.state !== 'answered' && isLost(exchange)),
    ]);
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { id } = exchange;
    const aborter = new AbortController();
    this.#aborter = aborter;
    const all = this.exchanges.get();
    const before = all.slice(
      0,
      all.findIndex((other) => other.id === id),
    );
    try {
      for await (const event of agentEvents(this.#ask(exchange, before, aborter.signal)))
        this.#change(id, (now) => afterEvent(now, event));
      // Every answer ends with its output or an error.
      this.#change(id, (now) => (now.state === 'answering' ? { ...now, state: 'failed' } : now));
    } catch (error) {
      const isStopped = aborter.signal.aborted;
      this.#change(id, (now) => ({
        ...now,
        state: isStopped ? 'stopped' : 'failed',
        error: isStopped ? null : withReason(error),
      }));
    }
  }

  #change(id: string, change: (exchange: Exchange) => Exchange): void {
    this.exchanges.set(this.exchanges.get().map((exchange) => (exchange.id === id ? change(exchange) : exchange)));
  }
}

/** Says that a connection broke off within an answer, which fetch reports in the browser's words. */
function withReason(error: unknown): unknown {
  if (!(error instanceof TypeError) || error instanceof ConnectionError) return error;
  return new Error('The connection broke off before the answer was complete.', { cause: error });
}

const threads = new Map<string, Thread>();

/** Returns the thread of an address, the same one as long as the page is open. */
export function threadAt(address: string, ask: Ask): Thread {
  const found = threads.get(address) ?? new Thread(ask);
  threads.set(address, found);
  return found;
}
