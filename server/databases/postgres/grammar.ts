/** The kind of a field: a plain value, a node, a list of nodes, or a node without its type. */
type Field = 'value' | 'node' | 'nodes' | { readonly embedded: string };

const SELECT = { embedded: 'SelectStmt' };
const TYPE = { embedded: 'TypeName' };
const ALIAS = { embedded: 'Alias' };
const WINDOW = { embedded: 'WindowDef' };

/**
 * The nodes of a parse tree, and their fields, that a query may consist of, as in PostgreSQL's
 * `nodes/parsenodes.h` and `nodes/primnodes.h`. All others are refused, such as `lockingClause`,
 * `intoClause`, `ParamRef`, `CopyStmt` and those of later releases. The field `withClause` is left to
 * the code, since it decides what names mean.
 */
export const GRAMMAR: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  SelectStmt: {
    distinctClause: 'nodes',
    targetList: 'nodes',
    fromClause: 'nodes',
    whereClause: 'node',
    groupClause: 'nodes',
    groupDistinct: 'value',
    havingClause: 'node',
    windowClause: 'nodes',
    valuesLists: 'nodes',
    sortClause: 'nodes',
    limitOffset: 'node',
    limitCount: 'node',
    limitOption: 'value',
    op: 'value',
    all: 'value',
    larg: SELECT,
    rarg: SELECT,
  },
  CommonTableExpr: {
    ctename: 'value',
    aliascolnames: 'nodes',
    ctematerialized: 'value',
    ctequery: 'node',
  },
  ResTarget: { name: 'value', val: 'node' },

  RangeVar: {
    schemaname: 'value',
    relname: 'value',
    inh: 'value',
    relpersistence: 'value',
    alias: ALIAS,
  },
  RangeSubselect: { lateral: 'value', subquery: 'node', alias: ALIAS },
  RangeFunction: {
    lateral: 'value',
    ordinality: 'value',
    is_rowsfrom: 'value',
    functions: 'nodes',
    alias: ALIAS,
  },
  JoinExpr: {
    jointype: 'value',
    isNatural: 'value',
    larg: 'node',
    rarg: 'node',
    usingClause: 'nodes',
    join_using_alias: ALIAS,
    quals: 'node',
    alias: ALIAS,
    rtindex: 'value',
  },
  Alias: { aliasname: 'value', colnames: 'nodes' },

  ColumnRef: { fields: 'nodes' },
  A_Star: {},
  A_Const: {
    ival: { embedded: 'Integer' },
    fval: { embedded: 'Float' },
    sval: { embedded: 'String' },
    bsval: { embedded: 'BitString' },
    boolval: { embedded: 'Boolean' },
    isnull: 'value',
  },
  Integer: { ival: 'value' },
  Float: { fval: 'value' },
  String: { sval: 'value' },
  BitString: { bsval: 'value' },
  Boolean: { boolval: 'value' },
  List: { items: 'nodes' },

  A_Expr: { kind: 'value', name: 'nodes', lexpr: 'node', rexpr: 'node' },
  BoolExpr: { boolop: 'value', args: 'nodes' },
  NullTest: { arg: 'node', nulltesttype: 'value', argisrow: 'value' },
  BooleanTest: { arg: 'node', booltesttype: 'value' },
  CaseExpr: { arg: 'node', args: 'nodes', defresult: 'node' },
  CaseWhen: { expr: 'node', result: 'node' },
  CoalesceExpr: { args: 'nodes' },
  MinMaxExpr: { op: 'value', args: 'nodes' },
  SubLink: { subLinkType: 'value', testexpr: 'node', operName: 'nodes', subselect: 'node' },
  RowExpr: { args: 'nodes', row_format: 'value' },
  A_ArrayExpr: { elements: 'nodes' },
  // Elements of arrays only: `(value).name` may call a function.
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { is_slice: 'value', lidx: 'node', uidx: 'node' },
  CollateClause: { arg: 'node', collname: 'nodes' },
  SQLValueFunction: { op: 'value', typmod: 'value' },

  TypeCast: { arg: 'node', typeName: TYPE },
  TypeName: { names: 'nodes', typemod: 'value', typmods: 'nodes', arrayBounds: 'nodes' },

  FuncCall: {
    funcname: 'nodes',
    args: 'nodes',
    agg_order: 'nodes',
    agg_filter: 'node',
    over: WINDOW,
    agg_within_group: 'value',
    agg_star: 'value',
    agg_distinct: 'value',
    func_variadic: 'value',
    funcformat: 'value',
  },
  NamedArgExpr: { arg: 'node', name: 'value', argnumber: 'value' },
  WindowDef: {
    name: 'value',
    refname: 'value',
    partitionClause: 'nodes',
    orderClause: 'nodes',
    frameOptions: 'value',
    startOffset: 'node',
    endOffset: 'node',
  },
  SortBy: { node: 'node', sortby_dir: 'value', sortby_nulls: 'value', useOp: 'nodes' },
  GroupingSet: { kind: 'value', content: 'nodes' },
  GroupingFunc: { args: 'nodes' },
};

