import type { KeyLimits } from '../contract/key-limits.js';
import { SCOPES, type Scope } from '../contract/scopes.js';

/** The sender of a request. */
export interface Caller {
  /** To whom the resources belong that the caller sees and makes. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** The key that the caller showed, null where none is needed. */
  readonly key: { readonly id: string; readonly name: string } | null;
  /** The limits of that key, if it has any. */
  readonly limits?: KeyLimits;
  /** The consent of OAuth that the caller acts by, instead of the key itself, and the id of its only project. */
  readonly grant?: { readonly id: string; readonly projectId: string };
}

/** The owner of everything while there are no keys. */
export const LOCAL_OWNER = 'local';

/** Everyone who reaches a service that has no keys. */
export const LOCAL_CALLER: Caller = { owner: LOCAL_OWNER, scopes: SCOPES, key: null };
