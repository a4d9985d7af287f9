import type { Middleware } from 'openapi-fetch';
import { takesIdempotencyKey } from './repeatable.js';

const KEY_BYTES = 16;

/**
 * Gives each creation an `Idempotency-Key` of its own, unless it was given one. What was sent
 * twice by `retry` is then created once. A call that is made twice is two creations.
 */
export function idempotencyKeys(): Middleware {
  return {
    onRequest({ request, schemaPath }) {
      if (!takesIdempotencyKey(request.method, schemaPath)) return;
      if (!request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', newKey());
    },
  };
}

/** Not crypto.randomUUID, which a page has only if it came over HTTPS or from its own machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
