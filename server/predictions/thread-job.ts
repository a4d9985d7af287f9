import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AnswerOptions,
  type AnyPredictor,
  answerRows,
  DeclinedError,
  JsonShapeError,
  MalformedJsonError,
  RowsError,
  UnknownNamesError,
} from '../../prediction/src/predicting.js';
import { type FromJob, MAX_PARTS, movable, type ThreadFault } from './thread-messages.js';

/** Ends a job that nobody waits for. */
class AbortedError extends Error {}

/** The version of a model is not in the store any more. */
export class VersionGoneError extends Error {
  override readonly name = 'VersionGoneError';
}

/**
 * Answers the rows of one body in this thread. It reads pieces as they come, and waits while too
 * many parts of the answer have not been taken.
 */
export class ThreadJob {
  readonly #pieces: Uint8Array[] = [];
  /** The pieces that were read, while the body may still be declined. */
  #kept: Uint8Array[] | undefined;
  #hasEnded = false;
  #isAborted = false;
  #free = MAX_PARTS;
  /** The body may be read while the answer waits. */
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly id: number,
    private readonly options: AnswerOptions,
    private readonly post: (message: FromJob) => void,
  ) {
    if (options.from === 'json') this.#kept = [];
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#goOn();
  }

  endBody(): void {
    this.#hasEnded = true;
    this.#goOn();
  }

  /** Allows one more part. */
  partTaken(): void {
    this.#free += 1;
    this.#goOn();
  }

  abort(): void {
    this.#isAborted = true;
    this.#goOn();
  }

  /** Answers the rows. Never throws: the last message tells how it ended. */
  async run(loading: Promise<AnyPredictor>): Promise<void> {
    const job = this.id;
    try {
      for await (const part of answerRows(await loading, this.#body(), this.options)) {
        this.#kept = undefined;
        await this.#until(() => this.#free > 0);
        this.#free -= 1;
        this.post({
          kind: 'part',
          job,
          part: part.kind === 'bytes' ? { ...part, bytes: movable(part.bytes) } : part,
        });
        // Messages are received, and other jobs go on, between two parts.
        await nextTurn();
      }
      this.post({ kind: 'end', job });
    } catch (error) {
      if (!(error instanceof AbortedError)) {
        this.post({ kind: 'fault', job, fault: this.#faultOf(error) });
      }
    }
  }

  async *#body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      await this.#until(() => this.#pieces.length > 0 || this.#hasEnded);
      const piece = this.#pieces.shift();
      if (!piece) return;
      this.post({ kind: 'read', job: this.id });
      this.#kept?.push(piece);
      yield piece;
    }
  }

  /** @throws {AbortedError} */
  async #until(isMet: () => boolean): Promise<void> {
    for (;;) {
      if (this.#isAborted) throw new AbortedError();
      if (isMet()) return;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #goOn(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #faultOf(error: unknown): ThreadFault {
    if (error instanceof RowsError) return { name: 'RowsError', message: error.message };
    if (error instanceof VersionGoneError) return { name: error.name };
    if (this.#kept && isFaultOfJson(error)) {
      return { name: 'DeclinedError', body: this.#kept.map(movable) };
    }
    if (error instanceof UnknownNamesError) return { name: error.name, names: error.names };
    return { name: 'Error', message: error instanceof Error ? String(error.stack) : String(error) };
  }
}

/** Returns whether a body is to be read as a whole, which tells the place of its fault. */
function isFaultOfJson(error: unknown): boolean {
  return [DeclinedError, MalformedJsonError, JsonShapeError, UnknownNamesError].some(
    (kind) => error instanceof kind,
  );
}
