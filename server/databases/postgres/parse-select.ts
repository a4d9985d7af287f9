import { parse, SqlError } from 'libpg-query';
import { databaseMessage, onlyOneSelect } from '../refusals.js';
import { isTreeObject, listOf } from './parse-tree.js';
import { Statement, type StatementNames } from './statement.js';

/** A SELECT that passed all checks which need no database. */
export interface ParsedSelect {
  /** The statement alone, without semicolons around it. */
  readonly sql: string;
  readonly names: StatementNames;
}

/** What became of a statement. `refused` has the message of a `QueryError`. */
export type ParseResult = { readonly parsed: ParsedSelect } | { readonly refused: string };

/**
 * Parses a statement by PostgreSQL's own parser.
 * @throws {QueryError} if it is malformed, not one SELECT, or has a part that is not allowed
 * @throws {Error} if the parser failed by itself, and must not be used again
 */
export async function parseSelect(sql: string): Promise<ParsedSelect> {
  const [first, ...others] = await statementsOf(sql);
  if (!isTreeObject(first) || others.length > 0) throw onlyOneSelect();
  const statement = new Statement(first['stmt']);
  const start = Number(first['stmt_location'] ?? 0);
  const length = Number(first['stmt_len'] ?? 0);
  // The places of the parser are in bytes; a length of 0 reaches to the end.
  const bytes = Buffer.from(sql).subarray(start, length === 0 ? undefined : start + length);
  return { sql: bytes.toString(), names: statement.names(start) };
}

async function statementsOf(sql: string): Promise<readonly unknown[]> {
  // The parser throws for a text of spaces.
  if (sql.trim() === '') return [];
  try {
    const tree: unknown = await parse(sql);
    return listOf(isTreeObject(tree) ? tree['stmts'] : undefined);
  } catch (error) {
    // Everything else is a fault of the parser, after which it must not be used again.
    if (error instanceof SqlError) throw databaseMessage(error.message);
    throw error;
  }
}
