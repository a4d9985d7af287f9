import type { Caller } from '../../auth/caller.js';
import { type ProblemError, problem } from '../../problems/problem.js';

/** A body is stalled if fewer than PROGRESS bytes of it arrive within PROGRESS_MS milliseconds. */
const PROGRESS = 64 * 1024;
const PROGRESS_MS = 2000;

/**
 * Limits the bytes of bodies that are in memory at once. Only arrived bytes count, not declared ones. With several
 * owners, none may have more than half. If there is too much, the newest body is not simply refused: stalled bodies are
 * given up first, the largest before the others; then those of the owner with the most bytes, the latest before the
 * others. Bodies that are being processed stay.
 */
export class BodyMemory {
  readonly #bodies = new Set<BodyShare>();
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  /**
   * @param max the limit, in bytes
   * @param now the time, in milliseconds
   */
  constructor(
    private readonly max: number,
    readonly now = () => performance.now(),
  ) {}

  /**
   * Starts to count a body.
   * @param giveUp called at most once, and only while the body arrives, if its memory is needed for others
   */
  begin(caller: Caller | undefined, giveUp: (reason: ProblemError) => void): BodyShare {
    const body = new BodyShare(this, caller, giveUp);
    this.#bodies.add(body);
    return body;
  }

  /** Counts the bytes of a body, or takes them off, and gives up bodies if there are too many. */
  count({ owner, hasKey }: BodyShare, bytes: number): void {
    const held = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (held === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, held);
    this.#total += bytes;
    if (bytes < 0) return;
    // Without keys there is only one owner, and no share to reserve for others.
    if (hasKey && held > this.max / 2) this.#makeRoom(OWNER_IS_FULL, owner);
    if (this.#total > this.max) this.#makeRoom(ALL_IS_FULL);
  }

  forget(body: BodyShare): void {
    if (this.#bodies.delete(body)) this.count(body, -body.held);
  }

  /** Returns whether all bodies, or those of one owner, exceed their limit. */
  #isOver(owner?: string): boolean {
    return owner === undefined ? this.#total > this.max : this.#ownedBy(owner) > this.max / 2;
  }

  /** Gives up bodies, of all owners or of one, until they are within the limit. */
  #makeRoom(reason: string, owner?: string): void {
    const now = this.now();
    const order = [...this.#bodies]
      .filter((body) => body.mayGo && body.held > 0 && (owner ?? body.owner) === body.owner)
      .reverse()
      .sort((one, other) => this.#compare(one, other, now));
    for (const body of order) {
      if (!this.#isOver(owner)) return;
      // The sender is still sending the body, and the rest would have to be discarded.
      const headers = { 'Retry-After': '1', Connection: 'close' };
      body.giveUp(problem('/problems/service-unavailable', reason, {}, headers));
    }
  }

  /** Orders bodies by which is given up first. */
  #compare(one: BodyShare, other: BodyShare, now: number): number {
    const isStalled = one.isStalled(now);
    if (isStalled !== other.isStalled(now)) return isStalled ? -1 : 1;
    if (isStalled) return other.held - one.held;
    return this.#ownedBy(other.owner) - this.#ownedBy(one.owner);
  }

  #ownedBy(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }
}

export class BodyShare {
  readonly owner: string;
  readonly hasKey: boolean;
  held = 0;
  #sinceProgress = 0;
  #progressAt: number;
  #giveUp: ((reason: ProblemError) => void) | undefined;

  constructor(
    private readonly memory: BodyMemory,
    caller: Caller | undefined,
    giveUp: (reason: ProblemError) => void,
  ) {
    this.owner = caller?.owner ?? '';
    this.hasKey = (caller?.id ?? null) !== null;
    this.#giveUp = giveUp;
    this.#progressAt = memory.now();
  }

  /** True if the body can be given up now. */
  get mayGo(): boolean {
    return this.#giveUp !== undefined;
  }

  isStalled(now: number): boolean {
    return now - this.#progressAt > PROGRESS_MS;
  }

  add(bytes: number): void {
    this.held += bytes;
    this.#sinceProgress += bytes;
    if (this.#sinceProgress >= PROGRESS) {
      this.#sinceProgress = 0;
      this.#progressAt = this.memory.now();
    }
    this.memory.count(this, bytes);
  }

  /** Marks the body as complete. It is being processed and cannot be given up. */
  complete(): void {
    this.#giveUp = undefined;
  }

  /** Allows the body to be given up again, because its response waits for a slow reader. */
  trackBackpressure(giveUp: () => void): void {
    this.#giveUp = giveUp;
    this.#progressAt = Number.NEGATIVE_INFINITY;
  }

  giveUp(reason: ProblemError): void {
    const giveUp = this.#giveUp;
    this.release();
    giveUp?.(reason);
  }

  release(): void {
    this.#giveUp = undefined;
    this.memory.forget(this);
  }
}

const OWNER_IS_FULL =
  'The bodies that are sent with the keys of one owner take as much memory as one owner may have at once; send fewer at the same time.';

const ALL_IS_FULL =
  'The service holds as many bodies as it takes on at once; try again in a moment, and send the body without a pause.';

/** The most bytes of one owner's responses that wait for their readers at once. */
const MAX_UNREAD = 32 * 1024 * 1024;

interface Unread {
  readonly bytes: number;
  readonly cutOff: () => void;
}

/**
 * Limits the memory of responses that wait for their readers. If those of one owner take too much,
 * the one that has waited longest without progress is cut off.
 */
export class SendBufferLimit {
  /** The unread responses of each owner, the longest-waiting first. */
  readonly #byOwner = new Map<string, Set<Unread>>();

  constructor(private readonly max = MAX_UNREAD) {}

  /**
   * Counts a response that waits for its reader.
   * @param bytes the bytes of the response in memory
   * @param cutOff called at most once, if the memory is needed
   * @returns the function that ends the wait
   */
  add(owner: string, bytes: number, cutOff: () => void): () => void {
    const responses = this.#byOwner.get(owner) ?? new Set();
    const response = { bytes, cutOff };
    responses.add(response);
    this.#byOwner.set(owner, responses);
    this.#makeRoom(responses);
    return () => {
      responses.delete(response);
      if (responses.size === 0 && this.#byOwner.get(owner) === responses) {
        this.#byOwner.delete(owner);
      }
    };
  }

  #makeRoom(responses: Set<Unread>): void {
    let held = 0;
    for (const { bytes } of responses) held += bytes;
    for (const response of responses) {
      if (held <= this.max || responses.size === 1) return;
      responses.delete(response);
      held -= response.bytes;
      response.cutOff();
    }
  }
}
