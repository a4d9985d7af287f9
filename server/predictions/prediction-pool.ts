import type { AnswerOptions } from '../../prediction/src/predicting.js';
import type { Caller } from '../auth/caller.js';
import { FairQueue } from '../common/fair-queue.js';
import type { JobRunner } from './job-runner.js';
import { RunningJob } from './running-job.js';

/** The most bodies that wait for a thread. */
const MAX_WAITING = 32;

/** The rows of one body, and how they are answered. */
export interface PredictionJob {
  readonly caller: Pick<Caller, 'owner' | 'key'>;
  readonly versionId: string;
  readonly options: AnswerOptions;
  /** Pieces whose memory moves to the thread. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the body has arrived as a whole. It waits for a free thread; a stream does not. */
  readonly isWhole: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly closed: AbortSignal;
}

/** As many bodies wait for a thread as may. */
export class TooManyPredictionsError extends Error {
  override readonly name = 'TooManyPredictionsError';
}

/** A place in the pool. */
interface Place {
  /** Undefined until it is needed, and after it has ended. */
  runner: JobRunner | undefined;
  /** The whole body that is answered, until its reader is slow. */
  busy: RunningJob | undefined;
}

interface Waiting {
  readonly owner: string;
  readonly job: RunningJob;
  readonly start: (place: Place) => void;
}

/**
 * Answers rows in several places, such as threads. A place answers one whole body at a time, and any
 * number of streams. Owners take turns. A thread that ends is replaced when it is needed again.
 */
export class PredictionPool {
  readonly #places: readonly Place[];
  readonly #waiting = new FairQueue<Waiting>();
  /** The waiting bodies of each owner. */
  readonly #byOwner = new Map<string, number>();
  #lastId = 0;

  /**
   * @param count the number of places
   * @param hasThreads whether these are beside the main loop
   * @param begin begins a runner, which calls back when it has ended
   */
  constructor(
    count: number,
    readonly hasThreads: boolean,
    private readonly begin: (onEnd: () => void) => JobRunner,
  ) {
    this.#places = Array.from({ length: count }, () => ({ runner: undefined, busy: undefined }));
  }

  /**
   * Begins a job, at once or when a thread is free.
   * @throws {TooManyPredictionsError} if too many wait
   */
  run(request: PredictionJob): RunningJob {
    const { caller, versionId, options, isWhole, closed } = request;
    let taken: Place | undefined;
    const free = () => {
      const place = taken;
      taken = undefined;
      if (place?.busy !== job) return;
      place.busy = undefined;
      this.#next();
    };
    const job = new RunningJob(++this.#lastId, versionId, request.body, free);
    const start = (place: Place) => {
      if (isWhole) {
        taken = place;
        place.busy = job;
      }
      this.#runnerOf(place).run(job, options, free);
    };
    if (isWhole) this.#enter(caller, { owner: caller.owner, job, start });
    else start(this.#leastLoaded());
    const leave = () => job.fail(undefined);
    if (closed.aborted) leave();
    else closed.addEventListener('abort', leave, { once: true });
    return job;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#places.map(({ runner }) => runner?.stop()));
  }

  #enter({ owner, key }: PredictionJob['caller'], waiting: Waiting): void {
    const place = this.#places.find(({ busy }) => busy === undefined);
    if (place) {
      waiting.start(place);
      return;
    }
    const own = this.#byOwner.get(owner) ?? 0;
    // Without keys there is only one owner, and no places to reserve for others.
    if (this.#waiting.size >= MAX_WAITING || (key && own >= MAX_WAITING / 2)) {
      throw new TooManyPredictionsError('As many bodies wait for a thread as may');
    }
    this.#byOwner.set(owner, own + 1);
    this.#waiting.add(owner, waiting);
  }

  #next(): void {
    for (;;) {
      const place = this.#places.find(({ busy }) => busy === undefined);
      const next = place && this.#waiting.take();
      if (!next) return;
      const left = (this.#byOwner.get(next.owner) ?? 1) - 1;
      if (left === 0) this.#byOwner.delete(next.owner);
      else this.#byOwner.set(next.owner, left);
      if (!next.job.hasEnded) next.start(place);
    }
  }

  #leastLoaded(): Place {
    const [first, ...others] = this.#places;
    if (!first) throw new Error('The pool has no places');
    return others.reduce((least, place) => (loadOf(place) < loadOf(least) ? place : least), first);
  }

  #runnerOf(place: Place): JobRunner {
    place.runner ??= this.begin(() => {
      place.runner = undefined;
    });
    return place.runner;
  }
}

function loadOf({ runner }: Place): number {
  return runner?.load ?? 0;
}
