import type { MessageRow, NewReply, ReplyClaim, Store, WriteTarget } from '../../store/index.js';

/** The time after which the conversation of a silent instance can be taken over, in milliseconds. */
export const LEASE_MS = 10_000;

/** The interval at which an instance renews its claims, in milliseconds. */
const RENEW_EVERY_MS = 2_500;

/**
 * Renews the claims of the replies that this instance prepares. One write renews them all, so that
 * many conversations cost the store no more than one.
 */
export class Claims {
  readonly #held = new Set<string>();
  #clock: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(private readonly store: Store) {}

  /**
   * Holds a claim until its reply is stored or it is released, at the latest when the signal is
   * aborted.
   */
  hold(claim: ReplyClaim, signal: AbortSignal): HeldClaim {
    this.#held.add(claim.id);
    this.#clock ??= setInterval(() => {
      this.#renewing ??= this.#renew();
    }, RENEW_EVERY_MS).unref();
    return new HeldClaim(this.store, claim, signal, () => this.#end(claim));
  }

  #end({ id }: ReplyClaim): void {
    this.#held.delete(id);
    if (this.#held.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  async #renew(): Promise<void> {
    try {
      await this.store.replies.renew([...this.#held], LEASE_MS);
    } catch {
      // The lease outlasts several attempts. A reply whose claim is lost is not stored.
    } finally {
      this.#renewing = undefined;
    }
  }
}

/** A claim that is renewed. */
export class HeldClaim {
  #released: Promise<void> | undefined;

  constructor(
    private readonly store: Store,
    private readonly claim: ReplyClaim,
    private readonly signal: AbortSignal,
    private readonly endRenewal: () => void,
  ) {
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /** Gives the conversation free; without effect if it is already free. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /**
   * Stores the reply, and gives the conversation free in every case.
   * @throws {ClaimLostError} if the conversation was deleted or is no longer claimed
   * @throws {LimitReachedError} if the owner would exceed a limit
   */
  async keep(target: WriteTarget, reply: NewReply): Promise<MessageRow> {
    try {
      const kept = await this.store.transaction(
        (tx) => tx.replies.keep(target.owner, this.claim, reply),
        target,
      );
      this.#released ??= Promise.resolve();
      return kept;
    } catch (error) {
      await this.release();
      throw error;
    } finally {
      this.#end();
    }
  }

  readonly #onAbort = () => void this.release();

  async #release(): Promise<void> {
    this.#end();
    try {
      await this.store.replies.release(this.claim);
    } catch {
      // A store that does not respond now frees the conversation when the lease runs out.
    }
  }

  #end(): void {
    this.endRenewal();
    this.signal.removeEventListener('abort', this.#onAbort);
  }
}
