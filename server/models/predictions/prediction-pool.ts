import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnswerOptions, AnswerPart } from 'roster-prediction/predicting';
import type { Caller } from '../../auth/caller.js';
import { FairGate } from '../../common/fair-gate.js';
import { abortablePausing } from '../../common/pausing.js';
import { type Sink, toAsyncIterable } from '../../common/to-async-iterable.js';
import { unavailable } from '../../problems/problem.js';
import { type PoolOptions, WorkerPool } from '../../work/worker-pool.js';
import { type Job, OutOfMemoryError, WorkerEndedError } from '../../work/worker-process.js';
import { type AnswerEvent, type AnswerJob, answerBody, END_OF_BODY, MAY_ANSWER } from './answer-body.js';
import type { Predictors } from './predictors.js';
import type { FoundRows } from './row-warnings.js';

const MEBIBYTE = 1024 * 1024;

/**
 * The processes that answer rows. The memory that a body takes in one of them can end no other request. The
 * memory is for the models that stay loaded, what one request may hold, and the process itself.
 */
const WORKERS: Omit<PoolOptions, 'maxIdle'> = {
  script: new URL('./prediction-worker.js', import.meta.url),
  maxHeapMiB: 512,
  maxMemoryBytes: 1024 * MEBIBYTE,
  maxIdleMemoryBytes: 512 * MEBIBYTE,
  maxSilenceMs: 20_000,
  idleTimeoutMs: 5 * 60_000,
  graceMs: 1_000,
};

/** The maximum of bodies that wait for a slot. */
const MAX_WAITING = { inAll: 32, ofOwner: 16 };

/** The maximum of answers to whole bodies without a slot: those that take long, or whose readers are slow. */
const MAX_SLOW = 6;

/** The longest time that an answer keeps its slot, and the time after which a reader is slow, in milliseconds. */
const MAX_SLOT_MS = 5_000;
const SLOW_READER_MS = 100;

/** The parts of an answer that are made before any of them is read. */
const MAX_PARTS = 2;

/** An event of an answer: a part of it, or that a piece of the body was taken. */
export type AnswerProgress = Exclude<AnswerPart, { readonly kind: 'count' }> | { readonly kind: 'progress' };

/** The rows of one body, and how they are answered. */
export interface PredictionRequest {
  readonly caller: Pick<Caller, 'owner' | 'limits'>;
  readonly versionId: string;
  readonly options: AnswerOptions;
  readonly body: AsyncIterable<Uint8Array>;
  /** The rows of a body of JSON that was parsed and found valid. */
  readonly found?: FoundRows | undefined;
  /**
   * Counts rows of the answer: all before the first is predicted, where their number is known, else as they are
   * predicted. Throws the problem of a caller who may have no more.
   */
  readonly count: (rows: number) => Promise<void> | undefined;
  /** True if the body has arrived as a whole. It waits for a free slot; a stream does not. */
  readonly isWhole: boolean;
  /** Throws the problem of JSON that the fast reader has declined. If there is none, its rows are read as objects. */
  readonly validate?: (() => Promise<void>) | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly responseClosed: AbortSignal;
}

type Workers = WorkerPool<AnswerJob, boolean, AnswerEvent>;

/** An answer without a slot. */
interface SlowAnswer {
  readonly owner: string;
  readonly answer: AbortController;
}

/**
 * Answers rows in worker processes, or between other requests. As many whole bodies are answered at
 * once as there are slots; owners take turns. A body loses its slot when it takes long, or its reader
 * is slow.
 */
export class PredictionPool {
  /** True if rows are answered beside the main loop. */
  readonly hasWorkers: boolean;
  readonly #gate: FairGate;
  readonly #workers: Workers | undefined;
  /** The slowest first. */
  readonly #slow = new Set<SlowAnswer>();

