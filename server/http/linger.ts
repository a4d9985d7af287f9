/** How long a connection that ends stays open, so that its client can read the answer (RFC 9112, section 9.6): in milliseconds. */
export const LINGER_MS = 2000;
