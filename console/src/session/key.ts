import { signal } from './signal.js';

const STORAGE_NAME = 'roster-key';

/** The key of this session, or '' without one. It is in memory, and in the tab's storage if asked. */
export const key = signal(storage()?.getItem(STORAGE_NAME) ?? '');

/** The reason why the service refused a request without a valid key; null if it did not. */
export const keyRefusal = signal<string | null>(null);

/**
 * Uses a key for all further requests.
 * @param isKept whether the tab keeps it until it is closed; otherwise it is gone with the page
 */
export function setKey(value: string, isKept: boolean): void {
  if (isKept && value) storage()?.setItem(STORAGE_NAME, value);
  else storage()?.removeItem(STORAGE_NAME);
  keyRefusal.set(null);
  key.set(value);
}

/** Returns the tab's storage, or undefined where the browser blocks it; the key is then in memory alone. */
function storage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
