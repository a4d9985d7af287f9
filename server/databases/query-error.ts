/**
 * A question to a database that cannot be answered. The message is for the language model that
 * asked: it states what to do instead, and contains no address and no password.
 */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}
