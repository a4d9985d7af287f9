import type { PoolClient } from 'pg';
import { quoteName, type TableDescription } from '../driver.js';
import { forbiddenTable, missingTable, systemTable } from '../query-error.js';
import type { TableName } from './statement.js';

export interface CatalogTable {
  readonly oid: string;
  readonly schema: string;
  readonly table: string;
}

/**
 * Returns the tables that a statement names, in their order.
 * @param allowed the tables that it may read: `table` or `schema.table`
 * @throws {ProblemError} if it names another table
 */
export async function findAllowedTables(
  client: PoolClient,
  tables: readonly TableName[],
  allowed: readonly string[],
): Promise<CatalogTable[]> {
  const found = await findTables(client, [...allowed.map(parseName), ...tables]);
  const allowedOids = new Set(found.slice(0, allowed.length).map((table) => table?.oid));
  return tables.map((table, index) => {
    const named = found[allowed.length + index];
    const name = formatName(table);
    if (named === undefined && allowed.includes(name)) throw missingTable(name);
    if (named === undefined || !allowedOids.has(named.oid)) throw forbiddenTable(name, allowed);
    refuseSystemTable(named, name);
    return named;
  });
}

/** @throws {ProblemError} if a table does not exist, or belongs to the system */
export async function describeTables(
  client: PoolClient,
  names: readonly string[],
): Promise<TableDescription[]> {
  const tables = await findTables(client, names.map(parseName));
  for (const [index, table] of tables.entries()) refuseSystemTable(table, names[index] ?? '');
  const { rows } = await client.query<{ oid: string; name: string; type: string }>(
    `select attrelid::text as oid, attname as name, pg_catalog.format_type(atttypid, atttypmod) as type
     from pg_catalog.pg_attribute
     where attrelid = any($1::oid[]) and attnum > 0 and not attisdropped
     order by attnum`,
    [tables.flatMap((table) => table?.oid ?? [])],
  );
  return names.map((name, index) => {
    const oid = tables[index]?.oid;
    if (oid === undefined) throw missingTable(name);
    const columns = rows.filter((row) => row.oid === oid);
    return { name, columns: columns.map(({ oid: _, ...column }) => column) };
  });
}

/** Returns tables by the search path; undefined for one that does not exist. */
async function findTables(
  client: PoolClient,
  tables: readonly TableName[],
): Promise<(CatalogTable | undefined)[]> {
  const { rows } = await client.query<CatalogTable | Record<keyof CatalogTable, null>>(
    `select pg_class.oid::text as oid, nspname as schema, relname as table
     from pg_catalog.unnest($1::text[]) with ordinality as names (name, ordinal)
     left join pg_catalog.pg_class on pg_class.oid = pg_catalog.to_regclass(name)
     left join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
     order by ordinal`,
    [tables.map(quoteTable)],
  );
  return rows.map((row) => (row.oid === null ? undefined : row));
}

/** Names of schemas that begin with `pg_` are reserved for the system. */
function refuseSystemTable(table: CatalogTable | undefined, name: string): void {
  if (table && /^(?:pg_|information_schema$)/.test(table.schema)) throw systemTable(name);
}

/** Reads a name of a skill: `table` or `schema.table`. */
function parseName(name: string): TableName {
  const dot = name.indexOf('.');
  return dot < 0 ? { table: name } : { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}

function quoteTable({ schema, table }: TableName): string {
  return schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;
}

function formatName({ schema, table }: TableName): string {
  return schema === undefined ? table : `${schema}.${table}`;
}
