import { hash } from 'node:crypto';

/** How it is known whether a contract is the one that was generated from: its SHA-256, in hexadecimal. */
export function digestOf(source: string): string {
  return hash('sha256', source);
}
