import type { AnswerOptions, AnswerPart } from '../../../prediction/src/predicting.js';
import type { Caller } from '../../auth/caller.js';
import { FairGate } from '../../common/fair-gate.js';
import { type Sink, toAsyncIterable } from '../../common/to-async-iterable.js';
import {
  type AnswerExecutor,
  answerWorkers,
  MainLoop,
  VersionGoneError,
} from './answer-executor.js';
import type { RowsFault } from './answer-job.js';
import type { Predictors } from './predictors.js';

/** The most bodies that wait for a slot, in all and of one owner. */
const MAX_WAITING = { inAll: 32, ofOwner: 16 };

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
  readonly caller: Pick<Caller, 'owner'>;
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

/** The right to answer a whole body. */
interface Slot {
  readonly owner: string;
  readonly leave: () => void;
}

/**
 * Answers rows elsewhere, such as in worker processes. As many whole bodies are answered at once as
 * there are slots; owners take turns. A body loses its slot when it takes long, or its reader is slow.
 */
export class PredictionPool {
  readonly #gate: FairGate;
  /** Those without a slot, the slowest first. */
  readonly #slow = new Set<{ readonly owner: string; readonly cutOff: () => void }>();

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
    this.#gate = new FairGate({
      slots,
      slotsPerOwner: slots,
      maxWaiting: MAX_WAITING.ofOwner,
      maxWaitingInAll: MAX_WAITING.inAll,
      busy: () => new TooManyPredictionsError('As many bodies wait for a slot as may'),
    });
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
    try {
      yield* toAsyncIterable<AnswerProgress>(
        async (sink, signal) => {
          const slot = request.isWhole ? await this.#enter(request.caller, signal) : undefined;
          await this.#run(request, sink, signal, slot).finally(slot?.leave);
        },
        { signal: closed, maxWaiting: MAX_PARTS },
      );
    } catch (error) {
      if (!closed.aborted) throw error;
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
    closed: AbortSignal,
    slot: Slot | undefined,
  ): Promise<void> {
    const over = new AbortController();
    const leave = () => over.abort(closed.reason);
    closed.addEventListener('abort', leave, { once: true });
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
    let endWait: (() => void) | undefined;
    const yieldSlot = () => {
      if (!over.signal.aborted) endWait ??= slot && this.#yieldSlot(slot, over);
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
          signal: over.signal,
        },
        versionId,
      );
      if (result.kind === 'refused') throw new RowsFaultError(result.fault);
    } finally {
      clearTimeout(slotTime);
      closed.removeEventListener('abort', leave);
      endWait?.();
      // What still waits for the reader must not yield the slot any more.
      over.abort();
    }
  }

  async #enter({ owner }: PredictionRequest['caller'], signal: AbortSignal): Promise<Slot> {
    return { owner, leave: await this.#gate.enter(owner, signal) };
  }

  /**
   * Lets another body begin before the end of this one. With too many that take long, cuts off the
   * one that has no slot for longest, of the owner with the most.
   * @returns the function that tells of its end
   */
  #yieldSlot({ owner, leave }: Slot, answer: AbortController): () => void {
    const entry = {
      owner,
      cutOff: () => {
        this.#slow.delete(entry);
        answer.abort(new SlowAnswerError('The answer took too long while others waited'));
      },
    };
    this.#slow.add(entry);
    leave();
    if (this.#slow.size > MAX_SLOW) this.#findVictim()?.cutOff();
    return () => this.#slow.delete(entry);
  }

  #findVictim(): { readonly cutOff: () => void } | undefined {
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
