import { setImmediate } from 'node:timers/promises';
import { joinPromises, type RememberedPart, type Remembering } from 'roster-prediction/predicting';
import { type Act, addEvent } from '../../store/audit.js';
import { type Store, StoreBusyError } from '../../store/index.js';
import { adjustStored } from '../../store/quota.js';
import {
  addPromises,
  type BatchRows,
  beginRecord,
  growBatch,
  insertBatch,
  keepModel,
  newAnswerId,
  type RememberedAnswer,
  type StoredBatch,
} from './promise-rows.js';

/** The most rows of an answer that is gathered with others. */
export const SMALL_ROWS = 32;

/** The number of rows under one id after which a gather takes no further answers. */
const MAX_ROWS = 128;

/**
 * The most bytes of a batch that grows. Each commit writes all of it again, and PostgreSQL would move larger ones out of
 * their row.
 */
const MAX_BYTES = 1800;

/** The most answers that wait to be stored: each has left the slot of its request. */
const MAX_WAITING = 256;

/** The time for which answers are gathered under one id, in milliseconds. */
const GATHERED_MS = 1000;

/** An answer without an id: gathered answers share one. */
type SmallAnswer = Omit<RememberedAnswer, 'id'>;

/** The place of an answer among those that share its id. */
type Place = Required<Pick<Remembering, 'answer' | 'first'>>;

/**
 * Remembers small answers together: those of a model within a second share the id of one answer, whose rows they number
 * in turn, and so are stored as one batch, which grows. Each is stored before it is sent, as others are: those that
 * come while one is stored wait for the next commit, which is for all of them.
 */
export class SmallAnswers {
  /** By model, and whether rows have ids of the caller's own; the earliest first. */
  readonly #gathers = new Map<string, Gather>();
  #waiting = 0;

  constructor(private readonly store: Store) {}

  /**
   * Makes an answer at its place, and stores its promises. At most one answer of a model is made at a time: an answer
   * that fails leaves no gap in the numbers.
   *
   * @param make must not wait for anything but its own work
   * @throws what `make` and `addPromises` throw
   * @throws {StoreBusyError} if too many answers wait
   */
  async add<T extends { readonly promises: readonly RememberedPart[] }>(
    answer: SmallAnswer,
    hasIds: boolean,
    make: (place: Place) => Promise<T>,
  ): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new StoreBusyError(`${MAX_WAITING} remembered answers already wait to be stored; try again later.`);
    }
    const key = gatherKey(answer, hasIds);
    const known = this.#gathers.get(key);
    const gather = known?.takes(answer) ? known : this.#begin(key, answer);
    this.#waiting += 1;
    try {
      return await gather.add(answer, make);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Stores batches of another answer. If two promises have one id, the later one is then in the later batch. */
  addLarge(answer: RememberedAnswer, batches: readonly RememberedPart[]): Promise<void> {
    if (batches.some(({ ids }) => ids !== null)) this.#gathers.delete(gatherKey(answer, true));
    return addPromises(this.store, answer, batches);
  }

  #begin(key: string, answer: SmallAnswer): Gather {
    for (const [other, gather] of this.#gathers) {
      if (gather.takes()) break;
      this.#gathers.delete(other);
    }
    this.#gathers.delete(key);
    const gather = new Gather(this.store, answer);
    this.#gathers.set(key, gather);
    return gather;
  }
}

function gatherKey({ version }: SmallAnswer, hasIds: boolean): string {
  return `${version.model_id} ${hasIds}`;
}

/** Promises that wait to be stored. */
interface Waiting {
  readonly part: RememberedPart;
  readonly act: Act | undefined;
}

/** Small answers that share an id. */
class Gather {
  readonly #store: Store;
  readonly #answer: RememberedAnswer;
  readonly #end = performance.now() + GATHERED_MS;
  /** The number of the next row. */
  #next = 0;
  #making: Promise<unknown> = Promise.resolve();
  #waiting: Waiting[] = [];
  /** The commit that runs, and the one of those that wait. */
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  /** The batch that grows. */
  #batch: StoredBatch | undefined;
  #hasRecord = false;
  /** The callers whose event is stored. */
  readonly #callers = new Set<string>();

  constructor(store: Store, answer: SmallAnswer) {
    this.#store = store;
    this.#answer = { ...answer, id: newAnswerId() };
  }

