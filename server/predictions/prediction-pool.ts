import type { AnswerOptions, AnswerPart } from '../../prediction/src/predicting.js';
import type { Caller } from '../auth/caller.js';
import { FairQueue } from '../common/fair-queue.js';
import { type Sink, toAsyncIterable } from '../common/to-async-iterable.js';
import {
  type AnswerExecutor,
  answerWorkers,
  MainLoop,
  VersionGoneError,
} from './answer-executor.js';
import type { RowsFault } from './answer-job.js';
import type { Predictors } from './predictors.js';

/** The most bodies that wait for a slot. */
const MAX_WAITING = 32;

/** The most answers to whole bodies without a slot: those that take long, or whose readers are slow. */
const MAX_SLOW = 6;

/** The longest time that an answer keeps its slot, and the time after which a reader is slow, in milliseconds. */
const MAX_SLOT_MS = 5_000;
const SLOW_READER_MS = 100;

/** The parts of an answer that are made before any of them is read. */
const MAX_PARTS = 2;

/** An event of an answer: a part of it, or that a piece of the body was taken. */
export type AnswerProgress = AnswerPart | { readonly kind: 'progress' };

/** The rows of one body, and how they are answered. */
export interface PredictionRequest {
  readonly caller: Pick<Caller, 'owner' | 'key'>;
  readonly versionId: string;
  readonly options: AnswerOptions;
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the body has arrived as a whole. It waits for a free slot; a stream does not. */
  readonly isWhole: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly closed: AbortSignal;
}

/** As many bodies wait for a slot as may. */
export class TooManyPredictionsError extends Error {
  override readonly name = 'TooManyPredictionsError';
}

/** The answer took too long while others waited. */
export class SlowAnswerError extends Error {
  override readonly name = 'SlowAnswerError';
}

/** The rows are at fault. */
export class RowsFaultError extends Error {
  override readonly name = 'RowsFaultError';

  /** Not logged: it may have names of the rows. */
  readonly #fault: RowsFault;

  constructor(fault: RowsFault) {
    super('message' in fault ? fault.message : fault.name);
    this.#fault = fault;
  }

  get fault(): RowsFault {
    return this.#fault;
  }
}

/** Has the right to answer a whole body. */
interface Slot {
  readonly owner: string;
  /** Called at the end, or when others may begin before it. */
  release(): void;
}

/**
 * Answers rows elsewhere, such as in worker processes. As many whole bodies are answered at once as
 * there are slots; owners take turns. A body loses its slot when it takes long, or its reader is slow.
 */
export class PredictionPool {
  readonly #waiting = new FairQueue<() => void>();
  /** The waiting bodies of each owner. */
  readonly #byOwner = new Map<string, number>();
  /** Those without a slot, the slowest first. */
  readonly #slow = new Set<{ readonly owner: string; readonly cutOff: () => void }>();
  #free: number;

  /**
   * @param slots how many whole bodies are answered at once
   * @param hasWorkers whether they are answered beside the main loop
   * @param artifactOf returns the trained model of a version; undefined if the store does not have it
   *   any more
   */
  constructor(
    slots: number,
    readonly hasWorkers: boolean,
    private readonly executor: AnswerExecutor,
    private readonly artifactOf: (versionId: string) => Promise<Uint8Array | undefined>,
  ) {
    this.#free = slots;
  }

  /**
   * Answers the rows of a body. Ends without an error if nobody waits any more.
   * @throws {TooManyPredictionsError} at once, if too many wait
   * @throws {RowsFaultError | VersionGoneError | SlowAnswerError}
   * @throws {OutOfMemoryError | WorkerEndedError} if the worker process ends
   * @throws the error of the body
   */
  async *answer(request: PredictionRequest): AsyncGenerator<AnswerProgress, undefined> {
    const { closed } = request;
    const slot = request.isWhole ? await this.#enter(request) : undefined;
    const cutOff = new AbortController();
    const signal = AbortSignal.any([closed, cutOff.signal]);
    try {
      yield* toAsyncIterable<AnswerProgress>(
        (sink, over) => this.#run(request, sink, over, slot, cutOff),
        { signal, maxWaiting: MAX_PARTS },
      );
    } catch (error) {
      if (!closed.aborted) throw error;
    } finally {
      slot?.release();
    }
    return undefined;
  }

  /** Ends the workers. */
  async close(): Promise<void> {
    await this.executor.close();
  }

