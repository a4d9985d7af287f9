/** One thing that was asked of the service, and what it did. */
export interface Finding {
  /** The figure that must be reached, in words. */
  readonly asked: string;
  readonly measured: string;
  /** Undefined where it could not be tried here; `measured` says why. */
  readonly passed: boolean | undefined;
}

/** Something that the built service is put through. */
export interface Scenario {
  /** One of a family is called FAMILY/NAME. */
  readonly name: string;
  /** @param folder an empty folder of its own, removed afterwards */
  run(folder: string): Promise<Finding[]>;
  /** The same in a few seconds, where it has such a form. */
  runShort?(folder: string): Promise<Finding[]>;
}

/** The finding that nothing went wrong, or else how often, and how it began. */
export function none(asked: string, faults: readonly string[], ofWhat: string): Finding {
  const [first] = faults;
  const measured = first ? `${faults.length} of ${ofWhat}, the first: ${first}` : `0 of ${ofWhat}`;
  return { asked, measured, passed: faults.length === 0 };
}
