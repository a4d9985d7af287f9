import type { Caller } from '../auth/caller.js';
import { problem } from '../problems/problem.js';
import { claimAnswer, findAnswer, findKeyedMessage, type KeptAnswer, keepAnswer } from '../store/idempotent-replies.js';
import type { Store } from '../store/index.js';
import type { JsonChunks } from '../store/rows.js';
import type { OperationId } from './handlers.js';
import { hashPieces, JsonText, withEtag } from './reply/send.js';

/** The time for which a creation's response is kept for repeated requests, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;

export interface Created<T> {
  readonly status: 201;
  readonly body: JsonText<T>;
  readonly headers: KeptAnswer['headers'] & { readonly 'Idempotent-Replayed'?: string };
}

/** Marks an answer that was given before. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' };

/** A created resource, as JSON, and its address. */
interface NewResource {
  readonly chunks: JsonChunks;
  readonly location: string;
  /** The answer, if it has what may not be kept. */
  readonly secret?: JsonChunks;
}

export async function replyCreated<T>(made: NewResource): Promise<Created<T>> {
  const { body, headers } = await withEtag<T>(made.chunks);
  const { secret, location: Location } = made;
  const answer = secret ? new JsonText<T>(secret) : body;
  return { status: 201, body: answer, headers: { ...headers, Location } };
}

export interface CreationHeaders {
  'Idempotency-Key'?: string;
}

interface Creation {
  readonly caller: Caller;
  readonly headers: CreationHeaders;
  readonly params?: { readonly project_name?: string };
  readonly body: object;
  readonly base: string;
}

/**
 * Creates a resource in one transaction, and only once per `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header): a repeated request gets the response to the first.
 * The same transaction also stores the response, so that neither exists without the other.
 * @param renew gives the answer to a repetition by the same caller, from what was kept of the first one
 */
export async function idempotent<T>(
  store: Store,
  operation: OperationId,
  { caller, headers, params, body, base }: Creation,
  create: (tx: Store) => Promise<NewResource>,
  renew?: (tx: Store, kept: string) => Promise<JsonChunks>,
): Promise<Created<T>> {
  const { owner, act } = caller;
  const target = { owner, project: params?.project_name, act };
  const key = headers['Idempotency-Key'];
  const createNamed = async (tx: Store) => {
    const made = await create(tx);
    if (act) act.resource = made.location.slice(base.length);
    return made;
  };
  if (key === undefined) return store.transaction(async (tx) => replyCreated(await createNamed(tx)), target);
  // A key that is for one project gets no response that was made for a key of others.
  const bound = caller.projectId === undefined ? [] : [caller.projectId];
  if (renew) bound.push(String(caller.id));
  const fingerprint = await digestRequest([operation, params, normalize(body), ...bound]);
  return store.transaction(async (tx) => {
    const kept = await findOrClaimAnswer(tx, owner, key);
    if (!kept && (await findKeyedMessage(tx, owner, key, keysExpireBefore()))) throw keyReused();
    if (kept && kept.fingerprint !== fingerprint) throw keyReused();
    if (kept) {
      // A secret that is made again is a change.
      if (!renew) tx.skipEvent();
      else if (act) act.resource = kept.headers.Location.slice(base.length);
      const chunks = renew ? await renew(tx, kept.body) : [kept.body];
      return { status: 201, body: new JsonText<T>(chunks), headers: { ...kept.headers, ...REPLAYED } };
    }
    const made = await createNamed(tx);
    const first = await replyCreated<T>(made);
    const answer = { fingerprint, headers: first.headers, body: made.chunks.join('') };
    await keepAnswer(tx, owner, key, answer);
    return first;
  }, target);
}

/**
 * Returns the response stored under a key. If there is none, claims the key until the end of the transaction.
 * @throws {ProblemError} if another request has claimed the key
 */
async function findOrClaimAnswer(tx: Store, owner: string, key: string): Promise<KeptAnswer | undefined> {
  const find = () => findAnswer(tx, owner, key, keysExpireBefore());
  // A stored response needs no claim: two requests for it do not block each other.
  const kept = await find();
  if (kept) return kept;
  if (!(await claimAnswer(tx, owner, key))) throw requestInProgress();
  return find();
}

/** Returns a body without the fields of its resource that count as not sent. */
function normalize(body: object): object {
  return Object.fromEntries(Object.entries(body).map(([kind, fields]) => [kind, omitNulls(fields)]));
}

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Returns the fields of a write that count as sent: a null counts as not sent. */
export function omitNulls<T extends object>(fields: T): WithoutNulls<T> {
  return changedFields(fields, []);
}

/**
 * Returns the fields that a change sends. Null removes a removable field, and counts as not sent
 * for the others. In a body with `params`, the older name of `settings`, it counts as not sent for
 * all: clients that know this name send null for fields that stay.
 */
export function changedFields<T extends object, K extends keyof T = never>(
  fields: T & { readonly params?: unknown },
  removable: readonly K[],
): WithoutNulls<Omit<T, K>> & Pick<T, K> {
  // The params of a skill have no other name, and nothing of a skill is removable.
  const hasOlderName = (fields.params ?? null) !== null;
  const removed: ReadonlySet<unknown> = new Set(hasOlderName ? [] : removable);
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null || removed.has(name)) kept.push([name, value]);
  }
  // Only nulls were removed, which TypeScript cannot infer from the entries.
  return Object.fromEntries(kept) as WithoutNulls<Omit<T, K>> & Pick<T, K>;
}

/** Computes the digest of a request, and yields to other requests meanwhile: a body may be a mebibyte of decimals. */
export function digestRequest(request: readonly unknown[]): Promise<string> {
  return hashPieces(writeSorted(request), 'hex');
}

/** The number of items without members that are written at once. */
const ITEMS = 1000;

/** Writes JSON in pieces with sorted object keys, since their order has no meaning (RFC 8259, section 4). */
function* writeSorted(value: unknown): Generator<string> {
  if (!hasMembers(value)) yield JSON.stringify(value ?? null);
  else if (Array.isArray(value)) {
    const areFlat = !value.some(hasMembers);
    const step = areFlat ? ITEMS : 1;
    yield '[';
    for (let at = 0; at < value.length; at += step) {
      if (at > 0) yield ',';
      if (areFlat) yield JSON.stringify(value.slice(at, at + step)).slice(1, -1);
      else yield* writeSorted(value[at]);
    }
    yield ']';
  } else {
    const members = new Map<string, unknown>(Object.entries(value));
    let before = '{';
    for (const name of [...members.keys()].sort()) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* writeSorted(members.get(name));
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns the time before which requests are no longer known by their key, in ISO 8601, UTC. */
export function keysExpireBefore(): string {
  return new Date(Date.now() - IDEMPOTENCY_TTL_MS).toISOString();
}

/** Returns the problem of a request whose first one, under the same key, is not answered yet. */
export function requestInProgress() {
  return problem(
    '/problems/request-in-progress',
    'A request with this Idempotency-Key is in progress; send it again in a moment to get its answer.',
    {},
    { 'Retry-After': '1' },
  );
}

/** Returns the problem of a key that another request was sent with. */
export function keyReused(
  detail = 'This Idempotency-Key was sent with another request before; use a new key for a new request.',
) {
  return problem('/problems/idempotency-key-reused', detail);
}
