/**
 * Returns whether the name of a skill's table says that it belongs to the database system. Both
 * kinds of databases reserve such names. Others, such as `pg_authid`, may be somebody's own: what
 * they stand for is seen when a query runs.
 * @param name `table` or `schema.table`
 */
export function isSystemName(name: string): boolean {
  return /^(?:pg_[^.]*|information_schema)\./i.test(name) || SQLITE_NAME.test(name);
}

const SQLITE_NAME = /^(?:(?:main|temp)\.)?(?:sqlite|pragma)_/i;
