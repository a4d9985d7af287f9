/** The file types of CSV, as in the attribute `accept`. */
const CSV_TYPES = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain';

/** The file types that a table to train with can have. */
export const TABLE_TYPES = `${CSV_TYPES},.json,.jsonl,.ndjson,.xlsx,.parquet,.arrow,.arrows,.feather`;
