/** Exports for a page that shows a table before it is sent: how cells and names are read. */

export { wilson } from './intervals/statistics.js';
export { NearestName } from './serving/nearest-name.js';
export { cellText, parseDate, parseNumber } from './table/cells.js';
export { PARSING_SHARE } from './table/column.js';
export { nameIndex } from './table/column-names.js';
export {
  findDelimiter,
  findHeaderLine,
  findWidth,
  MAX_HEADER_LINE,
  MAX_LOOKED_AT,
} from './table/header-line.js';
export { createReader, detectNumberFormat } from './table/number-formats.js';
