/**
 * The functions of SQLite that a query may call. They compute from their arguments alone, or from
 * the rows and the clock.
 */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  [
    // https://sqlite.org/lang_corefunc.html
    'abs char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood',
    'likely lower ltrim max min nullif octet_length printf quote random replace round rtrim sign',
    'soundex substr substring trim typeof unhex unicode unistr unlikely upper',
    // https://sqlite.org/lang_mathfunc.html
    'acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10',
    'log2 mod pi pow power radians sin sinh sqrt tan tanh trunc',
    // https://sqlite.org/lang_datefunc.html
    'current_date current_time current_timestamp date datetime julianday strftime time timediff',
    'unixepoch',
    // https://sqlite.org/lang_aggfunc.html and https://sqlite.org/percentile.html
    'avg count group_concat median percentile percentile_cont percentile_disc string_agg sum total',
    // https://sqlite.org/windowfunctions.html
    'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank',
    'row_number',
    // https://sqlite.org/json1.html
    '-> ->> json json_array json_array_length json_extract json_group_array json_group_object',
    'json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set',
    'json_type json_valid',
    // https://sqlite.org/fts5.html
    'bm25 highlight match snippet',
  ].flatMap((line) => line.split(' ')),
);

/** The table-valued functions that a query may call. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['json_each', 'json_tree']);
