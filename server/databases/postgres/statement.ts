import { parse, SqlError } from 'libpg-query';
import { asArray } from '../../../contract/json-record.js';
import type { ProblemError } from '../../problems/problem.js';
import type { TableName } from '../names.js';
import { databaseMessage, forbiddenFunction, onlyOneSelect, queryError, readOnly } from '../query-error.js';
import { FUNCTIONS, GRAMMAR, NAMES, SQL_VALUES, TYPES } from './grammar.js';

const MAX_DEPTH = 500;

export type StatementNames = Statement['names'];

/** A SELECT that passed all checks which need no database. */
export interface ParsedSelect {
  /** The statement alone, without semicolons around it. */
  readonly sql: string;
  readonly names: StatementNames;
}

/**
 * Parses a statement by PostgreSQL's own parser.
 * @throws {ProblemError} if it is malformed, not one SELECT, or has a part that is not allowed
 * @throws {Error} if the parser failed by itself, and must not be used again
 */
export async function parseSelect(sql: string): Promise<ParsedSelect> {
  const [first, ...others] = await parseStatements(sql);
  if (!isTreeObject(first) || others.length > 0) throw onlyOneSelect();
  const start = Number(first['stmt_location'] ?? 0);
  const statement = new Statement(first['stmt'], start);
  const length = Number(first['stmt_len'] ?? 0);
  // The locations of the parser are in bytes; a length of 0 reaches to the end.
  const bytes = Buffer.from(sql).subarray(start, length === 0 ? undefined : start + length);
  return { sql: bytes.toString(), names: statement.names };
}

async function parseStatements(sql: string): Promise<readonly unknown[]> {
  // The parser throws for a text of spaces.
  if (sql.trim() === '') return [];
  try {
    const tree: unknown = await parse(sql);
    return asArray(isTreeObject(tree) ? tree['stmts'] : undefined);
  } catch (error) {
    // Everything else is a fault of the parser, after which it must not be used again.
    if (error instanceof SqlError) throw databaseMessage(error.message);
    throw error;
  }
}

/** `=` and its like are implied by `case x when y`, `join … using` and `between`, for example. */
const IMPLIED_OPERATORS = ['=', '<>', '<', '<=', '>', '>='];

/** The names of common table expressions that are visible in a part of a statement. */
type Scope = ReadonlySet<string>;

export class Statement {
  /** The tables, not the common table expressions, and where their names begin, in bytes. */
  readonly #tables = new Map<string, TableName & { readonly offsets: number[] }>();
  /** The functions that are called by a name without a schema. */
  readonly #functions = new Set<string>();
  /** The operators that are named without a schema, and those that SQL's own syntax implies. */
  readonly #operators = new Set(IMPLIED_OPERATORS);
  readonly #types = new Set<string>();
  readonly #columns = new Set<string>();
  /**
   * The last parts of names such as `orders.total`. PostgreSQL calls the function `total(orders)`
   * if there is no such column.
   */
  readonly #qualifiedColumns = new Set<string>();
  /** The columns that stand in a list by themselves. */
  readonly #listed = new Set<unknown>();
  /** The names by which the rows of tables are known. */
  readonly #rows = new Set<string>();

