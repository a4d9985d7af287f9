/** Exports for a page that shows a table before it is sent: how cells and names are read. */

export { wilson } from './intervals/statistics.js';
export { withoutFormula } from './io/csv/csv-field.js';
export { NearestName } from './rows/nearest-name.js';
export { type OutlierCheck, outlierChecks } from './rows/outlier-checks.js';
export { cellText, groupText, textReader } from './table/cells.js';
export { nameIndex } from './table/column-names.js';
export {
  findDelimiter,
  findHeaderLine,
  findWidth,
  MAX_HEADER_LINE,
  MAX_LOOKED_AT,
} from './table/header-line.js';
export { parseNumber } from './table/parse-number.js';
export {
  type ColumnReading,
  ISO_DATES,
  PLAIN_NUMBERS,
  type ShownReading,
  shownReading,
} from './table/reading/column-reading.js';
export { createReader } from './table/reading/create-reader.js';
export { readDateText } from './table/reading/date-forms.js';
export { readClearNumber, readNumberText } from './table/reading/number-forms.js';
export { nameSeason } from './table/season-name.js';
