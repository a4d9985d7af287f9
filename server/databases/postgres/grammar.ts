/**
 * The nodes of a parse tree that a query may consist of, and their fields, as in PostgreSQL's `nodes/parsenodes.h` and
 * `nodes/primnodes.h`. Fields are listed by their kind: lists of nodes, nodes, plain values, and nodes without their
 * type, which is named. All others are refused, such as `lockingClause`, `intoClause`, `ParamRef`, `CopyStmt` and those
 * of later releases. The field `withClause` is left to the code, since it decides what names mean.
 */
const NODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SelectStmt: {
    nodes: 'distinctClause targetList fromClause groupClause windowClause valuesLists sortClause',
    node: 'whereClause havingClause limitOffset limitCount',
    value: 'groupDistinct limitOption op all',
    SelectStmt: 'larg rarg',
  },
  CommonTableExpr: { nodes: 'aliascolnames', node: 'ctequery', value: 'ctename ctematerialized' },
  ResTarget: { node: 'val', value: 'name' },

  RangeVar: { value: 'schemaname relname inh relpersistence', Alias: 'alias' },
  RangeSubselect: { node: 'subquery', value: 'lateral', Alias: 'alias' },
  RangeFunction: { nodes: 'functions', value: 'lateral ordinality is_rowsfrom', Alias: 'alias' },
  JoinExpr: {
    nodes: 'usingClause',
    node: 'larg rarg quals',
    value: 'jointype isNatural rtindex',
    Alias: 'join_using_alias alias',
  },
  Alias: { nodes: 'colnames', value: 'aliasname' },

  ColumnRef: { nodes: 'fields' },
  A_Star: {},
  A_Const: { value: 'isnull', Integer: 'ival', Float: 'fval', String: 'sval', BitString: 'bsval', Boolean: 'boolval' },
  Integer: { value: 'ival' },
  Float: { value: 'fval' },
  String: { value: 'sval' },
  BitString: { value: 'bsval' },
  Boolean: { value: 'boolval' },
  List: { nodes: 'items' },

  A_Expr: { nodes: 'name', node: 'lexpr rexpr', value: 'kind' },
  BoolExpr: { nodes: 'args', value: 'boolop' },
  NullTest: { node: 'arg', value: 'nulltesttype argisrow' },
  BooleanTest: { node: 'arg', value: 'booltesttype' },
  CaseExpr: { nodes: 'args', node: 'arg defresult' },
  CaseWhen: { node: 'expr result' },
  CoalesceExpr: { nodes: 'args' },
  MinMaxExpr: { nodes: 'args', value: 'op' },
  SubLink: { nodes: 'operName', node: 'testexpr subselect', value: 'subLinkType' },
  RowExpr: { nodes: 'args', value: 'row_format' },
  A_ArrayExpr: { nodes: 'elements' },
  // Elements of arrays only: `(value).name` may call a function.
  A_Indirection: { nodes: 'indirection', node: 'arg' },
  A_Indices: { node: 'lidx uidx', value: 'is_slice' },
  CollateClause: { nodes: 'collname', node: 'arg' },
  SQLValueFunction: { value: 'op typmod' },

  TypeCast: { node: 'arg', TypeName: 'typeName' },
  TypeName: { nodes: 'names typmods arrayBounds', value: 'typemod' },

  FuncCall: {
    nodes: 'funcname args agg_order',
    node: 'agg_filter',
    value: 'agg_within_group agg_star agg_distinct func_variadic funcformat',
    WindowDef: 'over',
  },
  NamedArgExpr: { node: 'arg', value: 'name argnumber' },
  WindowDef: {
    nodes: 'partitionClause orderClause',
    node: 'startOffset endOffset',
    value: 'name refname frameOptions',
  },
  SortBy: { nodes: 'useOp', node: 'node', value: 'sortby_dir sortby_nulls' },
  GroupingSet: { nodes: 'content', value: 'kind' },
  GroupingFunc: { nodes: 'args' },
};

export const GRAMMAR: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(NODES).map(([type, kinds]) => {
    const fields = Object.entries(kinds).flatMap(([kind, names]) =>
      names.split(' ').map((name) => [name, kind] as const),
    );
    return [type, new Map(fields)];
  }),
);

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

/** The names of functions that have no effects if they are called by the name of a column, with one argument. */
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