  /** Checks the fields of nodes by their type, and notes the names in them. */
  readonly #checks: Readonly<Record<string, (fields: TreeObject, scope: Scope) => void>> = {
    CommonTableExpr: ({ ctequery }) => {
      if (!isTreeObject(ctequery) || !('SelectStmt' in ctequery)) throw readOnly();
    },
    RangeVar: (fields, scope) => this.#noteTable(fields, scope),
    FuncCall: ({ funcname }) => this.#noteFunction(funcname),
    // In a list of columns, `o.*` stands for the columns of `o`.
    ResTarget: ({ val }) => isTreeObject(val) && this.#listed.add(val['ColumnRef']),
    ColumnRef: (fields) => this.#noteColumn(fields),
    TypeName: ({ names }) => this.#noteType(names),
    SQLValueFunction: ({ op }) => {
      if (SQL_VALUES.has(asText(op) ?? '')) return;
      throw queryError('Names of users, databases and schemas cannot be read.');
    },
    A_Expr: ({ name }) => this.#noteOperator(name),
    SubLink: ({ operName }) => this.#noteOperator(operName),
    SortBy: ({ useOp }) => this.#noteOperator(useOp),
    A_Indirection: ({ indirection }) => {
      if (asArray(indirection).every((part) => isTreeObject(part) && 'A_Indices' in part)) return;
      throw queryError('A field of a value, as in (value).field, is not allowed.');
    },
  };

  /**
   * @param tree the parse tree of one statement, as libpg-query returns it
   * @param start where the statement begins in the text that was parsed, in bytes
   * @throws {ProblemError} if it is not a SELECT, or has a part that is not allowed
   */
  constructor(
    tree: unknown,
    private readonly start: number,
  ) {
    if (!isTreeObject(tree)) throw onlyOneSelect();
    if (!('SelectStmt' in tree)) throw readOnly();
    this.#node(tree, new Set(), 0);
  }

  /** The names in the statement whose meaning the database decides. */
  get names() {
    return {
      tables: [...this.#tables.values()],
      functions: [...this.#functions],
      operators: [...this.#operators],
      types: [...this.#types],
      qualifiedColumns: [...this.#qualifiedColumns],
      // True if it may use a row of a table as one value, as in `select o from orders o`.
      usesRows: [...this.#columns].some((name) => this.#rows.has(name)),
    };
  }

  #node(node: unknown, scope: Scope, depth: number): void {
    if (depth > MAX_DEPTH) {
      throw queryError(`The statement is nested deeper than ${MAX_DEPTH} levels; write a flatter one.`);
    }
    const [entry, ...others] = isTreeObject(node) ? Object.entries(node) : [];
    // The parser writes an absent item of a list as an empty object.
    if (entry === undefined && isTreeObject(node)) return;
    if (entry === undefined || others.length > 0) throw forbiddenPart('node');
    const [type, fields] = entry;
    this.#fields(type, fields, scope, depth);
  }

  #fields(type: string, fields: unknown, outer: Scope, depth: number): void {
    const grammar = GRAMMAR.get(type);
    if (grammar === undefined || !isTreeObject(fields)) throw forbiddenPart(type);
    this.#checks[type]?.(fields, outer);
    const scope = type === 'SelectStmt' ? this.#withClause(fields, outer, depth) : outer;
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'location' || name === 'withClause') continue;
      const kind = grammar.get(name);
      if (kind === undefined) throw forbiddenPart(name);
      if (kind === 'value') {
        if (typeof value === 'object') throw forbiddenPart(name);
      } else if (kind === 'node') {
        this.#node(value, scope, depth + 1);
      } else if (kind === 'nodes') {
        if (!Array.isArray(value)) throw forbiddenPart(name);
        for (const node of value) this.#node(node, scope, depth + 1);
      } else {
        this.#fields(kind, value, scope, depth + 1);
      }
    }
  }

  /**
   * Checks the common table expressions of a SELECT, and returns the names that are visible in it.
   * Each sees those before it, or all of them if the clause is recursive.
   */
  #withClause(select: TreeObject, outer: Scope, depth: number): Scope {
    const clause = select['withClause'];
    if (clause === undefined) return outer;
    if (!isTreeObject(clause)) throw forbiddenPart('withClause');
    for (const name of Object.keys(clause)) {
      if (!['ctes', 'recursive', 'location'].includes(name)) throw forbiddenPart(name);
    }
    const expressions = asArray(clause['ctes']).map(readExpression);
    const scope = new Set(outer);
    if (clause['recursive'] === true) for (const { name } of expressions) scope.add(name);
    for (const { name, fields } of expressions) {
      this.#fields('CommonTableExpr', fields, new Set(scope), depth + 1);
      scope.add(name);
    }
    return scope;
  }

  #noteTable(fields: TreeObject, scope: Scope): void {
    const table = asText(fields['relname']);
    const schema = asText(fields['schemaname']);
    if (table === undefined) throw forbiddenPart('RangeVar');
    if (schema === undefined && scope.has(table)) return;
    const name = schema === undefined ? { table } : { schema, table };
    const location = fields['location'];
    if (typeof location !== 'number') throw forbiddenPart('RangeVar');
    const key = JSON.stringify(name);
    const reference = this.#tables.get(key) ?? { ...name, offsets: [] };
    reference.offsets.push(location - this.start);
    this.#tables.set(key, reference);
    const alias = isTreeObject(fields['alias']) ? asText(fields['alias']['aliasname']) : undefined;
    this.#rows.add(alias ?? table);
  }

  #noteFunction(parts: unknown): void {
    const name = readBuiltInName(parts);
    if (name === undefined || !FUNCTIONS.has(name)) throw forbiddenFunction(formatParts(parts));
    if (asArray(parts).length === 1) this.#functions.add(name);
  }

  #noteColumn(fields: TreeObject): void {
    const parts = asArray(fields['fields']);
    const last = readString(parts.at(-1));
    if (parts.length > 1 && last !== undefined) this.#qualifiedColumns.add(last);
    // Elsewhere, `o.*` is the row `o`.
    const column = last ?? (this.#listed.has(fields) ? undefined : readString(parts.at(-2)));
    if (column !== undefined) this.#columns.add(column);
  }

  #noteType(parts: unknown): void {
    const name = readBuiltInName(parts);
    if (name === undefined || !TYPES.has(name)) {
      throw queryError(`A cast to ${formatParts(parts)} is not allowed.`);
    }
    this.#types.add(name);
  }

  #noteOperator(parts: unknown): void {
    if (parts === undefined) return;
    const name = readBuiltInName(parts);
    if (name === undefined) {
      throw queryError(`The operator ${formatParts(parts)} is not allowed.`);
    }
    if (asArray(parts).length === 1) this.#operators.add(name);
  }
}

