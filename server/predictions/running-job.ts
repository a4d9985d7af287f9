import type { AnswerPart } from '../../prediction/src/predicting.js';
import {
  type FromJob,
  MAX_PARTS,
  MAX_PIECES,
  movable,
  type ThreadFault,
  type ToJob,
} from './thread-messages.js';

/** An event of a job: a part of the answer, or a piece of the body that was read. */
export type JobEvent = AnswerPart | { readonly kind: 'progress' };

const PROGRESS: JobEvent = { kind: 'progress' };

/** The time after which a reader is slow, in milliseconds. */
const SLOW_READER_MS = 100;

/** A fault that a thread reports. */
export class JobFault extends Error {
  override readonly name = 'JobFault';

  /** Not logged: it may have the whole body. */
  readonly #fault: ThreadFault;

  constructor(fault: ThreadFault) {
    super('message' in fault ? fault.message : fault.name);
    this.#fault = fault;
  }

  get fault(): ThreadFault {
    return this.#fault;
  }
}

/**
 * The events of a job that runs in a thread, in order. The thread waits while its parts are not
 * taken, and the body is read only as fast as the thread reads it.
 */
export class RunningJob implements AsyncIterableIterator<JobEvent> {
  readonly #events: AnswerPart[] = [];
  #hasProgress = false;
  #state: 'waiting' | 'running' | 'ended' = 'waiting';
  #error: unknown;
  #send: (message: ToJob) => void = () => {};
  #leave: () => void = () => {};
  #wake: (() => void) | undefined;
  #unread = 0;
  #room: (() => void) | undefined;
  #slow: NodeJS.Timeout | undefined;

  /**
   * @param body the pieces of the body, whose memory moves to the thread
   * @param onSlow called once if the reader of the answer is slow
   */
  constructor(
    readonly id: number,
    readonly versionId: string,
    private readonly body: AsyncIterable<Uint8Array>,
    private readonly onSlow: () => void,
  ) {}

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /**
   * Begins to send the body.
   * @param send sends a message to the thread
   * @param leave called when the job has ended
   */
  begin(send: (message: ToJob) => void, leave: () => void): void {
    this.#state = 'running';
    this.#send = send;
    this.#leave = leave;
    void this.#sendBody();
  }

  receive(message: FromJob): void {
    if (this.hasEnded) return;
    switch (message.kind) {
      case 'read':
        this.#unread -= 1;
        this.#hasProgress = true;
        this.#room?.();
        break;
      case 'part':
        this.#events.push(message.part);
        if (this.#events.length >= MAX_PARTS) {
          this.#slow ??= setTimeout(this.onSlow, SLOW_READER_MS).unref();
        }
        break;
      case 'end':
        this.#end(undefined);
        return;
      case 'fault':
        this.#end(new JobFault(message.fault));
        return;
    }
    this.#wake?.();
  }

  /** Ends the job with an error, before or while it runs. */
  fail(error: unknown): void {
    if (this.hasEnded) return;
    this.#send({ kind: 'abort', job: this.id });
    this.#end(error);
  }

  /** @throws {JobFault} the fault of the rows or of the thread, or the error of the body */
  async next(): Promise<IteratorResult<JobEvent, undefined>> {
    for (;;) {
      const part = this.#events.shift();
      if (part) {
        clearTimeout(this.#slow);
        this.#slow = undefined;
        if (!this.hasEnded) this.#send({ kind: 'taken', job: this.id });
        return { done: false, value: part };
      }
      if (this.hasEnded) {
        const error = this.#error;
        this.#error = undefined;
        if (error !== undefined) throw error;
        return { done: true, value: undefined };
      }
      if (this.#hasProgress) {
        this.#hasProgress = false;
        return { done: false, value: PROGRESS };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<JobEvent, undefined>> {
    this.fail(undefined);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(error: unknown): void {
    this.#state = 'ended';
    this.#error = error;
    clearTimeout(this.#slow);
    this.#leave();
    this.#wake?.();
    this.#room?.();
  }

  async #sendBody(): Promise<void> {
    const job = this.id;
    try {
      for await (const piece of this.body) {
        if (this.hasEnded) return;
        this.#unread += 1;
        this.#send({ kind: 'piece', job, bytes: movable(piece) });
        while (this.#unread >= MAX_PIECES && !this.hasEnded) {
          await new Promise<void>((resolve) => {
            this.#room = resolve;
          });
        }
      }
      if (!this.hasEnded) this.#send({ kind: 'end', job });
    } catch (error) {
      this.fail(error);
    }
  }
}
