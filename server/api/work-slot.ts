import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { FairGate } from '../common/fair-gate.js';
import type { SendBufferLimit } from '../edge/responses.js';

/**
 * The longest time that a request keeps its slot, in milliseconds. A longer one usually waits for
 * a slow sender or reader, and does not use the processor.
 */
const MAX_WORK_MS = 1_000;

/**
 * The slot of a request. The work on it proceeds only with one, which it has until it ends, waits for
 * its reader, or exceeds the time limit.
 */
export class WorkSlot {
  #clock: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(
    private readonly gate: FairGate,
    private readonly owner: string,
    private readonly unread: SendBufferLimit,
  ) {}

  /** Takes the slot that the gate offers. Returns whether the work continues. */
  begin(): boolean {
    if (this.#hasEnded) this.gate.leave(this.owner);
    else this.#clock = setTimeout(pauseSlot, MAX_WORK_MS, this);
    return !this.#hasEnded;
  }

  /** Gives the slot to other requests, until `letOthersWork` is called again. */
  pause(): void {
    if (!this.#clock) return;
    clearTimeout(this.#clock);
    this.#clock = undefined;
    this.gate.leave(this.owner);
  }

  /**
   * Counts a response that waits for its reader.
   * @param bytes the bytes of the response in memory
   * @param cutOff called if its owner has too many such bytes, and this response has waited longest
   * @returns the function that ends the wait
   */
  trackBackpressure(bytes: number, cutOff: () => void): () => void {
    return this.unread.add(this.owner, bytes, cutOff);
  }

  end(): void {
    this.#hasEnded = true;
    this.pause();
  }

  /**
   * Lets other requests work. Returns a promise of the next slot, or undefined if this request may
   * continue.
   */
  letOthersWork(): Promise<void> | undefined {
    const { gate, owner } = this;
    const hadSlot = this.#clock !== undefined;
    if (this.#hasEnded || (hadSlot && !gate.othersWait(owner))) return undefined;
    return new Promise((resolve) => {
      const goOn = () => {
        this.begin();
        resolve();
      };
      clearTimeout(this.#clock);
      this.#clock = undefined;
      if (hadSlot) gate.requeue(owner, soon(goOn));
      else if (gate.tryEnter(owner)) goOn();
      else gate.enqueue(owner, soon(goOn));
    });
  }
}

function pauseSlot(slot: WorkSlot): void {
  slot.pause();
}

/**
 * Yields to the event loop before the next request begins, so that new connections are accepted however many
 * wait.
 */
export function soon(begin: () => void): () => void {
  return () => void setImmediate(begin);
}

/** Yields between two slices of the work on a request, to the event loop and to other requests. */
export async function pauseWork({ locals }: Response): Promise<void> {
  await nextTurn();
  await locals.slot?.letOthersWork();
}
