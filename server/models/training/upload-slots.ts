import type { UploadMeter } from './upload-meter.js';

/** The lowest rate of a sender while others wait for its slot, in bytes per second. */
export const MIN_RATE = 128 * 1024;

/** The time after which a waiting owner may demand twice the rate, in milliseconds. */
const DOUBLING_TIME = 10_000;

/**
 * The time that an upload is observed before it is judged, and the interval of checks, in
 * milliseconds.
 */
const WATCH_TIME = 5_000;
const WATCH_INTERVAL = 1_000;

/** The sender of a table is too slow while others wait. */
export class SlowUploadError extends Error {
  override readonly name = 'SlowUploadError';
}

export interface Upload {
  readonly owner: string;
  readonly meter: UploadMeter;
  /** Aborted with a `SlowUploadError` to give up the upload. */
  readonly giveUp: AbortController;
}

/** The bytes that an upload had delivered at a time, and the time spent waiting for them. */
interface Mark {
  readonly time: number;
  readonly bytes: number;
  readonly waited: number;
}

interface Waiter {
  readonly upload: Upload;
  /** The start of the wait, as given by `performance.now()`. */
  readonly since: number;
  readonly begin: () => void;
}

/** An owner's last turn: its number, and its start as given by `performance.now()`. */
interface Turn {
  readonly order: number;
  readonly time: number;
}

/** The rate of an upload, in bytes per second of waiting for bytes. */
interface Delivery {
  readonly upload: Upload;
  readonly rate: number;
}

/**
 * Limits the uploads that are read at once, in total and per owner. Waiting owners take turns.
 * While an upload waits, each one with a slot must deliver at least `MIN_RATE`, and twice as much
 * for each `DOUBLING_TIME` of the wait: the slowest one below that is given up. An upload can
 * therefore keep a slot for long only by sending as fast as the service reads.
 */
export class UploadSlots {
  readonly #limits: { readonly total: number; readonly perOwner: number };
  readonly #running = new Map<Upload, Mark>();
  readonly #waiting: Waiter[] = [];
  /** The last turn of each owner. */
  readonly #turns = new Map<string, Turn>();
  #turnCount = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(limits: { total: number; perOwner: number }) {
    this.#limits = limits;
  }

  /**
   * Runs work on an upload when a slot is free.
   * @throws {SlowUploadError} if the upload is given up while it waits
   * @throws the error of the work
   */
  async run<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
    const { signal } = upload.giveUp;
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        const index = this.#waiting.indexOf(waiter);
        if (index >= 0) this.#waiting.splice(index, 1);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiter = { upload, since: performance.now(), begin };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      else this.#next();
    });
    try {
      return await work();
    } finally {
      this.#running.delete(upload);
      this.#next();
    }
  }

  #next(): void {
    for (let waiter = this.#choose(); waiter; waiter = this.#choose()) {
      const { upload, begin } = waiter;
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      this.#running.set(upload, markOf(upload));
      this.#turns.set(upload.owner, { order: ++this.#turnCount, time: performance.now() });
      begin();
    }
    if (this.#waiting.length > 0) this.#beginWatch();
    else this.#endWatch();
  }

  /** Returns the waiter that gets a slot now: of the owner whose last turn is the longest ago. */
  #choose(): Waiter | undefined {
    if (this.#running.size >= this.#limits.total) return undefined;
    let chosen: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (this.#ownerIsFull(waiter.upload.owner)) continue;
      if (!chosen || this.#turnOf(waiter) < this.#turnOf(chosen)) chosen = waiter;
    }
    return chosen;
  }

  #turnOf({ upload }: Waiter): number {
    return this.#turns.get(upload.owner)?.order ?? 0;
  }

  #ownerIsFull(owner: string): boolean {
    let count = 0;
    for (const upload of this.#running.keys()) if (upload.owner === owner) count++;
    return count >= this.#limits.perOwner;
  }

  #beginWatch(): void {
    if (this.#watch) return;
    for (const upload of this.#running.keys()) this.#running.set(upload, markOf(upload));
    this.#watch = setInterval(() => this.#giveUpSlowest(), WATCH_INTERVAL);
  }

  #endWatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    // With nobody waiting, the turns start again.
    if (this.#running.size === 0) this.#turns.clear();
  }

  /** Gives up one upload per waiter, if that lets the waiter begin. */
  #giveUpSlowest(): void {
    const deliveries = this.#deliveries();
    for (const waiter of [...this.#waiting]) {
      const { owner } = waiter.upload;
      const isFull = this.#ownerIsFull(owner);
      const least = this.#rateFor(waiter);
      const index = deliveries.findIndex(
        ({ upload, rate }) => rate < least && (!isFull || upload.owner === owner),
      );
      if (index < 0) continue;
      for (const { upload } of deliveries.splice(index, 1)) upload.giveUp.abort(tooSlow());
    }
  }

  /**
   * Returns the rate that a waiter may demand. An owner's wait starts again with each of its turns.
   */
  #rateFor({ upload, since }: Waiter): number {
    const begun = Math.max(since, this.#turns.get(upload.owner)?.time ?? 0);
    return MIN_RATE * 2 ** Math.floor((performance.now() - begun) / DOUBLING_TIME);
  }

  /**
   * Returns the rates of the observed uploads, the slowest first; restarts the observation of those
   * above `MIN_RATE`.
   */
  #deliveries(): Delivery[] {
    const deliveries: Delivery[] = [];
    for (const [upload, mark] of this.#running) {
      const now = markOf(upload);
      if (now.time - mark.time < WATCH_TIME) continue;
      const rate = rateBetween(mark, now);
      if (Number.isFinite(rate)) deliveries.push({ upload, rate });
      if (rate >= MIN_RATE) this.#running.set(upload, now);
    }
    return deliveries.sort((one, other) => one.rate - other.rate);
  }
}

/** Returns whether an upload has delivered too little since its start, with or without a slot. */
export function isSlowSinceBegin({ meter }: Upload): boolean {
  const now = markOf({ meter });
  const begin = { time: meter.begun, bytes: 0, waited: 0 };
  return now.time - begin.time >= WATCH_TIME && rateBetween(begin, now) < MIN_RATE;
}

export function tooSlow(): SlowUploadError {
  return new SlowUploadError('The upload was too slow while others waited');
}

function markOf({ meter }: Pick<Upload, 'meter'>): Mark {
  return { time: performance.now(), bytes: meter.bytes, waited: meter.waited };
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
