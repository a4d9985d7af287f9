/** Shares that differ by less are not worth a message. */
const STEP = 0.01;

/** After so many steps, two thirds of a stage of unknown length are taken for done. */
const USUAL_STEPS = 100;

/** Turns the steps of several stages of work into one share, 0 to 1, that never falls. */
export class Progress {
  readonly #report: (share: number) => void;
  #reported = 0;
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
   */
  openStage(share: number): (done: number) => void {
    const tell = this.stage(share, 1);
    return (done) => tell(1 - Math.exp(-done / USUAL_STEPS));
  }

  finish(): void {
    this.#tell(1);
  }

  #tell(share: number): void {
    if (share < this.#reported + STEP && share < 1) return;
    this.#reported = share;
    this.#report(share);
  }
}
