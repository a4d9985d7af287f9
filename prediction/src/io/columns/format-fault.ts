/** Bytes that are not as their format has them, or that ask for too much. The message tells the place and the remedy. */
export class FormatFault extends Error {
  override readonly name = 'FormatFault';
}

/**
 * Runs what reads untrusted bytes. A place outside of them is a fault of theirs.
 *
 * @throws {FormatFault} in place of a RangeError.
 */
export function within<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FormatFault(
      `${place} is damaged: it points outside of its bytes. Write the file again.`,
    );
  }
}
