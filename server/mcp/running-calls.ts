/** Cancels calls of tools, on whichever instance they run. */

import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Caller } from '../auth/caller.js';
import type { Store } from '../store/index.js';
import { deleteCall, findCancelled, isShared, markCancelled, noteCall } from '../store/running-calls.js';

/** Identifies a call: requests of one client have different ids. */
export interface CallId {
  readonly caller: Caller;
  /** The session that the client names; undefined if it names none. */
  readonly session: string | undefined;
  readonly request: string | number;
}

/** The client has cancelled a call, and expects no answer to it. */
export class CallCancelled extends Error {
  override readonly name = 'CallCancelled';
}

/** The time between two looks for calls that another instance was asked to cancel, in milliseconds. */
const LOOK_MS = 300;

interface Running {
  readonly abort: AbortController;
  /** The id of its note in the store; undefined until there is one. */
  note?: string;
}

/**
 * The calls that run on this instance. Where several instances share a store, each call has a note in it: an instance
 * that is asked to cancel a call marks its note, and the one that runs it looks for marks.
 */
export class RunningCalls {
  readonly #calls = new Map<string, Set<Running>>();
  #clock: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(
    private readonly store: Store,
    private readonly log: Logger,
  ) {}

  /**
   * Runs a call that can be cancelled.
   * @param work gets a signal that is aborted with `CallCancelled`, or with the reason of the one that is given
   */
  async run<T>(id: CallId, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const name = nameOf(id);
    const call: Running = { abort: new AbortController() };
    const others = this.#calls.get(name) ?? new Set();
    this.#calls.set(name, others.add(call));
    try {
      if (isShared(this.store)) {
        call.note = await noteCall(this.store, name);
        this.#clock ??= setInterval(() => void this.#look(), LOOK_MS);
      }
      return await work(AbortSignal.any([signal, call.abort.signal]));
    } finally {
      others.delete(call);
      if (others.size === 0) this.#calls.delete(name);
      if (this.#calls.size === 0) this.#rest();
      if (call.note !== undefined) this.#forget(call.note);
    }
  }

  /** Cancels what a client names; does nothing if it does not run, or is of another caller. */
  async cancel(id: CallId): Promise<void> {
    const name = nameOf(id);
    for (const { abort } of this.#calls.get(name) ?? []) abort.abort(new CallCancelled());
    if (isShared(this.store)) await markCancelled(this.store, name);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const calls = [...this.#calls.values()].flatMap((some) => [...some]);
      const noted = new Map(calls.flatMap(({ note, abort }) => (note === undefined ? [] : [[note, abort] as const])));
      if (noted.size === 0) return;
      for (const note of await findCancelled(this.store, [...noted.keys()])) {
        noted.get(note)?.abort(new CallCancelled());
      }
    } catch (error) {
      this.log.warn({ err: error }, 'cancelled calls are not looked for');
    } finally {
      this.#isLooking = false;
    }
  }

  #rest(): void {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #forget(note: string): void {
    deleteCall(this.store, note).catch((error: unknown) => {
      this.log.warn({ err: error }, 'the note of a call stays until it is old');
    });
  }
}

/** Returns a name that is short, whatever a client sends. Tokens of one key are of different clients. */
function nameOf({ caller, session = '', request }: CallId): string {
  return hash('sha256', JSON.stringify([caller.id, caller.grant?.id, session, request]));
}
