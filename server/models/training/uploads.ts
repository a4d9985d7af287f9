import { FairGate } from '../../common/fair-gate.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';

/** The maximum of uploads at once, including those that wait or arrive slowly. */
const MAX_UPLOADS = { inAll: 64, ofOwner: 32 };

/** The lowest rate of a sender while others wait for its slot, in bytes per second. */
export const MIN_RATE = 128 * 1024;

/** The time after which a waiting owner may demand twice the rate, in milliseconds. */
const DOUBLING_MS = 10_000;

/**
 * The time that an upload is observed before it is judged, and the interval of checks, in
 * milliseconds.
 */
const WATCH_MS = 5_000;
const WATCH_EVERY_MS = 1_000;

/** The bytes that an upload had delivered at a time, and the time spent waiting for them. */
interface Mark {
  readonly time: number;
  readonly bytes: number;
  readonly waited: number;
}

/** A table that arrives. Iterate to read its bytes, which are counted. */
export class Upload implements AsyncIterable<Uint8Array> {
  readonly #end = new AbortController();
  /** Aborted when the upload is given up. */
  readonly signal = this.#end.signal;
  readonly #begin: Mark = { time: performance.now(), bytes: 0, waited: 0 };
  bytes = 0;
  #waited = 0;
  #waitingSince: number | undefined;

  /** @param tooSlow creates the problem of an upload that is given up */
  constructor(
    readonly owner: string,
    private readonly source: AsyncIterable<Uint8Array>,
    private readonly tooSlow: () => ProblemError,
  ) {}

  /** Ends the upload, by default because others wait for its slot. */
  giveUp(reason: unknown = this.tooSlow()): void {
    this.#end.abort(reason);
  }

  /** The sender is not responsible for time that is not spent waiting for bytes. */
  mark(): Mark {
    const time = performance.now();
    const waited = this.#waited + (time - (this.#waitingSince ?? time));
    return { time, bytes: this.bytes, waited };
  }

  /** Returns whether it has delivered too little since its start, with or without a slot. */
  isSlow(): boolean {
    const now = this.mark();
    return now.time - this.#begin.time >= WATCH_MS && rateBetween(this.#begin, now) < MIN_RATE;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const chunks = this.source[Symbol.asyncIterator]();
    for (;;) {
      this.#waitingSince = performance.now();
      const next = await chunks.next();
      this.#waited += performance.now() - this.#waitingSince;
      this.#waitingSince = undefined;
      if (next.done) return;
      this.bytes += next.value.length;
      yield next.value;
    }
  }
}

/**
 * Makes room for an upload of an owner among those that are under way. If there are too many, gives
 * up the slowest of an owner with more uploads, or of a sender that is too slow.
 * @throws {ProblemError}
 */
export function makeRoom(underWay: Set<Upload>, owner: string): void {
  const counts = new Map<string, number>();
  for (const upload of underWay) counts.set(upload.owner, (counts.get(upload.owner) ?? 0) + 1);
  const own = counts.get(owner) ?? 0;
  if (own >= MAX_UPLOADS.ofOwner) throw tooManyUploads();
  if (underWay.size < MAX_UPLOADS.inAll) return;
  const max = Math.max(...counts.values());
  const victims = [...underWay].filter(
    (upload) => !upload.signal.aborted && (upload.isSlow() || (max > own + 1 && counts.get(upload.owner) === max)),
  );
  const [slowest] = victims.sort((one, other) => one.bytes - other.bytes);
  if (!slowest) throw tooManyUploads();
  underWay.delete(slowest);
  slowest.giveUp();
}

/**
 * Limits the uploads that are read at once, in total and per owner. Waiting owners take turns.
 * While an upload waits, each one with a slot must deliver at least `MIN_RATE`, and twice as much
 * for each `DOUBLING_MS` of the wait: the slowest one below that is given up. An upload can
 * therefore keep a slot for long only by sending as fast as the service reads.
 */
