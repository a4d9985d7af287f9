import { invalidRequest } from '../problems/problem.js';

/** An open object without members, as it is stored. */
export const EMPTY_OBJECT = '{}';

const MAX_KEYS = 1000;
const MAX_BYTES = 1024 * 1024;

/** The place of a field in the body of a write. */
export interface BodyField {
  readonly noun: 'skill' | 'agent' | 'chatbot';
  readonly field: string;
}

/**
 * Merges an open object into the stored one, one level deep: a sent key replaces the stored one,
 * `null` removes it, and other keys stay.
 * @param stored JSON that the store wrote. Its values are not parsed: they may be a mebibyte of
 *   small objects
 * @returns JSON as `JSON.stringify` writes the merged object
 * @throws {ProblemError} if it has more keys or bytes than the contract allows
 */
export function mergeJson(
  stored: string,
  sent: Readonly<Record<string, unknown>>,
  at: BodyField,
): string {
  const written = Object.entries(sent).map(([key, value]) => [key, JSON.stringify(value)] as const);
  const merged = new Map([...jsonMembers(stored), ...written]);
  const kept = [...merged].filter(([, value]) => value !== 'null');
  if (kept.length > MAX_KEYS) throw tooLarge(at, `${MAX_KEYS} keys`);
  // An object gives the key order of JSON.stringify: integer keys come first.
  const members = Object.entries(Object.fromEntries(kept));
  const text = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
  if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge(at, '1 MiB of JSON');
  return text;
}

/** Open settings as they are sent: `params` is the older name of `settings`. */
export interface SentSettings {
  readonly settings?: Readonly<Record<string, unknown>> | null;
  readonly params?: Readonly<Record<string, unknown>> | null;
}

/** Merges the settings that a write sends into the stored ones. */
export function mergeSettings(
  noun: BodyField['noun'],
  stored: { readonly settings: string },
  sent: SentSettings,
): string {
  const field = Object.hasOwn(sent, 'settings') ? 'settings' : 'params';
  return mergeJson(stored.settings, sent.settings ?? sent.params ?? {}, { noun, field });
}

/**
 * Returns the problem of a stored value that would become larger than the contract allows.
 * @param limit such as "1000 keys"
 */
export function tooLarge({ noun, field }: BodyField, limit: string) {
  const message = `would make the ${noun} hold more than ${limit}; send less, or remove some first`;
  return invalidRequest([{ pointer: `/body/${noun}/${field}`, message }]);
}

/**
 * Returns the members of a JSON object, each with its key and its value as unparsed JSON.
 * @param json an object as `JSON.stringify` writes it, without white space
 */
export function jsonMembers(json: string): [key: string, value: string][] {
  const members: [string, string][] = [];
  let at = 1;
  while (at < json.length - 1) {
    const colon = endOfString(json, at);
    const end = endOfValue(json, colon + 1);
    members.push([JSON.parse(json.slice(at, colon)), json.slice(colon + 1, end)]);
    at = end + 1;
  }
  return members;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Returns the end of a value: the comma after it, or the end of the surrounding object. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (OPENING.has(code)) depth += 1;
    else if (depth === 0 && (code === COMMA || CLOSING.has(code))) return at;
    else if (CLOSING.has(code)) depth -= 1;
    at += 1;
  }
}

/** Returns the end of the string that begins at `start`, after its closing quote. */
function endOfString(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
