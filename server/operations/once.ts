import { createHash } from 'node:crypto';
import type { Caller } from '../callers/caller.js';
import { JsonText, type OperationId } from '../contract/handlers.js';
import { problem } from '../contract/problems.js';
import type { KeptAnswer, Store } from '../store/index.js';
import { tagged } from './conditions.js';

/** How long the answer to a creation is kept for a request that repeats it, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000;

/** The answer to a creation. */
export interface Created<T> {
  readonly status: 201;
  readonly body: JsonText<T>;
  readonly headers: { readonly ETag: string; readonly Location: string };
}

/** Says that a resource was created, and where it is. */
export function created<T extends object>(resource: T, location: string): Created<T> {
  const { body, headers } = tagged(resource);
  return { status: 201, body, headers: { ...headers, Location: location } };
}

/** A request to create something. */
interface Creation {
  readonly caller: Caller;
  readonly headers: { 'Idempotency-Key'?: string };
  readonly params?: object;
  readonly body: object;
}

/**
 * Creates something in one transaction, and only once for an `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header): a request that repeats the first gets the first's answer.
 * The answer is kept by the transaction that creates, so that there is never the one without the other.
 */
export function once<T>(
  store: Store,
  operation: OperationId,
  { caller, headers, params, body }: Creation,
  create: (store: Store) => Promise<Created<T>>,
): Promise<Created<T>> {
  const key = headers['Idempotency-Key'];
  if (key === undefined) return store.transaction(create);
  const fingerprint = fingerprintOf([operation, params, body]);
  return store.transaction(async (store) => {
    if (!(await store.answers.claim(caller.owner, key))) throw inProgress();
    const kept = await store.answers.find(caller.owner, key, moment(Date.now() - KEPT_FOR));
    if (kept && kept.fingerprint !== fingerprint) throw reused();
    if (kept) return again(kept);
    const answer = await create(store);
    await store.answers.keep(caller.owner, key, {
      fingerprint,
      headers: answer.headers,
      body: [...answer.body.pieces].join(''),
    });
    return answer;
  });
}

function again<T>({ headers, body }: KeptAnswer): Created<T> {
  return { status: 201, body: new JsonText<T>([body]), headers };
}

function fingerprintOf(request: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}

function moment(time: number): string {
  return new Date(time).toISOString();
}

function inProgress() {
  return problem(
    '/problems/request-in-progress',
    'A request with this Idempotency-Key is in progress; send it again in a moment to get its answer.',
    {},
    { 'Retry-After': '1' },
  );
}

function reused() {
  return problem(
    '/problems/idempotency-key-reused',
    'This Idempotency-Key was sent with another request before; use a new key for a new request.',
  );
}
