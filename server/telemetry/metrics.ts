import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueLength } from '../common/fair-gate.js';
import { unlessAborted } from '../common/unless-aborted.js';
import type { ProblemType } from '../problems/problem.js';
import { RequestMetrics } from './request-log.js';

/** The longest wait for a value during a scrape, in milliseconds. */
const SCRAPE_TIMEOUT_MS = 1000;

const TRAINING_OUTCOMES = ['ready', 'failed', 'cancelled'] as const;

export type TrainingOutcome = (typeof TRAINING_OUTCOMES)[number];

/** Reads a value at each scrape; it may throw. */
type Source = () => number | Promise<number>;

/** The values of the service that are read at each scrape. */
interface Sources {
  /** 1 if the store takes requests, otherwise 0. */
  readonly storeReady: Source;
  readonly trainingsRunning: Source;
  readonly trainingsWaiting: Source;
  readonly storeBytes: Source;
  readonly alarms: Source;
}

/**
 * The service's metrics in the text format of Prometheus (version 0.0.4). Label values come from
 * the contract and from HTTP only, never from callers, so that the number of series is limited.
 */
export class Metrics {
  readonly #registry = new Registry();
  #sources: Partial<Sources> = {};
  #measureQueues: () => Readonly<Record<string, QueueLength>> = () => ({});

  readonly requests = new RequestMetrics(this.#registry);
  readonly #refused = new Counter({
    name: 'roster_refused_total',
    help: 'Requests that were refused, by the problem that they were answered with.',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  readonly #rowsPredicted = new Counter({
    name: 'roster_rows_predicted_total',
    help: 'Rows that predictions were made for.',
    registers: [this.#registry],
  });
  readonly #trainings = new Counter({
    name: 'roster_trainings_total',
    help: 'Trainings that ended on this instance, by how they ended.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly answers = answerMetrics([this.#registry]);

  /** @param version the release of the service */
  constructor(version: string) {
    this.#addGauge(
      'storeReady',
      'roster_store_ready',
      'Whether the store takes the requests of this instance: 1, or 0 while /health/ready answers 503 for it.',
    );
    this.#addGauge('trainingsRunning', 'roster_trainings_running', 'Trainings that this instance runs.');
    this.#addGauge(
      'trainingsWaiting',
      'roster_trainings_waiting',
      'Trainings that wait in the store; every instance on it reports the same number.',
    );
    this.#addGauge(
      'storeBytes',
      'roster_store_bytes',
      'The size of the store; every instance on it reports the same number.',
    );
    this.#addQueueGauge(
      'waiting',
      'Requests, and writes to the store, that wait for their turn, by what they wait for.',
    );
    this.#addQueueGauge('running', 'Requests, and writes to the store, whose turn it is.');
    this.#addGauge(
      'alarms',
      'roster_alarms_raised',
      'Models whose serving version keeps fewer promises than it makes; every instance on the store reports the same number.',
    );
    new Gauge({
      name: 'roster_build_info',
      help: 'Always 1; the label is the release of the service.',
      labelNames: ['version'],
      registers: [this.#registry],
    }).set({ version }, 1);
    // Without an initial 0, a rate could not include the very first event.
    for (const outcome of TRAINING_OUTCOMES) this.#trainings.inc({ outcome }, 0);
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts a refused request, by the last segment of the problem's type. */
  refused(problem: ProblemType): void {
    this.#refused.inc({ reason: problem.slice('/problems/'.length) });
  }

  predicted(rows: number): void {
    this.#rowsPredicted.inc(rows);
  }

  trainingEnded(outcome: TrainingOutcome): void {
    this.#trainings.inc({ outcome });
  }

  /** Reads values of the service at each scrape. Until this is called, their gauges have no value. */
  watch(sources: Sources): void {
    this.#sources = sources;
  }

  /** @param measure returns the lengths of the queues, whose names are always the same */
  watchQueues(measure: () => Readonly<Record<string, QueueLength>>): void {
    this.#measureQueues = measure;
  }

  /**
   * Returns all metrics for a scrape. Omits a value that fails or takes longer than a second: the
   * others are needed most when the store is down.
   */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #addQueueGauge(state: keyof QueueLength, help: string): void {
    const gauge: Gauge<'queue'> = new Gauge({
      name: `roster_queue_${state}`,
      help,
      labelNames: ['queue'],
      registers: [this.#registry],
      collect: () => {
        for (const [queue, length] of Object.entries(this.#measureQueues())) {
          gauge.set({ queue }, length[state]);
        }
      },
    });
  }

  #addGauge(source: keyof Sources, name: string, help: string): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => fill(gauge, () => this.#sources[source]?.()),
    });
  }
}

/** Sets a gauge to a value, or removes its value if there is none. */
async function fill(gauge: Gauge, ask: () => number | Promise<number> | undefined): Promise<void> {
  try {
    const asked = (async () => ask())();
    const value = await unlessAborted(asked, AbortSignal.timeout(SCRAPE_TIMEOUT_MS));
    if (value === undefined) gauge.remove();
    else gauge.set(value);
  } catch {
    // A missing value already shows that it is unavailable.
    gauge.remove();
  }
}

const ANSWER_OUTCOMES = ['answered', 'failed', 'stopped'] as const;

/** The outcome of an answer; `stopped` if nobody waited for it. */
export type AnswerOutcome = (typeof ANSWER_OUTCOMES)[number];

/** In seconds: from a short answer of a fast model to the longest that may be. */
const ANSWER_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

export type AnswerMetrics = ReturnType<typeof answerMetrics>;

function answerMetrics(registers: Registry[]) {
  const metrics = {
    ended: new Counter({
      name: 'roster_answers_total',
      help: 'Answers of agents that have ended; stopped: nobody waited for it any more.',
      labelNames: ['outcome'],
      registers,
    }),
    durations: new Histogram({
      name: 'roster_answer_duration_seconds',
      help: 'From the first request to the chat server to the end of the answer.',
      buckets: ANSWER_BUCKETS,
      registers,
    }),
    toolUses: new Counter({
      name: 'roster_tool_uses_total',
      help: 'Uses of tools by agents, by whether the tool failed.',
      labelNames: ['outcome'],
      registers,
    }),
    tokens: new Counter({
      name: 'roster_answer_tokens_total',
      help: 'Tokens of answers, as the chat server counts them.',
      registers,
    }),
    inProgress: new Gauge({ name: 'roster_answers_in_progress', help: 'Answers that have not ended.', registers }),
  };
  for (const outcome of ANSWER_OUTCOMES) metrics.ended.inc({ outcome }, 0);
  for (const outcome of ['done', 'failed']) metrics.toolUses.inc({ outcome }, 0);
  return metrics;
}
