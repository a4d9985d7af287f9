/** A computation in steps of a few milliseconds at most, between which other work can run. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps, and returns the result. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Lets other work run, if enough time has passed. */
export type Pause = () => Promise<void>;

/** Runs all steps, with a pause after each, and returns the result. */
export async function runSteps<T>(steps: Steps<T>, pause?: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (pause) await pause();
  }
}
