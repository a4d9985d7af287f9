import { signal } from './signal.js';

/** The time in which a deletion can be undone, in milliseconds. */
const UNDO_MS = 10_000;

/** A deletion that has not been sent yet, or was refused. */
export interface Deletion {
  /** The thing that is deleted, such as "the model prices". */
  readonly what: string;
  readonly id: string;
  /** Null until the service has refused it. */
  readonly error: unknown;
}

/** The latest deletion while it can be undone, or after it was refused; null without one. */
export const deletion = signal<Deletion | null>(null);

/** The ids of what is deleted, or will be: lists leave them out. */
export const deleted = signal<ReadonlySet<string>>(new Set());

let send: (() => void) | undefined;

/** Settled when no deletion is on its way. */
let sent: Promise<unknown> = Promise.resolve();

/** Sends a deletion that can still be undone, and waits for it: a new model may have the name of the deleted one. */
export function finishDeletion(): Promise<unknown> {
  send?.();
  return sent;
}

// A page that is left sends what it has put off.
addEventListener('pagehide', () => send?.());

/**
 * Deletes something after ten seconds, when the next deletion begins, or when the page is left.
 * @param remove sends the deletion, also from a page that is being left
 */
export function deleteLater(what: string, id: string, remove: () => Promise<void>): void {
  send?.();
  const sendNow = () => {
    clearTimeout(timer);
    if (send === sendNow) send = undefined;
    if (deletion.get()?.id === id) deletion.set(null);
    sent = remove().catch((error: unknown) => {
      restore(id);
      deletion.set({ what, id, error });
    });
  };
  const timer = setTimeout(sendNow, UNDO_MS);
  send = sendNow;
  undoLatest = () => {
    clearTimeout(timer);
    send = undefined;
    restore(id);
    deletion.set(null);
  };
  deleted.set(new Set([...deleted.get(), id]));
  deletion.set({ what, id, error: null });
}

let undoLatest = () => {};

/** Takes back the latest deletion, which has not been sent yet. */
export function undoDeletion(): void {
  undoLatest();
}

function restore(id: string): void {
  deleted.set(new Set([...deleted.get()].filter((other) => other !== id)));
}
