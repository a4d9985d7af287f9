/** Returns whether a URL names a PostgreSQL database, and not a file of SQLite. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\/./.test(url);
}

/** The kind of session that is asked for, in the words of libpq's `target_session_attrs`. */
export type SessionTarget = 'any' | 'read-write' | 'primary';

const TARGETS: ReadonlyMap<string, SessionTarget> = new Map([
  ['any', 'any'],
  ['read-write', 'read-write'],
  ['primary', 'primary'],
]);

/** More hosts could not all be tried while a request waits. */
const MAX_HOSTS = 8;

/** The hosts of one database. */
export interface PostgresHosts {
  /** A URL for each host, in the order of the address. */
  readonly urls: readonly string[];
  readonly target: SessionTarget;
}

/** The parts of an address, as they are written. */
interface AddressParts {
  readonly scheme: string;
  /** The name and the password with their `@`; empty if there are none. */
  readonly credentials: string;
  /** The hosts, each with its port if it has one. */
  readonly hosts: readonly string[];
  readonly path: string;
  readonly query: string;
}

const PARTS = /^(\w+:\/\/)([^/?#]*)([^?]*)(?:\?(.*))?$/s;

function split(url: string): AddressParts {
  const [, scheme = '', authority = '', path = '', query = ''] = PARTS.exec(url) ?? [];
  // A comma before the @ is one of the password.
  const at = authority.lastIndexOf('@') + 1;
  return { scheme, credentials: authority.slice(0, at), hosts: authority.slice(at).split(','), path, query };
}

function join({ scheme, credentials, path }: AddressParts, host: string, query: string): string {
  return `${scheme}${credentials}${host}${path}${query && `?${query}`}`;
}

/**
 * Returns whether each host of an address of PostgreSQL makes a URL, in which the end of the password is certain: one
 * with an unescaped / ? or # in it ends the host too early, and the @ comes after.
 */
export function isReadable(url: string): boolean {
  const parts = split(url);
  const { credentials, hosts, path, query } = parts;
  if ((hosts.length > 1 || credentials === '') && (path + query).includes('@')) return false;
  return hosts.every((host) => URL.canParse(join(parts, host, query)));
}

/**
 * Reads an address as libpq does, with one host or several
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS).
 * @param several the target of an address with several hosts that names none; one host takes any
 * @throws if it has an option that does not work here, or does not say with certainty where the password ends
 */
export function readHosts(url: string, several: SessionTarget = 'read-write'): PostgresHosts {
  const parts = split(url);
  if (parts.hosts.length > 1 && parts.hosts.some((name) => /^(?::|$)/.test(name))) {
    throw new Error('one of its hosts has no name; leave out the comma, or name the host');
  }
  if (!isReadable(url)) {
    throw new Error('it is not a URL; in a name or a password, escape / ? # @ as %2F %3F %23 %40');
  }
  const options = new URLSearchParams(parts.query);
  const target = readTarget(options) ?? (parts.hosts.length > 1 ? several : 'any');
  refuseUnsupported(parts.hosts, options);
  const hosts = withPorts(parts.hosts, options);
  // The driver knows neither.
  for (const name of ['target_session_attrs', 'load_balance_hosts']) options.delete(name);
  return { urls: hosts.map((host) => join(parts, host, options.toString())), target };
}

function readTarget(options: URLSearchParams): SessionTarget | undefined {
  const name = options.get('target_session_attrs');
  if (name === null) return undefined;
  const target = TARGETS.get(name);
  if (target) return target;
  // Another text is not shown: it may be part of a password.
  const known = ['standby', 'prefer-standby', 'read-only'].find((other) => other === name);
  throw new Error(`target_session_attrs must be any, read-write or primary${known ? `, not ${known}` : ''}`);
}

function refuseUnsupported(hosts: readonly string[], options: URLSearchParams): void {
  const [balance, host] = [options.get('load_balance_hosts'), options.get('host')];
  if (balance !== null && balance !== 'disable') {
    throw new Error('load_balance_hosts must be disable: all connections go to one host; leave it out');
  }
  if (host?.includes(',') || (hosts.length > 1 && host !== null)) {
    throw new Error('several hosts are named before the database, such as postgres://USER:PASSWORD@ONE,TWO/DATABASE');
  }
  if (hosts.length > MAX_HOSTS) throw new Error(`it names ${hosts.length} hosts; name at most ${MAX_HOSTS}`);
}

/** Gives each host its port of the option `port`, which has one for all or one for each; takes the option away. */
function withPorts(hosts: readonly string[], options: URLSearchParams): readonly string[] {
  const ports = options.get('port')?.split(',') ?? [];
  // The driver reads a single one itself.
  if (ports.length < 2) return hosts;
  if (ports.length !== hosts.length || ports.some((port) => !/^\d{1,5}$/.test(port))) {
    throw new Error('its option port must have one number, or one for each host');
  }
  options.delete('port');
  return hosts.map((host, index) => `${host.replace(/:\d+$/, '')}:${ports[index]}`);
}

/**
 * The URL of a store as it may be shown and logged: of a PostgreSQL, only the hosts, the ports and the name of the
 * database. One that cannot be read with certainty is not shown at all, since any part of it may be part of a password.
 */
export function withoutCredentials(url: string): string {
  if (!isPostgres(url)) return url;
  const { hosts, path } = split(url);
  // An @ in the name of a database may be the end of a password with an @ and a / in it.
  if (!isReadable(url) || path.includes('@')) return 'postgres://…';
  const [name = ''] = path.split('#');
  return `postgres://${hosts.join()}${name}`;
}
