import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';

/** A request's slot among those that work at once. */
export interface WorkSlot {
  /** Gives the slot to other requests, until `letOthersWork` is called again. */
  pause(): void;
  /**
   * Lets other requests work. Returns a promise of the next slot, or undefined if this request may
   * continue.
   */
  letOthersWork(): Promise<void> | undefined;
  /**
   * Counts a response that waits for its reader.
   * @param bytes the bytes of the response in memory
   * @param cutOff called if its owner has too many such bytes, and this response has waited longest
   * @returns the function that ends the wait
   */
  trackBackpressure(bytes: number, cutOff: () => void): () => void;
}

/** Yields between two slices of the work on a request, to the event loop and to other requests. */
export async function pauseWork({ locals }: Response): Promise<void> {
  await nextTurn();
  await locals.slot?.letOthersWork();
}
