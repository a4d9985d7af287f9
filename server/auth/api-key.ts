import { hash, randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The headers that may carry a key, in lower case. A request has one of them. */
export const KEY_HEADERS = ['authorization', 'x-api-key'] as const;

/** Returns the unchecked value of the header that carries the key; undefined if there is none. */
export function keyHeader(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (Array.isArray(key) ? key.join() : key);
}

/** Neither `_`, which separates the parts, nor `-`: a double click selects the whole key. */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;

const FORM = new RegExp(
  `^roster_([${CHARACTERS}]{${ID_LENGTH}})_([${CHARACTERS}]{${SECRET_LENGTH}})$`,
);

/** A new key: `text` is for its holder alone, the rest is for the store. */
export interface NewKey {
  /** `roster_<id>_<secret>`. */
  readonly text: string;
  readonly id: string;
  readonly hash: string;
}

/** Makes a key of cryptographic randomness. */
export function createKey(): NewKey {
  const id = randomText(ID_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  return { text: `roster_${id}_${secret}`, id, hash: hashOf(secret) };
}

/** The parts of a key, or nothing where a text is none. However long the text is, this looks at no more of it than a key has. */
export function parseKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * The SHA-256 of a secret, in hexadecimal. A password would need a slow hash; 256 random bits are found by
 * no search, however fast.
 */
export function hashOf(secret: string): string {
  return hash('sha256', secret);
}

function randomText(length: number): string {
  return Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}
