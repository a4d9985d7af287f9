import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';

/** A request's turn to work, shared with other requests. */
export interface WorkTurn {
  /** Gives the turn to other requests, until `letOthersWork` is called again. */
  pause(): void;
  /**
   * Lets other requests work. Returns a promise of the next turn, or undefined if this request may
   * continue.
   */
  letOthersWork(): Promise<void> | undefined;
  /**
   * Counts a response that waits for its reader.
   * @param bytes the bytes of the response in memory
   * @param cutOff called if its owner has too many such bytes, and this response has waited longest
   * @returns the function that ends the wait
   */
  awaitReader(bytes: number, cutOff: () => void): () => void;
}

/** Yields between two slices of the work on a request, to the event loop and to other requests. */
export async function pauseWork({ locals }: Response): Promise<void> {
  await nextTurn();
  await locals.turn?.letOthersWork();
}
