import { createHash } from 'node:crypto';
import type { Caller } from '../callers/caller.js';
import { JsonText, type OperationId } from '../contract/handlers.js';
import { problem } from '../contract/problems.js';
import { type KeptAnswer, LimitReachedError, type Store } from '../store/index.js';
import { taggedText } from './conditions.js';
import { answersFull, queueOf, sent } from './resource.js';

/** How long the answer to a creation is kept for a request that repeats it, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000;

/** The answer to a creation. */
export interface Created<T> {
  readonly status: 201;
  readonly body: JsonText<T>;
  readonly headers: { readonly ETag: string; readonly Location: string };
}

/** What was created, and its address. */
export interface NewResource<T> {
  readonly resource: T;
  readonly location: string;
}

/** Says that a resource was created, and where it is. */
export function created<T>({ resource, location }: NewResource<T>): Created<T> {
  return answer(JSON.stringify(resource), location);
}

function answer<T>(text: string, location: string): Created<T> {
  const { body, headers } = taggedText<T>(text);
  return { status: 201, body, headers: { ...headers, Location: location } };
}

/** A request to create something. */
interface Creation {
  readonly caller: Caller;
  readonly headers: { 'Idempotency-Key'?: string };
  readonly params?: { readonly project_name?: string };
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
  create: (store: Store) => Promise<NewResource<T>>,
): Promise<Created<T>> {
  const { owner } = caller;
  const queue = queueOf(owner, params?.project_name);
  const key = headers['Idempotency-Key'];
  if (key === undefined)
    return store.transaction(async (store) => created(await create(store)), queue);
  const fingerprint = fingerprintOf([operation, params, understood(body)]);
  return store.transaction(async (store) => {
    const { answers } = store;
    const find = () => answers.find(owner, key, moment(Date.now() - KEPT_FOR));
    // An answer that is there needs no claim: two who ask for it again are not in each other's way.
    let kept = await find();
    if (!kept) {
      if (!(await answers.claim(owner, key))) throw inProgress();
      kept = await find();
    }
    if (kept && kept.fingerprint !== fingerprint) throw reused();
    if (kept) return { status: 201, body: new JsonText<T>([kept.body]), headers: kept.headers };
    const { resource, location } = await create(store);
    const text = JSON.stringify(resource);
    const first = answer<T>(text, location);
    await keep(store, owner, key, {
      fingerprint,
      headers: first.headers,
      body: text,
    });
    return first;
  }, queue);
}

/** Keeps an answer, or undoes the creation and says why in words for the caller. */
async function keep(
  { answers }: Store,
  owner: string,
  key: string,
  answer: KeptAnswer,
): Promise<void> {
  try {
    await answers.keep(owner, key, answer);
  } catch (error) {
    throw error instanceof LimitReachedError ? answersFull(error) : error;
  }
}

/** A body without the fields that count as not sent: those that are null in what it wraps. */
function understood(body: object): object {
  return Object.fromEntries(Object.entries(body).map(([kind, fields]) => [kind, sent(fields)]));
}

function fingerprintOf(request: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(request, inOrder)).digest('hex');
}

/** Sorts the keys of objects: in which order they are written says nothing (RFC 8259, section 4). */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
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
