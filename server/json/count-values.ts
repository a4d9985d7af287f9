const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * Whether a JSON text holds more than so many values, told by what stands between them, before it is
 * parsed. Most of what parsing takes goes by the number of values, most of all by that of different names.
 */
export function holdsMoreValuesThan(most: number, text: string): boolean {
  // Each value but the last has a character of its own and one that parts it from the next.
  if (text.length <= 2 * most) return false;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
    } else if (
      character === COMMA ||
      character === OPENING_BRACKET ||
      character === OPENING_BRACE
    ) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}

/** Where the string ends that begins at a quote; the end of the text, if it does not. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
