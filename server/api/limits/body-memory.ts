import type { Caller } from '../../auth/caller.js';
import { type ProblemError, problem } from '../../problems/problem.js';

/** A body is stalled if fewer than PROGRESS bytes of it arrive within PROGRESS_MS milliseconds. */
const PROGRESS = 64 * 1024;
const PROGRESS_MS = 2000;

/**
 * Limits the bytes of bodies that are in memory at once. Only arrived bytes count, not declared
 * ones. With several owners, none may have more than half. If there is too much, the newest body is
 * not simply refused: stalled bodies are given up first, the largest before the others; then those
 * of the owner with the most bytes, the latest before the others. Bodies that are being processed
 * stay.
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
   * @param giveUp called at most once, and only while the body arrives, if its memory is needed for
   *   others
   */
  begin(caller: Caller | undefined, giveUp: (reason: ProblemError) => void): BodyShare {
    const body = new BodyShare(this, caller, giveUp);
    this.#bodies.add(body);
    return body;
  }

  /** Counts the bytes of a body, and gives up bodies if there are too many. */
  grow({ owner, hasKey }: BodyShare, bytes: number): void {
    this.#count(owner, bytes);
    // Without keys there is only one owner, and no share to reserve for others.
    if (hasKey && this.#isOver(owner)) this.#makeRoom(OWNER_IS_FULL, owner);
    if (this.#isOver()) this.#makeRoom(ALL_IS_FULL);
  }

  forget(body: BodyShare): void {
    if (this.#bodies.delete(body)) this.#count(body.owner, -body.held);
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

  #count(owner: string, bytes: number): void {
    this.#total += bytes;
    const held = this.#ownedBy(owner) + bytes;
    if (held === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, held);
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
    this.memory.grow(this, bytes);
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
