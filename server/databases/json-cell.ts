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

function measureDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
