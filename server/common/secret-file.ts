import { readFileSync } from 'node:fs';

/** The usual time for which a secret that was read from its file is used, in milliseconds. */
const FRESH_MS = 5000;

/**
 * Reads a secret from a file. One newline at the end is not part of it, as editors and `echo` write one.
 * @param variable the setting that names the file, for the message
 * @throws if the file cannot be read, or is empty; the message is one line
 */
export function readSecret(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
    const reason = isFolder ? 'which is a folder' : 'which cannot be read';
    throw new Error(`${variable} must name a file with the secret, not "${file}", ${reason}`);
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new Error(`${variable} names "${file}", which is empty`);
  return secret;
}

/**
 * Returns a function that gives the secret of a file, so that it can be changed without a restart. The file is read
 * again after some seconds. While it cannot be read or its text is malformed, the last secret stays.
 * @param secret the secret as it was read at first
 * @param freshMs the time for which a secret that was read is used, in milliseconds
 */
export function followSecret(
  file: string,
  secret: string,
  isWellFormed: (secret: string) => boolean,
  freshMs = FRESH_MS,
): () => string {
  let last = secret;
  let readAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - readAt < freshMs) return last;
    readAt = now;
    try {
      const found = readSecret('', file);
      if (isWellFormed(found)) last = found;
    } catch {
      // It is being replaced, or was taken away: the server refuses the last one if it no longer holds.
    }
    return last;
  };
}
