/** Exports for what looks at the text of a caller before it is parsed or shown. */

export { beginningOf, cutText } from './text/cut-text.js';
export { editDistance } from './text/edit-distance.js';
export {
  BYTE,
  endOfString,
  MAX_NESTING,
  nestsDeeperThan,
  type ScanLimits,
  skipBlanks,
  someChild,
  ValueScan,
} from './text/json.js';
