/** A requirement on the service, and the measured result. */
export interface Finding {
  /** The required figure, in words. */
  readonly asked: string;
  readonly measured: string;
  /** Undefined if no figure is required, or if it could not be measured; `measured` then gives the reason. */
  readonly passed: boolean | undefined;
  /** Fails the run also where figures of speed may be missed (`--any-speed`). */
  readonly mustHold?: true;
}

/** Something beside the built service that scenarios may use. */
export interface Given {
  /** The folder of an earlier commit, built, to compare with. */
  readonly before?: string;
}

/** An experiment with the built service. */
export interface Scenario {
  /** A scenario of a family is named FAMILY/NAME. */
  readonly name: string;
  /** @param folder an empty folder of its own, removed afterwards */
  run(folder: string, given: Given): Promise<Finding[]>;
  /** Runs a form of a few seconds, if the scenario has one. */
  runShort?(folder: string): Promise<Finding[]>;
}

/** Returns the finding that there were no faults, or their number and the first of them. */
export function none(asked: string, faults: readonly string[], ofWhat: string): Finding {
  const [first] = faults;
  const measured = first ? `${faults.length} of ${ofWhat}, the first: ${first}` : `0 of ${ofWhat}`;
  return { asked, measured, passed: faults.length === 0 };
}
