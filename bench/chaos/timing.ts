import { NoAnswer } from '../../testkit/http/client.js';
import { quantile } from '../../testkit/numbers.js';

/** The status of an answer, and its time in milliseconds: infinite, and without a status, if none came in time. */
export interface Timed {
  readonly status: number | undefined;
  readonly milliseconds: number;
}

/** Measures how long an answer takes. */
export async function timeAnswer(ask: () => Promise<{ readonly status: number }>): Promise<Timed> {
  const begun = performance.now();
  try {
    const { status } = await ask();
    return { status, milliseconds: performance.now() - begun };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { status: undefined, milliseconds: Number.POSITIVE_INFINITY };
  }
}

/** Returns the time of an answer with one of the statuses; infinite for others. */
export async function timeOf(
  statuses: readonly number[],
  ask: () => Promise<{ readonly status: number }>,
): Promise<number> {
  const { status, milliseconds } = await timeAnswer(ask);
  return statuses.includes(status ?? 0) ? milliseconds : Number.POSITIVE_INFINITY;
}

export function p99Of(answers: readonly Timed[]): number {
  const times = answers.map(({ milliseconds }) => milliseconds);
  return quantile(times, 0.99);
}

/** Formats a time; `late` says what an infinite one means. */
export function timeInWords(milliseconds: number, late: string): string {
  return Number.isFinite(milliseconds) ? `${milliseconds.toFixed(0)} ms` : late;
}
