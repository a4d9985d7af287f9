import { asArray, asRecord } from '../../../contract/json-record.js';
import type { ProblemError } from '../../problems/problem.js';
import { splitName, type TableName, toLowerAscii } from '../names.js';
import { databaseMessage, forbiddenFunction, forbiddenTable, onlyOneSelect, queryError } from '../query-error.js';
import { FUNCTIONS, TABLE_FUNCTIONS } from './functions.js';

/** The parts of a statement that a query may have, as DuckDB's `json_serialize_sql` names their types. */
const NODES: ReadonlySet<string> = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE']);
const TABLES = new Set(['BASE_TABLE', 'SUBQUERY', 'JOIN', 'TABLE_FUNCTION', 'EMPTY', 'EXPRESSION_LIST', 'PIVOT']);
const MODIFIERS = new Set(['DISTINCT_MODIFIER', 'ORDER_MODIFIER', 'LIMIT_MODIFIER', 'LIMIT_PERCENT_MODIFIER']);
const ORDERS = new Set(['ORDER_DEFAULT', 'ASCENDING', 'DESCENDING']);
const TYPE_INFOS = /_TYPE_INFO$/;
const PARTS: ReadonlySet<string> = new Set([...NODES, ...TABLES, ...MODIFIERS, ...ORDERS]);

/** The classes of expressions. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  ...['BETWEEN', 'CASE', 'CAST', 'COLLATE', 'COLUMN_REF', 'COMPARISON', 'CONJUNCTION', 'CONSTANT', 'FUNCTION'],
  ...['LAMBDA', 'OPERATOR', 'POSITIONAL_REFERENCE', 'STAR', 'SUBQUERY', 'TYPE', 'WINDOW'],
]);

/** Names the SQL of parts that are refused. */
const NAMES: Readonly<Record<string, string>> = {
  SHOW_REF: 'DESCRIBE, SHOW or SUMMARIZE',
  PARAMETER: 'a parameter such as ? or $1',
  DEFAULT: 'DEFAULT',
  at_clause: 'AT (VERSION or TIMESTAMP)',
};

/** The form by which names of tables are compared: DuckDB ignores the letter case of ASCII. */
export function tableKey({ schema, table }: TableName): string {
  return JSON.stringify([toLowerAscii(schema ?? 'main'), toLowerAscii(table)]);
}

/** The names of common table expressions that a place of a statement sees. */
type Scope = ReadonlySet<string>;

/**
 * Refuses all but one SELECT that reads nothing but the named tables and calls nothing but allowed functions. It reads
 * what DuckDB's own parser made of the statement.
 *
 * @param parsed the result of `json_serialize_sql`
 * @param allowed the tables that the statement may read, as `table` or `schema.table`
 * @returns the names among `allowed` that the statement reads
 * @throws {ProblemError}
 */
export function checkSelect(parsed: unknown, allowed: readonly string[]): ReadonlySet<string> {
  const { error, error_type: kind, error_message: message, statements } = asRecord(parsed);
  // It serializes SELECT alone.
  if (error) throw kind === 'not implemented' ? onlyOneSelect() : explainMessage(String(message));
  const [statement, ...others] = asArray(statements);
  if (statement === undefined || others.length > 0) throw onlyOneSelect();
  const walk = new StatementWalk(allowed);
  walk.visit(statement, new Set());
  return walk.read;
}

/** Passes on a message of DuckDB, if a statement can be mended by it. */
export function explainMessage(message: string): ProblemError {
  if (!/^(?:Binder Error: |Parser Error: )?Max expression depth limit/.test(message)) return databaseMessage(message);
  return queryError('The statement is nested too deeply; write a shorter one.');
}

class StatementWalk {
  readonly read = new Set<string>();
  readonly #names: ReadonlyMap<string, string>;

  constructor(private readonly allowed: readonly string[]) {
    this.#names = new Map(allowed.map((name) => [tableKey(splitName(name)), name]));
  }

  visit(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const element of value) this.visit(element, scope);
    } else if (typeof value === 'object' && value !== null) {
      this.#visitPart(asRecord(value), scope);
    }
  }

  #visitPart(part: Readonly<Record<string, unknown>>, scope: Scope): void {
    const { class: kind, type } = part;
    if (part['at_clause'] !== undefined) throw forbiddenPart('at_clause');
    if (typeof kind === 'string') {
      if (!EXPRESSIONS.has(kind)) throw forbiddenPart(kind);
      // Its value is data, of any form.
      if (kind === 'CONSTANT') return;
      if (kind === 'FUNCTION' || kind === 'WINDOW') checkFunction(part, FUNCTIONS);
    } else if (typeof type === 'string') {
      if (!PARTS.has(type) && !TYPE_INFOS.test(type)) throw forbiddenPart(type);
      if (type === 'BASE_TABLE') this.#checkTable(part, scope);
      if (type === 'TABLE_FUNCTION') {
        const called = asRecord(part['function']);
        checkFunction(called, TABLE_FUNCTIONS);
        this.#visitFields({ ...part, function: undefined }, scope);
        this.visit(called['children'], scope);
        return;
      }
    }
    this.#visitFields(part, scope);
  }

  #visitFields({ cte_map: map, cte_name: name, right, ...fields }: Readonly<Record<string, unknown>>, scope: Scope) {
    let inner = scope;
    for (const entry of asArray(asRecord(map)['map'])) {
      const { key, value } = asRecord(entry);
      // An expression sees those before it.
      this.visit(value, inner);
      inner = new Set([...inner, toLowerAscii(String(key))]);
    }
    // The second part of a recursion sees its name.
    const isRecursion = typeof name === 'string' && fields['type'] === 'RECURSIVE_CTE_NODE';
    this.visit(right, isRecursion ? new Set([...inner, toLowerAscii(name)]) : inner);
    for (const field of Object.values(fields)) this.visit(field, inner);
  }

  #checkTable(
    { catalog_name: catalog, schema_name: schema, table_name: table }: Record<string, unknown>,
    scope: Scope,
  ) {
    const named = { schema: typeof schema === 'string' && schema !== '' ? schema : undefined, table: String(table) };
    if (catalog) throw forbiddenTable([catalog, schema, table].filter(Boolean).join('.'), this.allowed);
    if (named.schema === undefined && scope.has(toLowerAscii(named.table))) return;
    const name = this.#names.get(tableKey(named));
    if (name === undefined) throw forbiddenTable([named.schema, named.table].filter(Boolean).join('.'), this.allowed);
    this.read.add(name);
  }
}

function checkFunction(
  { function_name: name, schema, catalog }: Readonly<Record<string, unknown>>,
  functions: ReadonlySet<string>,
): void {
  const called = toLowerAscii(String(name));
  // The parser itself writes `main` before functions that stand for syntax, such as [1, 2].
  const isBuiltIn = (schema === undefined || schema === '' || schema === 'main') && !catalog;
  if (!isBuiltIn || !functions.has(called)) throw forbiddenFunction(String(name));
}

function forbiddenPart(type: string): ProblemError {
  return queryError(`${NAMES[type] ?? `A part of the statement (${type})`} is not allowed; leave it out.`);
}
