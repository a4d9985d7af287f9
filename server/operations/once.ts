import { createHash } from 'node:crypto';
import type { Caller } from '../auth/caller.js';
import { JsonText, type OperationId } from '../pipeline/handlers.js';
import { problem } from '../problems/problem.js';
import { type KeptAnswer, LimitReachedError, pausing, type Store } from '../store/index.js';
import { type InPieces, taggedPieces } from './conditions.js';
import { answersFull, sent } from './resource.js';

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
  /** As it is answered, or as JSON already. */
  readonly resource: T | InPieces<T>;
  readonly location: string;
}

/** Says that a resource was created, and where it is. */
export async function created<T>(made: NewResource<T>): Promise<Created<T>> {
  const { body, headers } = await taggedPieces(inPieces(made));
  return { status: 201, body, headers: { ...headers, Location: made.location } };
}

function inPieces<T>({ resource }: NewResource<T>): InPieces<T> {
  return resource instanceof JsonText ? resource : new JsonText([JSON.stringify(resource)]);
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
export async function once<T>(
  store: Store,
  operation: OperationId,
  { caller, headers, params, body }: Creation,
  create: (store: Store) => Promise<NewResource<T>>,
): Promise<Created<T>> {
  const { owner } = caller;
  const target = { owner, project: params?.project_name };
  const key = headers['Idempotency-Key'];
  if (key === undefined)
    return store.transaction(async (store) => created(await create(store)), target);
  const fingerprint = await fingerprintOf([operation, params, understood(body)]);
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
    const written = inPieces({ resource, location });
    const first = await created<T>({ resource: written, location });
    await keep(store, owner, key, {
      fingerprint,
      headers: first.headers,
      body: written.pieces.join(''),
    });
    return first;
  }, target);
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

/** Computes the digest of a request. Others are served meanwhile: a body may be a mebibyte of fractions. */
async function fingerprintOf(request: readonly unknown[]): Promise<string> {
  const pause = pausing();
  const digest = createHash('sha256');
  for (const piece of sorted(request)) {
    digest.update(piece);
    await pause();
  }
  return digest.digest('hex');
}

/** How many items without members are written at once. */
const ITEMS = 1000;

/**
 * Writes JSON with the keys of objects sorted, in pieces: in which order they are sent says nothing (RFC 8259,
 * section 4).
 */
function* sorted(value: unknown): Generator<string> {
  if (!hasMembers(value)) yield JSON.stringify(value ?? null);
  else if (Array.isArray(value)) yield* sortedItems(value);
  else yield* sortedMembers(value);
}

function* sortedItems(items: readonly unknown[]): Generator<string> {
  yield '[';
  const areFlat = !items.some(hasMembers);
  const step = areFlat ? ITEMS : 1;
  for (let at = 0; at < items.length; at += step) {
    if (at > 0) yield ',';
    if (areFlat) yield JSON.stringify(items.slice(at, at + step)).slice(1, -1);
    else yield* sorted(items[at]);
  }
  yield ']';
}

function* sortedMembers(value: object): Generator<string> {
  const members = new Map<string, unknown>(Object.entries(value));
  let before = '{';
  for (const name of [...members.keys()].sort()) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* sorted(members.get(name));
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
