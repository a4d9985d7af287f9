/** Exports for programs that write Arrow streams and read the answers to them. */

export { BatchBody, batchMessage, dictionaryMessage, endOfStream, schemaMessage } from './io/arrow/message-bytes.js';
export { type ArrowValues, readArrowColumns } from './io/arrow/read-columns.js';
export { type ArrowType, BOOL, type Field, FLOAT64, INT32, param, TypeId, UTF8 } from './io/arrow/schema.js';
export { columnName } from './table/column-names.js';