  /**
   * @param workers how many processes answer large bodies and streams, and stay when they have
   *   nothing to do; with 0, the main loop does
   */
  constructor(
    workers: number,
    private readonly predictors: Pick<Predictors, 'ofVersion' | 'storedModel'>,
    options: Partial<PoolOptions> = {},
  ) {
    const slots = Math.max(1, workers);
    this.hasWorkers = workers > 0;
    this.#workers = workers === 0 ? undefined : new WorkerPool({ ...WORKERS, maxIdle: workers, ...options });
    this.#gate = new FairGate({
      slots,
      slotsPerOwner: slots,
      maxWaiting: MAX_WAITING.ofOwner,
      maxWaitingInAll: MAX_WAITING.inAll,
      busy: () =>
        unavailable('The service has as many predictions to do as it takes on at once; try again in a moment.'),
    });
  }

  /**
   * Answers the rows of a body. Ends without an error if nobody waits any more.
   * @throws {ProblemError} at once, if too many wait
   * @throws {ProblemError} if the rows are at fault, the answer takes too long while others wait, the
   *   version was deleted, or the worker process ends
   * @throws the error of the body
   */
  async *answer(request: PredictionRequest): AsyncGenerator<AnswerProgress, undefined> {
    const { responseClosed } = request;
    try {
      yield* toAsyncIterable<AnswerProgress>((sink, signal) => this.#answer(request, sink, signal), {
        signal: responseClosed,
        maxWaiting: MAX_PARTS,
      });
    } catch (error) {
      if (!responseClosed.aborted) throw explainEnd(error);
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#workers?.close();
  }

  async #answer(
    request: PredictionRequest,
    { push, offer }: Sink<AnswerProgress>,
    responseClosed: AbortSignal,
  ): Promise<void> {
    const { owner } = request.caller;
    const leave = request.isWhole ? await this.#gate.enter(owner, responseClosed) : undefined;
    const answer = new AbortController();
    const { signal } = answer;
    const end = () => answer.abort(responseClosed.reason);
    responseClosed.addEventListener('abort', end, { once: true });
    const slow = { owner, answer };
    const yieldSlot = () => {
      if (leave && !signal.aborted) this.#yieldSlot(slow, leave);
    };
    const slotTime = setTimeout(yieldSlot, MAX_SLOT_MS);
    const sink: Sink<AnswerProgress> = {
      push: async (part) => {
        const patience = setTimeout(yieldSlot, SLOW_READER_MS);
        await push(part);
        clearTimeout(patience);
      },
      offer,
    };
    const run = (isValid: boolean) =>
      this.#workers
        ? this.#answerInWorker(this.#workers, request, isValid, sink, signal)
        : this.#answerOnMainLoop(request, isValid, sink, signal);
    try {
      if (await run(false)) return;
      await request.validate?.();
      if (!(await run(true))) throw new Error('A body was declined that is valid');
    } finally {
      clearTimeout(slotTime);
      responseClosed.removeEventListener('abort', end);
      this.#slow.delete(slow);
      // A wait for the reader must not yield the slot any more.
      answer.abort();
      leave?.();
    }
  }

  #answerInWorker(
    workers: Workers,
    { versionId, options, body, caller, count }: PredictionRequest,
    isValid: boolean,
    { push, offer }: Sink<AnswerProgress>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { predictors } = this;
    // Only callers with a limit have to wait for the service.
    const awaitsCount = caller.limits?.rows !== undefined;
    const counting = new CountedRows(count);
    let isBodyOver = false;
    let tellLoaded = (_isLoaded: boolean) => {};
    const isLoaded = new Promise<boolean>((resolve) => {
      tellLoaded = resolve;
    });
    async function* input(): AsyncGenerator<Uint8Array> {
      if (!(await isLoaded)) {
        const stored = await predictors.storedModel(versionId);
        if (!stored) throw versionGone();
        yield stored.artifact;
        yield stored.seenRows ?? new Uint8Array();
      }
      for await (const piece of body) if (piece.length > 0) yield piece;
      if (!awaitsCount) return;
      yield END_OF_BODY;
      isBodyOver = true;
      await counting.isCounted;
      yield MAY_ANSWER;
    }
    let rows = 0;
    let promised: Extract<AnswerEvent, { kind: 'promises' }> | undefined;
    const job: Job<AnswerJob, AnswerEvent> = {
      details: { versionId, options, isValid, awaitsCount },
      input: input(),
      onData: async (bytes) => {
        if (!promised) {
          await counting.answer(rows);
          return push({ kind: 'bytes', bytes, rows });
        }
        const { idBytes, ...part } = promised;
        promised = undefined;
        const end = bytes.length - idBytes;
        const ids = idBytes > 0 ? bytes.subarray(end) : null;
        return push({ ...part, promises: bytes.subarray(0, end), ids });
      },
      onEvent: (event) => {
        if (event.kind === 'model') tellLoaded(event.isLoaded);
        else if (event.kind === 'rows') rows = event.rows;
        else if (event.kind === 'count') return counting.countAll(event.rows);
        else if (event.kind === 'promises') promised = event;
        else return push(event);
        return undefined;
      },
      onTaken: () => offer({ kind: 'progress' }),
      isWorking: () => isBodyOver && !counting.areAll,
      signal,
    };
    return workers.run(job, versionId);
  }

  async #answerOnMainLoop(
    { versionId, options, body, found, count }: PredictionRequest,
    isValid: boolean,
    { push }: Sink<AnswerProgress>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const predictor = await this.predictors.ofVersion(versionId);
    if (!predictor) throw versionGone();
    const counting = new CountedRows(count);
    const pause = abortablePausing(signal);
    const take = async (part: AnswerPart) => {
      if (part.kind === 'count') return counting.countAll(part.rows);
      if (part.kind !== 'bytes') return push(part);
      await counting.answer(part.rows);
      await push({ ...part, bytes: Buffer.from(part.bytes) });
      await nextTurn();
      signal.throwIfAborted();
    };
    return answerBody(predictor, found ?? body, { options, isValid }, take, pause);
  }

  /**
   * Lets another body begin before the end of this one. With too many that take long, cuts off the
   * one that has no slot for longest, of the owner with the most.
   */
  #yieldSlot(slow: SlowAnswer, leave: () => void): void {
    this.#slow.add(slow);
    leave();
    if (this.#slow.size <= MAX_SLOW) return;
    const all = [...this.#slow];
    const count = (owner: string) => all.filter((each) => each.owner === owner).length;
    const max = Math.max(...all.map(({ owner }) => count(owner)));
    const victim = all.find(({ owner }) => count(owner) === max);
    if (!victim) return;
    this.#slow.delete(victim);
    victim.answer.abort(
      unavailable('The answer took too long, or was read too slowly, while others waited; send fewer rows at a time.'),
    );
  }
}

/** Counts the rows of one answer: all at once, or as they come. */
class CountedRows {
  readonly isCounted: Promise<void>;
  /** True if the number of all rows has come. */
  areAll = false;
  #tellCounted = () => {};

  constructor(private readonly count: PredictionRequest['count']) {
    this.isCounted = new Promise((resolve) => {
      this.#tellCounted = resolve;
    });
  }

  async countAll(rows: number): Promise<void> {
    this.areAll = true;
    await this.count(rows);
    this.#tellCounted();
  }

  async answer(rows: number): Promise<void> {
    if (!this.areAll) await this.count(rows);
  }
}

function versionGone() {
  return unavailable('The model was trained anew while the rows arrived; send them again.');
}

/** Returns the problem of an answer whose process has ended; any other error as it is. */
function explainEnd(error: unknown): unknown {
  if (!(error instanceof OutOfMemoryError || error instanceof WorkerEndedError)) return error;
  return unavailable(
    'The process that answered the rows ended, most often because they took too much memory or time; send fewer rows at a time, or as a stream.',
    5,
    { cause: error },
  );
}
