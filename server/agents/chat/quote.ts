const MAX_LENGTH = 200;
/** The most characters that are looked at: the patterns take the square of their number. */
const MAX_READ = 1000;
const ADDRESSES = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi;
const CREDENTIALS = /\b(?:bearer\s+\S+|sk-[\w*-]+)/gi;
/** White space and control characters, which could forge lines of a log. */
const BREAKS = /[\s\p{Cc}]+/gu;

/**
 * Returns the words of a chat server as a part of a message: one line of up to 200 characters,
 * without addresses, credentials and the key.
 */
export function quote(words: string, key: string | undefined): string {
  const beginning = cut(words);
  const withoutKey = key ? beginning.replaceAll(key, '…') : beginning;
  const line = withoutKey
    .replace(CREDENTIALS, '…')
    .replace(ADDRESSES, '…')
    .replace(BREAKS, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/** Cuts a text between two words, lest a part of a key or of an address is not recognised. */
function cut(words: string): string {
  if (words.length <= MAX_READ) return words;
  return words.slice(0, MAX_READ).replace(/\S+$/, '');
}
