import { deepCell } from './query-error.js';

/** The deepest nesting of a JSON cell: `JSON.stringify` overflows the stack at some thousands. */
const MAX_DEPTH = 100;

/**
 * Reads a cell that contains JSON.
 * @param cell the cell, for the message
 * @throws {ProblemError} if it is nested too deeply
 */
export function readJsonCell(text: string, cell: Parameters<typeof deepCell>[0]): unknown {
  if (measureDepth(text) <= MAX_DEPTH) return JSON.parse(text);
  throw deepCell(cell, MAX_DEPTH);
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((text) => text.charCodeAt(0));
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = ['[', ']', '{', '}'].map((text) => text.charCodeAt(0));

/** Makes no object for each bracket: on the main loop, a row may have a million of them. */
function measureDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isText = !isText;
    else if (isText) at += code === BACKSLASH ? 1 : 0;
    else if (code === ARRAY || code === OBJECT) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (code === ARRAY_END || code === OBJECT_END) depth -= 1;
  }
  return deepest;
}
