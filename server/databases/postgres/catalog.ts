import type { PoolClient } from 'pg';
import { QueryError } from '../query-error.js';
import { forbiddenTable, missingTable } from '../refusals.js';
import type { TableDescription } from '../result.js';
import { COLUMN_FUNCTIONS, FUNCTIONS } from './functions.js';
import type { Statement, TableName } from './statement.js';

/**
 * Checks the names of a statement by what they stand for in the database.
 * @param allowed the tables that it may read: `table` or `schema.table`
 * @throws {QueryError} if the statement names another table, or calls a function of the database's
 *   own
 */
export async function checkNames(
  client: PoolClient,
  statement: Statement,
  allowed: readonly string[],
): Promise<void> {
  const { tables } = statement;
  const oids = await oidsOf(client, [...allowed.map(tableName), ...tables]);
  const allowedOids = new Set(oids.slice(0, allowed.length));
  tables.forEach((table, index) => {
    const oid = oids[allowed.length + index];
    const name = sqlName(table);
    if (oid === undefined && allowed.includes(name)) throw missingTable(name);
    if (oid === undefined || !allowedOids.has(oid)) throw forbiddenTable(name, allowed);
  });
  await refuseOwnFunctions(client, statement);
}

/** Returns the columns of the tables that exist. */
export async function describeTables(
  client: PoolClient,
  names: readonly string[],
): Promise<TableDescription[]> {
  const oids = await oidsOf(client, names.map(tableName));
  const { rows } = await client.query(
    `select attrelid::text as oid, attname as name, pg_catalog.format_type(atttypid, atttypmod) as type
     from pg_catalog.pg_attribute
     where attrelid = any($1::oid[]) and attnum > 0 and not attisdropped
     order by attnum`,
    [oids.filter((oid) => oid !== undefined)],
  );
  return names.flatMap((name, index) => {
    const oid = oids[index];
    if (oid === undefined) return [];
    const columns = rows
      .filter((row) => row.oid === oid)
      .map((row) => ({ name: String(row.name), type: String(row.type) }));
    return [{ name, columns }];
  });
}

/** Returns the identifiers of tables by the search path; undefined for a table that does not exist. */
async function oidsOf(
  client: PoolClient,
  tables: readonly TableName[],
): Promise<(string | undefined)[]> {
  const { rows } = await client.query(
    `select pg_catalog.to_regclass(name)::oid::text as oid
     from pg_catalog.unnest($1::text[]) with ordinality as names (name, place)
     order by place`,
    [tables.map(quotedName)],
  );
  return rows.map(({ oid }) => (oid === null ? undefined : String(oid)));
}

/**
 * Refuses functions that someone defined in the database, which may do anything. Those of
 * extensions may share the names of allowed functions. A qualified column may call any function.
 */
async function refuseOwnFunctions(client: PoolClient, statement: Statement): Promise<void> {
  const columns = statement.qualifiedColumns;
  const calls = [...statement.functions, ...columns.filter((name) => FUNCTIONS.has(name))];
  const others = columns.filter((name) => !FUNCTIONS.has(name) && !COLUMN_FUNCTIONS.has(name));
  const { rows } = await client.query(
    `select proname as name from pg_catalog.pg_proc
     where proname = any($1::text[]) and pronamespace <> 'pg_catalog'::regnamespace
       and not exists (
         select from pg_catalog.pg_depend
         where classid = 'pg_catalog.pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
     union all
     select proname from pg_catalog.pg_proc
     where proname = any($2::text[]) and pronargs > 0 and pronargs - pronargdefaults <= 1
     limit 1`,
    [calls, others],
  );
  const name: unknown = rows[0]?.name;
  if (typeof name !== 'string') return;
  if (statement.functions.includes(name)) {
    throw new QueryError(`The function ${name} is ambiguous; write pg_catalog.${name}.`);
  }
  throw new QueryError(
    `The name ${name} is also that of a function; write the column without its table.`,
  );
}

/** Reads a name of a skill: `table` or `schema.table`. */
function tableName(name: string): TableName {
  const dot = name.indexOf('.');
  return dot < 0 ? { table: name } : { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}

function quotedName({ schema, table }: TableName): string {
  return schema === undefined ? quoted(table) : `${quoted(schema)}.${quoted(table)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function sqlName({ schema, table }: TableName): string {
  return schema === undefined ? table : `${schema}.${table}`;
}
