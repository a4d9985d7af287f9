/** Text that is no JSON. The message says why not, in a sentence. */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
}

/** JSON that is no table, whatever it holds. The message says what it must be, without a subject. */
export class JsonShapeError extends Error {
  override readonly name = 'JsonShapeError';
}