function readExpression(node: unknown): { name: string; fields: unknown } {
  const fields = isTreeObject(node) ? node['CommonTableExpr'] : undefined;
  const name = isTreeObject(fields) ? asText(fields['ctename']) : undefined;
  if (name === undefined) throw forbiddenPart('CommonTableExpr');
  // A server of another encoding shortens such names, and ignores their letter case, in its own way.
  if (!/^\p{ASCII}+$/u.test(name)) {
    throw queryError(`Write the name ${name} of the common table expression in ASCII.`);
  }
  return { name, fields };
}

function forbiddenPart(what: string): ProblemError {
  const name = Object.hasOwn(NAMES, what) ? NAMES[what] : `this part of SQL (${what})`;
  return queryError(`The query uses ${name}, which is not allowed here.`);
}

type TreeObject = Readonly<Record<string, unknown>>;

function isTreeObject(value: unknown): value is TreeObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the text of a `String` node; undefined for any other one. */
function readString(node: unknown): string | undefined {
  if (!isTreeObject(node) || !isTreeObject(node['String'])) return undefined;
  return asText(node['String']['sval']) ?? '';
}

/** Returns the name of a thing of `pg_catalog`, as the parts of a name; undefined for another schema. */
function readBuiltInName(parts: unknown): string | undefined {
  const names = asArray(parts).map(readString);
  if (names.length === 1) return names[0];
  return names.length === 2 && names[0] === 'pg_catalog' ? names[1] : undefined;
}

function formatParts(parts: unknown): string {
  return asArray(parts)
    .map((part) => readString(part) ?? '*')
    .join('.');
}
