/** The default scopes of a key: full access to its owner's resources. */
export const OWNER_SCOPES = ['read', 'write', 'predict', 'ask'] as const;
/**
 * All scopes of a key; `operate` gives access to the service as a whole, and so to all owners, and `keys` to the keys
 * of the owner that can do no more.
 */
export const SCOPES = [...OWNER_SCOPES, 'operate', 'keys'] as const;
/** A permission of a key. */
export type Scope = (typeof SCOPES)[number];
