import { hash } from 'node:crypto';

/**
 * Returns the SHA-256 of a contract in hexadecimal, to compare it with the one used for code
 * generation.
 */
export function digestOf(source: string): string {
  return hash('sha256', source);
}
