/** The scopes of a key for which none is named: everything that concerns its owner's resources. */
export const OWNER_SCOPES = ['read', 'write', 'predict'] as const;
/** All scopes of a key; `operate` concerns the service as a whole, and so all owners. */
export const SCOPES = [...OWNER_SCOPES, 'operate'] as const;
/** One thing that a key allows its caller to do. */
export type Scope = (typeof SCOPES)[number];
