import { asRecord, type JsonRecord } from './json-record.js';

/** Escapes `~` and `/` in a step of a JSON pointer (RFC 6901, section 3). */
export function escapeToken(token: string): string {
  return token.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** Returns the JSON pointer with these steps. */
export function writePointer(steps: readonly PropertyKey[]): string {
  return steps.map((step) => `/${escapeToken(String(step))}`).join('');
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

/** Returns the `$ref` of a part; undefined if it has none. */
export function referenceIn(part: unknown): string | undefined {
  const { $ref } = asRecord(part);
  return typeof $ref === 'string' ? $ref : undefined;
}

/** Returns the pointer in a reference within the document, which may be percent-encoded (RFC 6901, section 6). */
export function targetOf(reference: string): string {
  const fragment = reference.slice(1);
  if (!fragment.includes('%')) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Returns the last step of the reference of a part, which is the name of a component; undefined if it has none. */
export function referenceName(part: unknown): string | undefined {
  const reference = referenceIn(part);
  return reference === undefined ? undefined : splitPointer(targetOf(reference)).at(-1);
}

/**
 * Returns the pointer at the end of the chain of references that begins at a pointer. The chain must have an end.
 * @param part what is at the pointer
 */
export function followReferences(document: unknown, pointer: string, part = valueAt(document, pointer)): string {
  const reference = referenceIn(part);
  return reference === undefined ? pointer : followReferences(document, targetOf(reference));
}

/** Returns a part of a document, or what the chain of references that begins with it leads to. */
export function resolve(document: unknown, part: unknown): JsonRecord {
  const reference = referenceIn(part);
  return reference === undefined ? asRecord(part) : resolve(document, valueAt(document, targetOf(reference)));
}
