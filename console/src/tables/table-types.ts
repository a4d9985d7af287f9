/** The file types of CSV, as in the attribute `accept`. */
const CSV_TYPES = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain';

/** The file types that a table to train with can have. */
export const TABLE_TYPES = `${CSV_TYPES},.json,.jsonl,.ndjson,.xlsx,.parquet,.arrow,.arrows,.feather`;

/** The tables to train with, and what becomes of one that is chosen. */
export const TABLE_HINT =
  'CSV, Excel, JSON, JSON lines, Parquet or Arrow, with at least 50 rows. The service reads its beginning when you choose it, and keeps nothing before you start the training.';
