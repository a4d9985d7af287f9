/** Shares that differ by less are not worth a message. */
const STEP = 0.01;

/** After so many calls without a message there is one nonetheless: it shows that the work goes on. */
const SILENT_CALLS = 25;

/** The usual length of a stage whose number of steps is not known. */
const USUAL_STEPS = 100;

/** Turns the steps of several stages of work into one share, 0 to 1, that never falls. */
export class Progress {
  readonly #report: (share: number) => void;
  #reported = 0;
  #silent = 0;
  #begin = 0;
  #end = 0;

  constructor(report: (share: number) => void) {
    this.#report = report;
  }

  /**
   * Begins a stage that is worth this share of the whole. A stage may end before its last step.
   *
   * @returns a function to be called with the number of steps that are done.
   */
  stage(share: number, steps: number): (done: number) => void {
    this.#begin = this.#end;
    this.#end += share;
    const begin = this.#begin;
    return (done) => this.#tell(begin + (share * done) / steps);
  }

  /**
   * Begins a stage whose number of steps is not known: each step is worth less than the one
   * before it, so that the share still moves after hundreds.
   *
   * @param usualSteps after so many, two thirds are taken for done.
   */
  openStage(share: number, usualSteps = USUAL_STEPS): (done: number) => void {
    const tell = this.stage(share, 1);
    return (done) => tell(openShare(done, usualSteps));
  }

  finish(): void {
    this.#tell(1);
  }

  #tell(share: number): void {
    const isNews = share >= this.#reported + STEP || share >= 1;
    if (!isNews && ++this.#silent < SILENT_CALLS) return;
    this.#silent = 0;
    this.#reported = Math.max(this.#reported, share);
    this.#report(this.#reported);
  }
}

/** Returns the share, 0 to 1, of work of unknown length. */
export function openShare(done: number, usualSteps = USUAL_STEPS): number {
  return 1 - Math.exp(-done / usualSteps);
}
