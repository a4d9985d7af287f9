/** A JSON body that the handler gets as bytes (`x-roster-raw-json`). Query and address are valid. */
export class RawJson<T> {
  declare readonly content: T;

  /**
   * @param bytes the body, which the handler may hand to another thread
   * @param parse parses and validates a body of these bytes; throws a `ProblemError` if it is invalid
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly parse: (bytes: Uint8Array) => Promise<T>,
  ) {}
}
