/** Returns whether a URL names a PostgreSQL database, and not a file of SQLite. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\/./.test(url);
}

const UNREADABLE = 'postgres://…';

/** Returns whether a URL names several hosts, as libpq takes them: after the credentials, and before the database. */
function hasSeveralHosts(url: string): boolean {
  const address = url.slice(url.indexOf('://') + 3);
  const end = address.search(/[/?#]/);
  const authority = end < 0 ? address : address.slice(0, end);
  // An @ behind it is that of a password with an unescaped / ? or #.
  const isWhole = !address.slice(authority.length).includes('@');
  return isWhole && authority.slice(authority.lastIndexOf('@') + 1).includes(',');
}

/**
 * @throws if the URL of a PostgreSQL names several hosts, or does not say with certainty where the password ends
 */
export function refuseUnreadable(url: string): void {
  if (hasSeveralHosts(url)) {
    throw new Error(
      'it names several hosts; name one: an address that moves with the primary, a pooler, or a file with the URL that changes (DATABASE_URL_FILE)',
    );
  }
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
