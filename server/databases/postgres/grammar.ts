/** The kind of a field: a plain value, a node, a list of nodes, or a node without its type. */
export type Field = 'value' | 'node' | 'nodes' | { readonly embedded: string };

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