export class UploadSlots {
  readonly #gate: FairGate;
  readonly #running = new Map<Upload, Mark>();
  /** The uploads that wait, and since when. */
  readonly #waiting = new Map<Upload, number>();
  /** The times at which the owners last got a slot, while any upload runs. */
  readonly #lastSlots = new Map<string, number>();
  #watch: NodeJS.Timeout | undefined;

  constructor(
    slots: number,
    private readonly slotsPerOwner: number,
  ) {
    const maxWaiting = MAX_UPLOADS.ofOwner;
    this.#gate = new FairGate({ slots, slotsPerOwner, maxWaiting, busy: tooManyUploads });
  }

  /**
   * Runs work on an upload when a slot is free.
   * @throws the problem of the upload if it is given up while it waits
   * @throws the error of the work
   */
  async run<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
    const { owner, signal } = upload;
    this.#waiting.set(upload, performance.now());
    this.#beginWatch();
    try {
      return await this.#gate.run(owner, signal, () => {
        this.#endWait(upload);
        this.#running.set(upload, upload.mark());
        this.#lastSlots.set(owner, performance.now());
        return work();
      });
    } finally {
      this.#running.delete(upload);
      this.#endWait(upload);
    }
  }

  #beginWatch(): void {
    if (this.#watch) return;
    for (const upload of this.#running.keys()) this.#running.set(upload, upload.mark());
    this.#watch = setInterval(() => this.#giveUpSlowest(), WATCH_EVERY_MS);
  }

  #endWait(upload: Upload): void {
    this.#waiting.delete(upload);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
    if (this.#running.size === 0) this.#lastSlots.clear();
  }

  /** Gives up one upload per waiter, if that lets the waiter begin. */
  #giveUpSlowest(): void {
    const rates = this.#rates();
    for (const [{ owner }, since] of this.#waiting) {
      const own = [...this.#running.keys()].filter((upload) => upload.owner === owner);
      const isFull = own.length >= this.slotsPerOwner;
      // An owner's wait starts again with each of its slots.
      const begun = Math.max(since, this.#lastSlots.get(owner) ?? 0);
      const minRate = MIN_RATE * 2 ** Math.floor((performance.now() - begun) / DOUBLING_MS);
      const index = rates.findIndex(({ upload, rate }) => rate < minRate && (!isFull || upload.owner === owner));
      if (index >= 0) rates.splice(index, 1)[0]?.upload.giveUp();
    }
  }

  /**
   * Returns the rates of the observed uploads, the slowest first; restarts the observation of those
   * above `MIN_RATE`.
   */
  #rates(): { readonly upload: Upload; readonly rate: number }[] {
    const rates = [];
    for (const [upload, mark] of this.#running) {
      const now = upload.mark();
      if (now.time - mark.time < WATCH_MS) continue;
      const rate = rateBetween(mark, now);
      if (Number.isFinite(rate)) rates.push({ upload, rate });
      if (rate >= MIN_RATE) this.#running.set(upload, now);
    }
    return rates.sort((one, other) => one.rate - other.rate);
  }
}

/**
 * Returns the rate in bytes per second of waiting for bytes. If less than half of the time was
 * spent waiting, the rate is infinite: the sender is faster than the reader.
 */
function rateBetween(from: Mark, to: Mark): number {
  const waited = to.waited - from.waited;
  if (waited <= (to.time - from.time) / 2) return Number.POSITIVE_INFINITY;
  return ((to.bytes - from.bytes) * 1000) / waited;
}

export function tooManyUploads() {
  const detail = 'The service reads as many tables as it takes on at once; try again in a moment.';
  return unavailable(detail, 5);
}

/** Returns what creates the problem of a table or of truths that arrive too slowly while others wait. */
export function slowSender(what: 'table' | 'truths'): () => ProblemError {
  const it = what === 'table' ? 'it' : 'them';
  const detail = `The ${what} arrived too slowly while other tables waited to be read; send at least 128 KiB a second, and more the longer others wait, or send ${it} again later.`;
  return () => problem('/problems/request-timeout', detail, {}, { Connection: 'close' });
}
