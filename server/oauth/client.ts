import { beginningOf } from 'roster-prediction/text';
import * as v from 'valibot';
import { parseJson } from '../../contract/json-record.js';
import { randomText } from '../auth/secrets.js';
import { isLoopback } from '../common/addresses.js';

/** A client of OAuth. All are public: none has a secret. */
export interface Client {
  readonly id: string;
  /** As it calls itself; nobody has checked that. */
  readonly name: string | undefined;
  /** The host of its metadata document, which it does control; undefined if it was registered. */
  readonly host: string | undefined;
  readonly redirectUris: readonly string[];
}

/** A client cannot be taken; the message says why, in a sentence for the reader of a page. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}

const MAX_REDIRECTS = 10;
const MAX_REDIRECT_LENGTH = 400;

/** The schemes of programs that do not contain a dot, which RFC 8252, section 7.1, wants. */
const PROGRAM_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:']);

/**
 * Returns whether a client may register an address: of https, of http on the own machine, or of a program. No other
 * scheme will do: a browser would run some.
 */
export function isFitRedirect(uri: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.length > MAX_REDIRECT_LENGTH || !URL.canParse(uri)) {
    return false;
  }
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#') || username + password !== '') return false;
  if (protocol === 'https:') return /^https:\/\//.test(uri);
  if (protocol === 'http:') return /^http:\/\//.test(uri) && isLoopback(hostname);
  return PROGRAM_SCHEMES.has(protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol);
}

/** An address of the own machine: what is before its port, and what is after it. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/;

/**
 * Returns whether an answer may go to an address: it is registered, character by character. Programs do not know
 * their port before they listen, so that it is free (RFC 8252, section 7.3).
 */
export function isRegistered({ redirectUris }: Client, uri: string): boolean {
  if (!isFitRedirect(uri)) return false;
  const [, machine, rest] = LOOPBACK.exec(uri) ?? [];
  return redirectUris.some((registered) => {
    if (registered === uri) return true;
    const [, own, path] = LOOPBACK.exec(registered) ?? [];
    return machine !== undefined && own === machine && path === rest;
  });
}

/** Leaves out what is not seen, or turns other text round, and what PostgreSQL cannot store. */
export function cleanName(name: string | null | undefined): string | undefined {
  const visible = name?.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim() ?? '';
  return beginningOf(visible, 100) || undefined;
}

const PREFIX = 'roster_client.';

const registration = v.strictTuple([
  v.nullable(v.pipe(v.string(), v.maxLength(100))),
  v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_REDIRECTS)),
  v.pipe(v.string(), v.maxLength(20)),
]);

/**
 * Registers a client, by an id that consists of what is registered: nothing is kept, and so nothing can fill up.
 * Anyone may register anything, so that an id that someone wrote by hand is as good as one from here. Addresses that may
 * not be registered are left out.
 * @throws {ClientError} if none is left
 */
export function registerClient(name: string | undefined, sent: readonly string[]): Client {
  const redirectUris = sent.filter(isFitRedirect);
  if (redirectUris.length === 0) {
    throw new ClientError(
      `None of the redirect_uris can be registered. Use https, http on the own machine, or the scheme of a program with a dot in it, without a fragment and a user, and with at most ${MAX_REDIRECT_LENGTH} characters.`,
    );
  }
  const facts: v.InferOutput<typeof registration> = [name ?? null, redirectUris, randomText(8)];
  const id = PREFIX + Buffer.from(JSON.stringify(facts)).toString('base64url');
  return { id, name: cleanName(name), host: undefined, redirectUris };
}

/** Reads a client from the id that it was registered with; undefined if the text is none. */
export function readRegistered(id: string): Client | undefined {
  if (!id.startsWith(PREFIX)) return undefined;
  const code = id.slice(PREFIX.length);
  const bytes = Buffer.from(code, 'base64url');
  if (bytes.toString('base64url') !== code) return undefined;
  const { success, output } = v.safeParse(registration, parseJson(bytes.toString()));
  if (!success) return undefined;
  const [name, redirectUris] = output;
  return { id, name: cleanName(name), host: undefined, redirectUris: redirectUris.filter(isFitRedirect) };
}
