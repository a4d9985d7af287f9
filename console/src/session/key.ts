import { signal } from './signal.js';

const KEPT_AS = 'roster-key';

/** The key of this session, or '' without one. It is in memory, and in the tab's storage if asked. */
export const key = signal(sessionStorage.getItem(KEPT_AS) ?? '');

/** Whether the service has refused a request for want of a valid key, and its words for it. */
export const keyRefusal = signal<string | null>(null);

/**
 * Uses a key for all further requests.
 * @param isKept whether the tab keeps it until it is closed; otherwise it is gone with the page
 */
export function setKey(value: string, isKept: boolean): void {
  if (isKept && value) sessionStorage.setItem(KEPT_AS, value);
  else sessionStorage.removeItem(KEPT_AS);
  keyRefusal.set(null);
  key.set(value);
}
