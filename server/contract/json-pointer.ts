import { asRecord, type JsonRecord } from './json-record.js';

/** Escapes `~` and `/` in a step of a JSON pointer (RFC 6901, section 3). */
export function escapeToken(token: string): string {
  return token.replace(/~/g, '~0').replace(/\//g, '~1');
}

/**
 * The most characters of a name in a pointer to a fault. A problem shows the first thousand of a pointer, and reads some
 * thousands more; a name may have a megabyte, and occur in the pointers of a hundred faults.
 */
const MAX_NAME_LENGTH = 10_000;

/** Cuts a name that a caller made up, for the pointer to a fault. */
export function cutName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : name.slice(0, MAX_NAME_LENGTH);
}

/** Returns the steps of a JSON pointer, unescaped (RFC 6901, section 4). */
export function splitPointer(pointer: string): string[] {
  const escaped = pointer.split('/').slice(1);
  return escaped.map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** Returns the value at a pointer in a document; undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  return splitPointer(pointer).reduce(
    (value, token) => (Object.hasOwn(asRecord(value), token) ? asRecord(value)[token] : undefined),
    document,
  );
}

/** Returns a part of a document, or the component that it references. */
export function resolveReference(document: unknown, part: unknown): JsonRecord {
  const { $ref } = asRecord(part);
  return typeof $ref === 'string' ? resolveReference(document, valueAt(document, $ref.slice(1))) : asRecord(part);
}
