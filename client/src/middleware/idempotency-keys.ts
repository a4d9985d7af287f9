import type { Middleware } from 'openapi-fetch';
import { takesIdempotencyKey } from './repeatable.js';

const KEY_BYTES = 16;

/**
 * Gives each creation its own `Idempotency-Key`, unless the caller set one. A creation that
 * `retry` repeats then happens once. Two separate calls still create two resources.
 */
export function idempotencyKeys(): Middleware {
  return {
    onRequest({ request, schemaPath }) {
      if (!takesIdempotencyKey(request.method, schemaPath)) return;
      if (!request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', newKey());
    },
  };
}

/** Not crypto.randomUUID, which exists only on pages from HTTPS or localhost. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