  async #run(
    { versionId, options, body }: PredictionRequest,
    sink: Sink<AnswerProgress>,
    signal: AbortSignal,
    slot: Slot | undefined,
    cutOff: AbortController,
  ): Promise<void> {
    let tellLoaded = (_isLoaded: boolean) => {};
    const isLoaded = new Promise<boolean>((resolve) => {
      tellLoaded = resolve;
    });
    const { artifactOf } = this;
    async function* input(): AsyncGenerator<Uint8Array> {
      if (!(await isLoaded)) {
        const artifact = await artifactOf(versionId);
        if (!artifact) throw new VersionGoneError();
        yield artifact;
      }
      yield* body;
    }
    let leave: (() => void) | undefined;
    const yieldSlot = () => {
      leave ??= slot && this.#yieldSlot(slot, cutOff);
    };
    const slotTime = setTimeout(yieldSlot, MAX_SLOT_MS);
    const push = async (part: AnswerPart) => {
      const patience = setTimeout(yieldSlot, SLOW_READER_MS);
      await sink.push(part);
      clearTimeout(patience);
    };
    let rows = 0;
    try {
      const result = await this.executor.run(
        {
          details: { versionId, options },
          input: input(),
          onData: (bytes) => push({ kind: 'bytes', bytes, rows }),
          onEvent: (event) => {
            if (event.kind === 'model') tellLoaded(event.isLoaded);
            else if (event.kind === 'rows') rows = event.rows;
            else return push(event);
            return undefined;
          },
          onTaken: () => sink.offer({ kind: 'progress' }),
          signal,
        },
        versionId,
      );
      if (result.kind === 'refused') throw new RowsFaultError(result.fault);
    } finally {
      clearTimeout(slotTime);
      leave?.();
    }
  }

  /** Resolves when the body may be answered, or nobody waits for it any more. */
  #enter({ caller: { owner, key }, closed }: PredictionRequest): Promise<Slot> {
    const own = this.#byOwner.get(owner) ?? 0;
    // Without keys there is only one owner, and no slots to reserve for others.
    const isFull = this.#waiting.size >= MAX_WAITING || (key && own >= MAX_WAITING / 2);
    if (this.#free === 0 && isFull) {
      throw new TooManyPredictionsError('As many bodies wait for a slot as may');
    }
    return new Promise((resolve) => {
      const start = () => {
        this.#count(owner, -1);
        if (!closed.aborted) resolve(this.#take(owner));
      };
      // One that waits and is closed is passed over at its turn.
      closed.addEventListener('abort', () => resolve({ owner, release: () => {} }), { once: true });
      this.#count(owner, 1);
      this.#waiting.add(owner, start);
      this.#startNext();
    });
  }

  #take(owner: string): Slot {
    this.#free -= 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      this.#free += 1;
      this.#startNext();
    };
    return { owner, release };
  }

  #startNext(): void {
    while (this.#free > 0) {
      const start = this.#waiting.take();
      if (!start) return;
      start();
    }
  }

  #count(owner: string, by: 1 | -1): void {
    const waiting = (this.#byOwner.get(owner) ?? 0) + by;
    if (waiting === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, waiting);
  }

  /**
   * Lets another body begin before the end of this one. With too many that take long, cuts off the
   * one that has no slot for longest, of the owner with the most.
   * @returns the function that tells of its end
   */
  #yieldSlot({ owner, release }: Slot, answer: AbortController): () => void {
    const entry = {
      owner,
      cutOff: () => {
        this.#slow.delete(entry);
        answer.abort(new SlowAnswerError('The answer took too long while others waited'));
      },
    };
    this.#slow.add(entry);
    release();
    if (this.#slow.size > MAX_SLOW) this.#longestOfLargest()?.cutOff();
    return () => this.#slow.delete(entry);
  }

  #longestOfLargest(): { readonly cutOff: () => void } | undefined {
    const slow = [...this.#slow];
    const countOf = (owner: string) => slow.filter((each) => each.owner === owner).length;
    const largest = Math.max(...slow.map(({ owner }) => countOf(owner)));
    return slow.find(({ owner }) => countOf(owner) === largest);
  }
}

/** @param workers how many processes answer large bodies and streams; with 0, the main loop does */
export function createPredictionPool(workers: number, predictors: Predictors): PredictionPool {
  const artifactOf = (versionId: string) => predictors.artifact(versionId);
  return workers === 0
    ? new PredictionPool(1, false, new MainLoop(predictors), artifactOf)
    : new PredictionPool(workers, true, answerWorkers(workers), artifactOf);
}
