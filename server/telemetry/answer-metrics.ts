import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const OUTCOMES = ['answered', 'failed', 'stopped'] as const;

/** The outcome of an answer; `stopped` if nobody waited for it. */
type AnswerOutcome = (typeof OUTCOMES)[number];

/** In seconds: from a short answer of a fast model to the longest that may be. */
const DURATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120];

/** The metrics of the answers of agents. */
export class AnswerMetrics {
  readonly #answers: Counter<'outcome'>;
  readonly #durations: Histogram;
  readonly #uses: Counter<'outcome'>;
  readonly #tokens: Counter;
  readonly #inProgress: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#answers = new Counter({
      name: 'roster_answers_total',
      help: 'Answers of agents that have ended; stopped: nobody waited for it any more.',
      labelNames: ['outcome'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'roster_answer_duration_seconds',
      help: 'From the first request to the chat server to the end of the answer.',
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#uses = new Counter({
      name: 'roster_tool_uses_total',
      help: 'Uses of tools by agents, by whether the tool failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.#tokens = new Counter({
      name: 'roster_answer_tokens_total',
      help: 'Tokens of answers, as the chat server counts them.',
      registers,
    });
    this.#inProgress = new Gauge({
      name: 'roster_answers_in_progress',
      help: 'Answers that have not ended.',
      registers,
    });
    for (const outcome of OUTCOMES) this.#answers.inc({ outcome }, 0);
    for (const outcome of ['done', 'failed']) this.#uses.inc({ outcome }, 0);
  }

  /** Counts an answer that begins. */
  begun(): void {
    this.#inProgress.inc();
  }

  /** Counts a use of a tool. */
  used(isDone: boolean): void {
    this.#uses.inc({ outcome: isDone ? 'done' : 'failed' });
  }

  /** Counts an answer that has ended. */
  ended(outcome: AnswerOutcome, seconds: number, tokens: number): void {
    this.#inProgress.dec();
    this.#answers.inc({ outcome });
    this.#durations.observe(seconds);
    this.#tokens.inc(tokens);
  }
}
