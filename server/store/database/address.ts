/** Returns whether a URL names a PostgreSQL database, and not a file of SQLite. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\/./.test(url);
}

const UNREADABLE = 'postgres://…';

/** @throws if the URL of a PostgreSQL does not say with certainty where the password ends */
export function refuseUnreadable(url: string): void {
  if (withoutCredentials(url) !== UNREADABLE) return;
  throw new Error('it is not a URL; in a name or a password, escape / ? # @ as %2F %3F %23 %40');
}

/**
 * The URL of a store as it may be shown and logged: of a PostgreSQL, only the host, the port and the name of the
 * database. One that cannot be read with certainty is not shown at all, since any part of it may be part of a password.
 */
export function withoutCredentials(url: string): string {
  if (!isPostgres(url)) return url;
  if (!URL.canParse(url)) return UNREADABLE;
  const address = new URL(url);
  // A password with an unescaped / ? or # in it ends the host too early, and the @ comes after.
  if (url.includes('@') && !address.username) return UNREADABLE;
  return `postgres://${address.host}${address.pathname}`;
}
