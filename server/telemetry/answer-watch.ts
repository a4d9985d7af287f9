import type { Logger } from 'pino';
import type { AnswerObserver, Usage } from '../agents/answer-stream.js';
import { ChatError } from '../agents/chat/chat-error.js';
import { ProblemError } from '../problems/problem.js';
import type { AnswerMetrics, AnswerOutcome } from './metrics.js';
import type { StartSpan } from './spans.js';

/**
 * Returns the observer of answers: it counts them, logs each one, and makes a span for the answer
 * and each of its steps. The log has no text of the answer but at the level `trace`.
 */
export function watchAnswers(metrics: AnswerMetrics, log: Logger, startSpan?: StartSpan): AnswerObserver {
  return ({ agent, model, traceId, owner }) => {
    const begun = performance.now();
    let used = 0;
    metrics.inProgress.inc();
    const span = startSpan?.('answer', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.request.model': model,
      ...(agent !== null && { 'gen_ai.agent.name': agent }),
    });
    /** Counts the answer, and returns its part of a log line. */
    const end = (outcome: AnswerOutcome, usage: Usage, failure?: string) => {
      const ms = performance.now() - begun;
      metrics.inProgress.dec();
      metrics.ended.inc({ outcome });
      metrics.durations.observe(ms / 1000);
      metrics.tokens.inc(usage.total_tokens ?? 0);
      span?.end(failure);
      return { trace_id: traceId, owner, agent, model, steps: used, ms: Math.round(ms) };
    };
    return {
      onStep: ({ tool, error, milliseconds }) => {
        used += 1;
        metrics.toolUses.inc({ outcome: error === null ? 'done' : 'failed' });
        span?.addEvent('tool', { tool, milliseconds, failed: error !== null });
      },
      onAnswer: ({ text, usage, steps }) => {
        const facts = end('answered', usage);
        log.info({ ...facts, usage }, 'an agent answered');
        log.trace({ trace_id: traceId, text, steps }, 'the answer of an agent');
      },
      onFailure: (error, usage) => {
        // The words of the chat server may repeat parts of a prompt.
        const { errorType: reason, status } =
          error instanceof ChatError ? error : { errorType: readReason(error), status: undefined };
        // Failures inside the service are logged with their cause, by the code that sends the answer.
        log.warn({ ...end('failed', usage, reason), reason, status }, 'an agent did not answer');
      },
      onStop: (usage) => {
        log.info({ ...end('stopped', usage, 'stopped'), reason: 'stopped' }, 'an answer was not waited for');
      },
    };
  };
}

/** Returns the last segment of a problem's type; `internal` for other failures inside the service. */
function readReason(error: unknown): string {
  return error instanceof ProblemError ? error.type.slice('/problems/'.length) : 'internal';
}
