import type { Logger } from 'pino';
import type {
  Answer,
  AnswerFacts,
  AnswerObserver,
  AnswerWatch,
  Step,
} from '../agents/answer-stream.js';
import { ChatError } from '../agents/chat/chat-error.js';
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
  return (facts) => new Watch(facts, metrics, log, startSpan);
}

class Watch implements AnswerWatch {
  readonly #begun = performance.now();
  readonly #span: ReturnType<StartSpan> | undefined;
  #steps = 0;

  constructor(
    private readonly facts: AnswerFacts,
    private readonly metrics: AnswerMetrics,
    private readonly log: Logger,
    startSpan?: StartSpan,
  ) {
    this.metrics.begun();
    this.#span = startSpan?.('answer', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.request.model': facts.model,
      ...(facts.agent !== null && { 'gen_ai.agent.name': facts.agent }),
    });
  }

  onStep({ tool, error, milliseconds }: Step): void {
    this.#steps += 1;
    this.metrics.used(error === null);
    this.#span?.event('tool', { tool, milliseconds, failed: error !== null });
  }

  onAnswer({ text, usage, steps }: Answer): void {
    this.#end('answered', usage.total_tokens ?? 0);
    this.log.info({ ...this.#facts(), usage }, 'an agent answered');
    this.log.trace({ trace_id: this.facts.traceId, text, steps }, 'the answer of an agent');
    this.#span?.end();
  }

  onFailure(error: unknown): void {
    this.#end('failed', 0);
    // The words of the chat server may repeat parts of a prompt.
    const { errorType: reason, status } =
      error instanceof ChatError ? error : { errorType: 'internal', status: undefined };
    // Failures inside the service are logged with their cause, by whoever sends the answer.
    this.log.warn({ ...this.#facts(), reason, status }, 'an agent did not answer');
    this.#span?.end(reason);
  }

  onStop(): void {
    this.#end('stopped', 0);
    this.log.info({ ...this.#facts(), reason: 'stopped' }, 'an answer was not waited for');
    this.#span?.end('stopped');
  }

  #end(outcome: 'answered' | 'failed' | 'stopped', tokens: number): void {
    this.metrics.ended(outcome, (performance.now() - this.#begun) / 1000, tokens);
  }

  #facts() {
    const { agent, model, traceId, owner } = this.facts;
    const ms = Math.round(performance.now() - this.#begun);
    return { trace_id: traceId, owner, agent, model, steps: this.#steps, ms };
  }
}
