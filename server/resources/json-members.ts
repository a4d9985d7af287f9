/**
 * Returns the members of a JSON object, each with its key and its value as unparsed JSON.
 * @param json an object as `JSON.stringify` writes it, without white space
 */
export function jsonMembers(json: string): [key: string, value: string][] {
  const members: [string, string][] = [];
  let at = 1;
  while (at < json.length - 1) {
    const colon = endOfString(json, at);
    const end = endOfValue(json, colon + 1);
    members.push([JSON.parse(json.slice(at, colon)), json.slice(colon + 1, end)]);
    at = end + 1;
  }
  return members;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Returns the end of a value: the comma after it, or the end of the surrounding object. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (OPENING.has(code)) depth += 1;
    else if (depth === 0 && (code === COMMA || CLOSING.has(code))) return at;
    else if (CLOSING.has(code)) depth -= 1;
    at += 1;
  }
}

/** Returns the end of the string that begins at `start`, after its closing quote. */
function endOfString(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