  /** Returns whether it takes further answers, of a version if one is given. */
  takes(answer?: SmallAnswer): boolean {
    const isOther = answer && answer.version.version !== this.#answer.version.version;
    return !isOther && this.#next < MAX_ROWS && performance.now() < this.#end;
  }

  async add<T extends { readonly promises: readonly RememberedPart[] }>(
    { act }: SmallAnswer,
    make: (place: Place) => Promise<T>,
  ): Promise<T> {
    const making = this.#making.then(() => make({ answer: this.#answer.id, first: this.#next }));
    // Within the same turn, so that the next answer begins behind this one.
    const made = making.then((answer) => {
      for (const part of answer.promises) {
        this.#next += part.rows;
        this.#waiting.push({ part, act });
      }
      return answer;
    });
    this.#making = made.catch(() => {});
    const answer = await made;
    if (answer.promises.length > 0) await this.#commitNext();
    return answer;
  }

  /** Returns the commit that stores all that wait. */
  #commitNext(): Promise<void> {
    this.#queued ??= this.#running.then(async () => {
      // Answers of requests that have arrived already go with it.
      await setImmediate();
      this.#queued = undefined;
      const waiting = this.#waiting;
      this.#waiting = [];
      await this.#commit(waiting);
    });
    this.#running = this.#queued.catch(() => {});
    return this.#queued;
  }

  async #commit(waiting: readonly Waiting[]): Promise<void> {
    const parts = waiting.map(({ part }) => part);
    const batch = this.#batch;
    // After a failure, it is not known whether the batch has grown.
    this.#batch = undefined;
    const { owner, project, version } = this.#answer;
    const acts = this.#listActs(waiting);
    const stored = await this.#store.transaction(
      async ({ reads: db, limits }) => {
        await keepModel(db, version);
        const subject = parts.find((part) => part.subject)?.subject;
        if (subject && !this.#hasRecord) await beginRecord(db, version, subject);
        const [first, ...others] = joinParts(batch, parts);
        let last = first?.grown === undefined ? undefined : await growBatch(db, first.grown, first.rows);
        let bytes = last && batch ? last.bytes - batch.bytes : 0;
        for (const { rows } of last ? others : joinParts(undefined, parts)) {
          last = await insertBatch(db, this.#answer, rows);
          bytes += last.bytes;
        }
        await adjustStored(db, owner, bytes, limits.stored);
        for (const act of acts.values()) await addEvent(db, act);
        return last;
      },
      { owner, project },
    );
    this.#batch = stored;
    this.#hasRecord = true;
    for (const caller of acts.keys()) this.#callers.add(caller);
    for (const { act } of waiting) if (act) act.isRecorded = true;
  }

  /** Returns the events that are stored: a caller has one of all answers that are gathered. */
  #listActs(waiting: readonly Waiting[]): ReadonlyMap<string, Act> {
    const acts = new Map<string, Act>();
    for (const { act } of waiting) {
      if (!act) continue;
      const caller = JSON.stringify([act.key, act.subject, act.address, act.userAgent, act.resource]);
      if (!this.#callers.has(caller) && !acts.has(caller)) acts.set(caller, act);
    }
    return acts;
  }
}

/** A batch to store: in the place of the stored one with an id, or a new one. */
interface JoinedBatch {
  readonly grown: string | undefined;
  readonly rows: BatchRows;
}

/**
 * Joins promises to batches as large as may be.
 *
 * @param batch the stored one, which the first may go on
 */
function joinParts(batch: StoredBatch | undefined, parts: readonly BatchRows[]): JoinedBatch[] {
  const joined: JoinedBatch[] = [];
  let last: JoinedBatch | undefined = batch && { grown: batch.id, rows: batch };
  for (const [index, part] of parts.entries()) {
    const both = last && joinRows(last.rows, part);
    if (last && both) last = { ...last, rows: both };
    else {
      if (last && index > 0) joined.push(last);
      last = { grown: undefined, rows: part };
    }
  }
  return last ? [...joined, last] : joined;
}

/** Returns the rows of both; undefined if they do not make one batch. */
function joinRows(one: BatchRows, other: BatchRows): BatchRows | undefined {
  if (one.first + one.rows !== other.first) return undefined;
  const promises = joinPromises([one.promises, other.promises]);
  const ids = one.ids && other.ids && Buffer.concat([one.ids, other.ids]);
  if (!promises || promises.length + (ids?.length ?? 0) > MAX_BYTES) return undefined;
  return { first: one.first, rows: one.rows + other.rows, promises, ids };
}
