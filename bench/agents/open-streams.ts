import { setTimeout as delay } from 'node:timers/promises';
import { TOKENS, TOKENS_A_SECOND } from './questions.js';
import { type TimedAnswer, timedAnswer, type Way } from './timed-answer.js';

/** The duration of an answer, in milliseconds. */
const ANSWER_MS = (TOKENS / TOKENS_A_SECOND) * 1000;

/** Opens streams within a time, and reads all of them to their end. */
export function openStreams(way: Way, count: number, withinMs: number): Promise<TimedAnswer[]> {
  const one = async (_: unknown, index: number) => {
    await delay((index * withinMs) / count);
    return timedAnswer(way);
  };
  return Promise.all(Array.from({ length: count }, one));
}

/** Keeps a number of streams open: each that ends is followed by another. */
export class KeptStreams {
  #isOver = false;
  readonly #done: Promise<number[]>;

  private constructor(way: Way, count: number) {
    const keep = async (_: unknown, index: number) => {
      await delay((index * ANSWER_MS) / count);
      let answers = 0;
      for (; !this.#isOver; answers += 1) await timedAnswer(way);
      return answers;
    };
    this.#done = Promise.all(Array.from({ length: count }, keep));
    // Thrown by `end`.
    this.#done.catch(() => {});
  }

  /** Resolves when all are open, evenly spread over the duration of an answer. */
  static async open(way: Way, count: number): Promise<KeptStreams> {
    const streams = new KeptStreams(way, count);
    await delay(ANSWER_MS);
    return streams;
  }

  /**
   * Waits until the last ones have ended. Returns how many answers were read.
   * @throws if one was refused or not complete
   */
  async end(): Promise<number> {
    this.#isOver = true;
    const answers = await this.#done;
    return answers.reduce((sum, count) => sum + count, 0);
  }
}
