/** A computation in steps of a few milliseconds at most, between which other work can run. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps, and returns the result. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
