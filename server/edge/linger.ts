/**
 * The time for which a closing connection stays open so that the client can read the response (RFC
 * 9112, section 9.6), in milliseconds.
 */
export const LINGER_MS = 2000;
