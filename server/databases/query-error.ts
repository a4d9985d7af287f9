/**
 * A question to a database that cannot be answered. The message is for the one who wrote the query,
 * such as a language model: it states what to do instead, and contains no address and no password.
 */
export class QueryError extends Error {
  override readonly name: string = 'QueryError';
}

/** A database that answers no query now. The same query may be answered later. */
export class DatabaseUnavailableError extends QueryError {
  override readonly name = 'DatabaseUnavailableError';
}
