/** The file types that a table can have, as in the attribute `accept`. */
export const TABLE_TYPES = '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain';
