import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';

/** The work on a request among all others: it goes on in turns. */
export interface WorkTurn {
  /** Gives the place at work to others, until `letOthersWork` is called again. */
  pause(): void;
  /** Lets others work whose turn it is. Returns a promise of the next turn, or undefined if the work may go on. */
  letOthersWork(): Promise<void> | undefined;
  /**
   * Counts an answer that waits for its reader.
   * @param bytes its bytes in memory
   * @param cutOff called if its owner has too many of them, and this one has waited longest
   * @returns the function that ends the wait
   */
  awaitReader(bytes: number, cutOff: () => void): () => void;
}

/** Waits between two slices of the work on a request, in which the event loop turns and others work. */
export async function pauseWork({ locals }: Response): Promise<void> {
  await nextTurn();
  await locals.turn?.letOthersWork();
}
