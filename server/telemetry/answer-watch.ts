import type { Logger } from 'pino';
import type { Answer, Step } from '../agents/answer.js';
import { ChatError } from '../agents/chat/chat-error.js';
import type { AnswerAbout, AnswerObserver, AnswerWatch } from '../agents/observer.js';
import { ProblemError } from '../problems/problem.js';
import type { AnswerMetrics } from './metrics.js';
import type { StartSpan } from './spans.js';

/**
 * Returns the observer of answers: it counts them, logs each one, and makes a span for the answer
 * and each of its steps. The log has no text of the answer but at the level `trace`.
 */
export function watchAnswers(
  metrics: AnswerMetrics,
  log: Logger,
  startSpan?: StartSpan,
): AnswerObserver {
  return (about) => new Watch(about, metrics, log, startSpan);
}

class Watch implements AnswerWatch {
  readonly #begun = performance.now();
  readonly #span: ReturnType<StartSpan> | undefined;
  #steps = 0;

  constructor(
    private readonly about: AnswerAbout,
    private readonly metrics: AnswerMetrics,
    private readonly log: Logger,
    startSpan?: StartSpan,
  ) {
    this.metrics.begun();
    this.#span = startSpan?.('answer', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.request.model': about.model,
      ...(about.agent !== null && { 'gen_ai.agent.name': about.agent }),
    });
  }

  stepped({ tool, error, milliseconds }: Step): void {
    this.#steps += 1;
    this.metrics.used(error === null);
    this.#span?.event('tool', { tool, milliseconds, failed: error !== null });
  }

  answered({ text, usage, steps }: Answer): void {
    this.#end('answered', usage.total_tokens ?? 0);
    this.log.info({ ...this.#facts(), usage }, 'an agent answered');
    this.log.trace({ trace_id: this.about.traceId, text, steps }, 'the answer of an agent');
    this.#span?.end();
  }

  failed(error: unknown): void {
    const reason = reasonOf(error);
    this.#end(reason === 'stopped' ? 'stopped' : 'failed', 0);
    const facts = { ...this.#facts(), reason };
    // Failures inside the service are logged with their cause, by whoever sends the answer.
    if (reason === 'stopped') this.log.info(facts, 'an answer was not waited for');
    else this.log.warn({ ...facts, status: statusOf(error) }, 'an agent did not answer');
    this.#span?.end(reason);
  }

  #end(outcome: 'answered' | 'failed' | 'stopped', tokens: number): void {
    this.metrics.ended(outcome, (performance.now() - this.#begun) / 1000, tokens);
  }

  #facts() {
    const { agent, model, traceId, owner } = this.about;
    const ms = Math.round(performance.now() - this.#begun);
    return { trace_id: traceId, owner, agent, model, steps: this.#steps, ms };
  }
}

/** Returns the kind of a failure; `stopped` if nobody waits for the answer. */
function reasonOf(error: unknown): string {
  if (error instanceof ChatError) return error.errorType;
  return error instanceof ProblemError ? 'stopped' : 'internal';
}

/** Returns the status of the chat server's refusal. Its words may repeat parts of a prompt. */
function statusOf(error: unknown): number | undefined {
  return error instanceof ChatError ? error.status : undefined;
}
