import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { atClose, wentOut } from '../http/on-response-close.js';
import type { ProblemType } from '../problems/problem.js';
import { addProcessMetrics } from './process-metrics.js';
import { type Distribution, type Reading, Registry, type Series, TEXT_FORMAT } from './registry.js';

/** In seconds: from an answer out of memory to a training's upload. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** How long a scrape waits for a number that it must ask for, in milliseconds. */
const SCRAPE_TIMEOUT_MS = 1000;

/** The operation of a request that no operation took. */
const NO_OPERATION = 'none';

const OUTCOMES = ['ready', 'failed', 'cancelled'] as const;

/** How a training ended. */
export type TrainingOutcome = (typeof OUTCOMES)[number];

/** Where the numbers of trainings are to be had, at each scrape anew. Either may throw. */
export interface TrainingCounts {
  /** The trainings that this instance runs. */
  running(): number | Promise<number>;
  /** The trainings that wait in the store for an instance. */
  waiting(): number | Promise<number>;
}

/** The metrics of one operation, which need not be looked up by their labels for each request. */
interface OperationSeries {
  readonly duration: Distribution;
  readonly byStatus: Map<number | 'aborted', Series>;
}

/**
 * What the service counts of itself, in the text format of Prometheus (version 0.0.4). Labels take
 * their values from the contract and from HTTP alone, never from what a caller sent: the number of
 * series is bounded.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #operations = new Map<string, OperationSeries>();
  #requestsInProgress = 0;
  #trainingCounts: TrainingCounts | undefined;
  #trainingsRunning: readonly Reading[] = [];
  #trainingsWaiting: readonly Reading[] = [];

  readonly #requests = this.#registry.counter(
    'roster_requests_total',
    'Requests that have ended, by operation and by status; aborted: the answer did not go out whole.',
    ['operation', 'status'],
  );
  readonly #durations = this.#registry.histogram(
    'roster_request_duration_seconds',
    'From the arrival of a request to the end of its answer.',
    'operation',
    DURATION_BUCKETS,
  );
  readonly #refused = this.#registry.counter(
    'roster_refused_total',
    'Requests that were refused, by the problem that they were answered with.',
    ['reason'],
  );
  readonly #rowsPredicted = this.#registry.counter(
    'roster_rows_predicted_total',
    'Rows that predictions were made for.',
  );
  readonly #trainings = this.#registry.counter(
    'roster_trainings_total',
    'Trainings that ended on this instance, by how they ended.',
    ['outcome'],
  );

  constructor() {
    const gauge = (name: string, help: string, read: () => Iterable<Reading>) =>
      this.#registry.read('gauge', name, help, read);
    gauge(
      'roster_trainings_running',
      'Trainings that this instance runs.',
      () => this.#trainingsRunning,
    );
    gauge(
      'roster_trainings_waiting',
      'Trainings that wait in the store; every instance on it tells the same number.',
      () => this.#trainingsWaiting,
    );
    gauge(
      'roster_requests_in_progress',
      'Requests that have not ended, this one among them.',
      () => [[this.#requestsInProgress]],
    );
    // A rate can be told of the very first one only if the series began before it.
    for (const outcome of OUTCOMES) this.#trainings.of(outcome);
    addProcessMetrics(this.#registry);
  }

  /** The media type of {@link text}. */
  get contentType(): string {
    return TEXT_FORMAT;
  }

  /**
   * Counts and times the requests that pass. To be put first, so that it sees them whole. The
   * operation is the `operationId` of `res.locals` at the end of the request.
   */
  observeRequests(): RequestHandler {
    return (req, res, next) => {
      const begun = performance.now();
      this.#requestsInProgress++;
      atClose(req, res, () => {
        this.#requestsInProgress--;
        const status = wentOut(res) ? res.statusCode : 'aborted';
        const seconds = (performance.now() - begun) / 1000;
        this.#count(res.locals.operationId ?? NO_OPERATION, status, seconds);
      });
      next();
    };
  }

  /** Counts a request that was refused with a problem, by the last part of the problem's type. */
  refused(problem: ProblemType): void {
    this.#refused.of(problem.slice('/problems/'.length)).add();
  }

  /** Counts the rows of a prediction. */
  predicted(rows: number): void {
    this.#rowsPredicted.of().add(rows);
  }

  /** Counts a training that ended on this instance. */
  trainingEnded(outcome: TrainingOutcome): void {
    this.#trainings.of(outcome).add();
  }

  /** Has the trainings asked after at each scrape. Until then, their gauges have no value. */
  watchTrainings(counts: TrainingCounts): void {
    this.#trainingCounts = counts;
  }

  /**
   * Everything that is counted, for a scrape. A number that cannot be had, or not within a second,
   * is left out: the others are wanted most when the store is away.
   */
  async text(): Promise<string> {
    const counts = this.#trainingCounts;
    [this.#trainingsRunning, this.#trainingsWaiting] = await Promise.all([
      readingOf(() => counts?.running()),
      readingOf(() => counts?.waiting()),
    ]);
    return this.#registry.text();
  }

  #count(operation: string, status: number | 'aborted', seconds: number): void {
    const { duration, byStatus } = this.#seriesOf(operation);
    let requests = byStatus.get(status);
    if (!requests) {
      requests = this.#requests.of(operation, String(status));
      byStatus.set(status, requests);
    }
    requests.add();
    duration.observe(seconds);
  }

  #seriesOf(operation: string): OperationSeries {
    let series = this.#operations.get(operation);
    if (!series) {
      series = { duration: this.#durations.of(operation), byStatus: new Map() };
      this.#operations.set(operation, series);
    }
    return series;
  }
}

/** Reads what is asked for, or nothing if it cannot be had. */
async function readingOf(ask: () => number | Promise<number> | undefined): Promise<Reading[]> {
  const value = await answerInTime(ask);
  return value === undefined ? [] : [[value]];
}

async function answerInTime<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  const answered = new AbortController();
  try {
    const tooLate = delay(SCRAPE_TIMEOUT_MS, undefined, { signal: answered.signal });
    return await Promise.race([tooLate, (async () => ask())()]);
  } catch {
    // That the number is missing is what a scrape can say of it.
    return undefined;
  } finally {
    answered.abort();
  }
}
