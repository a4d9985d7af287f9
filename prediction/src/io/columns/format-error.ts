/** Bytes that are not as their format has them, or that ask for too much. The message names the place and the remedy. */
export class FormatError extends Error {
  override readonly name = 'FormatError';

  /** @param line of the text at which the fault is, where there are lines. */
  constructor(
    message: string,
    readonly line?: number,
  ) {
    super(message);
  }
}

/** Text that is not JSON. The message says why not, in a sentence. */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
}

/** JSON that is not a table, whatever it holds. The message says what it must be, without a subject. */
export class JsonShapeError extends Error {
  override readonly name = 'JsonShapeError';
}

/**
 * Runs what reads untrusted bytes. A place outside of them is a fault of theirs.
 *
 * @throws {FormatError} in place of a RangeError.
 */
export function withContext<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FormatError(`${place} is damaged: it points outside of its bytes. Write the file again.`);
  }
}
