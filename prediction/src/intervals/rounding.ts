/** Answers are told this much finer than the target scatters. */
const STEPS_IN_DEVIATION = 1e4;

/** Ten to this power is the largest that is a double without error. */
const MAX_DECIMALS = 22;

/** Beyond so many steps the digits of a double end. */
const MAX_STEPS = 1e15;

/**
 * Rounds answers to as many decimals as the target bears: the step is the largest power of ten that
 * is at most a ten-thousandth of the target's standard deviation, and at most 1. Digits beyond that
 * say nothing, and writing 17 digits takes four times as long as writing few. Every step leads over 0
 * and the whole numbers, so that no bound is moved across one of them.
 */
export class Rounding {
  /** Steps in 1; 0 if nothing is rounded. */
  readonly #scale: number;

  /** @param deviation the target's standard deviation; where it is 0, nothing is rounded. */
  constructor(deviation: number) {
    const decimals = Math.max(0, Math.ceil(Math.log10(STEPS_IN_DEVIATION / deviation)));
    this.#scale = decimals <= MAX_DECIMALS ? Number(`1e${decimals}`) : 0;
  }

  /** The step that is nearest. */
  nearest(value: number): number {
    const steps = Math.round(value * this.#scale);
    return this.#isFine(steps) ? this.#at(steps) : value;
  }

  /** The largest step up to the value. */
  down(value: number): number {
    const steps = Math.round(value * this.#scale);
    if (!this.#isFine(steps)) return value;
    const nearest = this.#at(steps);
    return nearest <= value ? nearest : this.#at(steps - 1);
  }

  /** The smallest step from the value on. */
  up(value: number): number {
    const steps = Math.round(value * this.#scale);
    if (!this.#isFine(steps)) return value;
    const nearest = this.#at(steps);
    return nearest >= value ? nearest : this.#at(steps + 1);
  }

  #isFine(steps: number): boolean {
    return this.#scale > 0 && Math.abs(steps) < MAX_STEPS;
  }

  /** Dividing gives the double that is nearest to the decimal, and so its short text. Adding 0 turns −0 into 0. */
  #at(steps: number): number {
    return steps / this.#scale + 0;
  }
}