/** Names the SQL of refused fields and nodes. */
export const NAMES: Readonly<Record<string, string>> = {
  intoClause: 'SELECT INTO',
  lockingClause: 'a lock such as FOR UPDATE',
  catalogname: 'the name of a database before a table',
  coldeflist: 'a list of column definitions',
  ParamRef: 'a parameter such as $1',
  RangeTableSample: 'TABLESAMPLE',
  RangeTableFunc: 'XMLTABLE',
  JsonTable: 'JSON_TABLE',
  search_clause: 'SEARCH',
  cycle_clause: 'CYCLE',
  setof: 'SETOF',
  pct_type: '%TYPE',
};

/** The functions of PostgreSQL's schema `pg_catalog` that a query may call: they have no effects. */
export const FUNCTIONS: ReadonlySet<string> = words(
  // Aggregates and windows
  'any_value array_agg avg bool_and bool_or corr count covar_pop covar_samp every json_agg',
  'json_object_agg jsonb_agg jsonb_object_agg max min mode percentile_cont percentile_disc',
  'regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy',
  'stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance',
  'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank',
  'row_number',
  // Numbers
  'abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees div exp floor',
  'gcd lcm ln log log10 mod pi pow power radians random round scale sign sin sinh sqrt tan tanh',
  'trim_scale trunc width_bucket',
  // Text. No lpad, repeat and format: a short call of them makes a text of a gigabyte.
  'ascii bit_length btrim char_length character_length chr concat concat_ws initcap left length',
  'like_escape lower ltrim md5 normalize octet_length overlay position quote_ident quote_literal',
  'quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches',
  'regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr replace reverse right',
  'rtrim similar_to_escape split_part starts_with string_to_array string_to_table strpos substr',
  'substring to_char to_number translate upper encode decode',
  // Dates and times
  'age clock_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite',
  'justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp',
  'make_timestamptz now overlaps statement_timestamp timezone to_date to_timestamp',
  'transaction_timestamp',
  // JSON
  'json_array_elements json_array_elements_text json_array_length json_build_array',
  'json_build_object json_each json_each_text json_extract_path json_extract_path_text',
  'json_object_keys json_strip_nulls json_typeof jsonb_array_elements jsonb_array_elements_text',
  'jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text',
  'jsonb_extract_path jsonb_extract_path_text jsonb_object_keys jsonb_path_exists',
  'jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty',
  'jsonb_strip_nulls jsonb_typeof row_to_json to_json to_jsonb',
  // Arrays, series and ranges
  'array_append array_cat array_length array_lower array_ndims array_position array_positions',
  'array_prepend array_remove array_replace array_to_json array_to_string array_upper cardinality',
  'generate_series generate_subscripts unnest isempty lower_inc lower_inf upper_inc upper_inf',
  // Full-text search
  'numnode plainto_tsquery phraseto_tsquery to_tsquery to_tsvector ts_headline ts_rank ts_rank_cd',
  'websearch_to_tsquery',
  // Others
  'num_nonnulls num_nulls pg_typeof',
  // Conversions and properties, which are often names of columns too
  'abbrev area bool box bpchar center char cidr circle date diameter family float4 float8 height',
  'host hostmask int2 int4 int8 interval isclosed isopen macaddr money name netmask network npoints',
  'numeric oid path point polygon radius strip text time timestamp timestamptz timetz varchar width',
);

/**
 * The names of functions that have no effects if they are called by the name of a column, with one
 * argument.
 */
export const COLUMN_FUNCTIONS: ReadonlySet<string> = words('bernoulli broadcast format system');

/** The types of PostgreSQL's schema `pg_catalog` to which a query may cast. */
export const TYPES: ReadonlySet<string> = words(
  'bit bool box bpchar bytea char cidr circle date float4 float8 inet int2 int4 int8 interval json',
  'jsonb jsonpath line lseg macaddr macaddr8 money name numeric path point polygon text time',
  'timestamp timestamptz timetz tsquery tsvector uuid varbit varchar',
  'daterange int4range int8range numrange tsrange tstzrange',
);

/** The values that a query may ask for by a keyword; not those of users, schemas and databases. */
export const SQL_VALUES: ReadonlySet<string> = words(
  'SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP',
  'SVFOP_CURRENT_TIMESTAMP_N SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP',
  'SVFOP_LOCALTIMESTAMP_N',
);

function words(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}
