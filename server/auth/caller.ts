import { OWNER_SCOPES, type Scope } from '../../contract/scopes.js';
import type { Act } from '../store/audit.js';
import type { KeyLimits } from '../store/key-limits.js';

/** The sender of a request. */
export interface Caller {
  /** By which the uses of a key or an identity are counted; null for the local caller, and for none. */
  readonly id: string | null;
  /** The owner of the resources that the caller sees and makes. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** The key that the caller showed; null for an identity, and where none is needed. */
  readonly key: { readonly id: string; readonly name: string } | null;
  /** The limits of that key or of the identity, if it has any. */
  readonly limits?: KeyLimits;
  /** The only project that the caller sees; all of the owner if it is left out. */
  readonly projectId?: string;
  /** The consent of OAuth that the caller acts by, instead of the key itself, and the hash of the access token. */
  readonly grant?: { readonly id: string; readonly hash: string };
  /** The user or the machine that a token of the OIDC issuer names. */
  readonly identity?: Identity;
  /** The event of a request that may write, for the audit log. */
  readonly act?: Act;
}

/** The projects that a caller sees. */
export type Reach = Pick<Caller, 'owner' | 'projectId'>;

/** Returns whether a caller sees a project of the owner. */
export function seesProject({ projectId }: Reach, id: string): boolean {
  return projectId === undefined || projectId === id;
}

/** A user or machine that the OIDC issuer knows. */
export interface Identity {
  /** The name that the issuer gives to nobody else: the claim `sub`. */
  readonly subject: string;
  /** The end of the token that was shown: milliseconds since 1970. */
  readonly until: number;
  /** The digest of the key of the issuer that has signed the token. */
  readonly signedBy: string;
}

/** The owner of everything while there are no keys. */
export const LOCAL_OWNER = 'local';

/** Everyone who reaches a service that has no keys; its first key, which closes it, is made by a command. */
export const LOCAL_CALLER: Caller = { id: null, owner: LOCAL_OWNER, scopes: [...OWNER_SCOPES, 'operate'], key: null };

/** A token of the OIDC issuer is refused; the message says why, and shows nothing that its holder does not know. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

const MAX_NAME_LENGTH = 100;

/** Control characters, and others that a terminal hides or replaces. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

export const OWNER_FORM = `1 to ${MAX_NAME_LENGTH} visible characters, without spaces at either end`;

/** Returns whether a text can be the name of an owner, or of a key. */
export function isOwnerName(text: string): boolean {
  // A longer text is not taken apart.
  if (text === '' || text.length > 2 * MAX_NAME_LENGTH) return false;
  return [...text].length <= MAX_NAME_LENGTH && !INVISIBLE.test(text) && text === text.trim();
}
