import { parse } from 'libpg-query';
import { QueryError } from '../query-error.js';
import { databaseMessage, onlyOneSelect } from '../refusals.js';
import { isTreeObject, listOf } from './parse-tree.js';
import { Statement } from './statement.js';

/** A SELECT that passed all checks which need no database. */
export interface ParsedSelect {
  /** The statement alone, without semicolons around it. */
  readonly sql: string;
  readonly statement: Statement;
}

/**
 * Parses a statement by PostgreSQL's own parser.
 * @throws {QueryError} if it is malformed, not one SELECT, or has a part that is not allowed
 */
export async function parseSelect(sql: string): Promise<ParsedSelect> {
  const [first, ...others] = await statementsOf(sql);
  if (!isTreeObject(first) || others.length > 0) throw onlyOneSelect();
  const statement = new Statement(first['stmt']);
  const start = Number(first['stmt_location'] ?? 0);
  const length = Number(first['stmt_len'] ?? 0);
  // The places of the parser are in bytes; a length of 0 reaches to the end.
  const bytes = Buffer.from(sql).subarray(start, length === 0 ? undefined : start + length);
  return { sql: bytes.toString(), statement };
}

async function statementsOf(sql: string): Promise<readonly unknown[]> {
  // The parser throws for an empty text, and not for one of spaces.
  if (sql === '') return [];
  try {
    const tree: unknown = await parse(sql);
    return listOf(isTreeObject(tree) ? tree['stmts'] : undefined);
  } catch (error) {
    // WebAssembly's stack and the one of JSON.parse have an end.
    if (error instanceof RangeError) throw new QueryError('The statement is nested too deeply.');
    throw databaseMessage(error instanceof Error ? error.message : String(error));
  }
}
