/** Thrown if a file is not a table that can be used. Its message says what to do. */
export class TableFileError extends Error {
  override readonly name = 'TableFileError';
}
