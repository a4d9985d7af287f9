import type { PoolClient } from 'pg';
import type { ProblemError } from '../../problems/problem.js';
import { quoteName, type TableDescription } from '../driver.js';
import { splitName, type TableName } from '../names.js';
import { forbiddenTable, missingTable, queryError, systemTable } from '../query-error.js';
import { COLUMN_FUNCTIONS, FUNCTIONS } from './grammar.js';
import type { ParsedSelect, StatementNames } from './statement.js';

/** A statement whose names mean the same as when they were checked. */
export type ResolvedSelect = Awaited<ReturnType<typeof resolveNames>>;

/** A schema of the search path, or what has a name of the statement. */
interface FoundName {
  /** `column` is a function of PostgreSQL that a qualified column may call, as in `orders.name`. */
  readonly kind: 'schema' | 'column' | 'function' | 'operator';
  readonly name: string;
  readonly schema: string;
  /** True if an extension brought it, rather than somebody who uses the database. */
  readonly is_extension: boolean;
  /** True if a column of this name may call it. */
  readonly is_unary: boolean;
}

/**
 * Decides what the names of a statement stand for in the database. Functions, operators and casts
 * that somebody defined there may do anything, so none of them is called. Those of extensions are.
 * @param allowed the tables that it may read: `table` or `schema.table`
 * @returns the statement with the schema before the name of each table, and the search path under
 *   which PostgreSQL must analyse it, as a setting; undefined if that of the connection will do
 * @throws {ProblemError} if it names another table, or cannot do without what is not allowed
 */
export async function resolveNames(client: PoolClient, { sql, names }: ParsedSelect, allowed: readonly string[]) {
  const tables = await findAllowedTables(client, names.tables, allowed);
  await refuseOwnCasts(client, names, tables);
  return { sql: qualifyTables(sql, names, tables), searchPath: await chooseSearchPath(client, names) };
}

/** Writes the schema before each name of a table that has none. */
function qualifyTables(sql: string, { tables }: StatementNames, found: readonly CatalogTable[]): string {
  const bytes = Buffer.from(sql);
  const insertions = tables
    .flatMap(({ schema, offsets }, index) =>
      schema === undefined ? offsets.map((offset) => ({ offset, schema: found[index]?.schema })) : [],
    )
    .sort((a, b) => a.offset - b.offset);
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const { offset, schema = '' } of insertions) {
    pieces.push(bytes.subarray(end, offset), Buffer.from(`${quoteName(schema)}.`));
    end = offset;
  }
  return Buffer.concat([...pieces, bytes.subarray(end)]).toString();
}

/**
 * Returns a search path with `pg_catalog` first, and without the schemas in which somebody defined a
 * function or an operator that has a name of the statement: with arguments of just its types, it
 * would be called in place of PostgreSQL's own.
 * @throws {ProblemError} if such a schema also has one of an extension, which the statement may need,
 *   or a qualified column has the name of a function
 */
async function chooseSearchPath(
  client: PoolClient,
  { functions, operators, qualifiedColumns }: StatementNames,
): Promise<string | undefined> {
  const others = qualifiedColumns.filter((name) => !FUNCTIONS.has(name) && !COLUMN_FUNCTIONS.has(name));
  const { rows } = await client.query<FoundName>(OWN_NAMES, [[...functions, ...qualifiedColumns], operators, others]);
  const column = rows.find(({ kind }) => kind === 'column');
  if (column) throw functionAsColumn(column.name);
  const path = rows.filter(({ kind }) => kind === 'schema').map(({ name }) => name);
  const found = rows.filter(({ kind }) => kind !== 'schema');
  const own = found.filter(({ is_extension }) => !is_extension);
  for (const { name, schema, kind, is_extension, is_unary } of found) {
    if (!is_extension) continue;
    const isCalled = functions.includes(name);
    if (is_unary && !isCalled && !FUNCTIONS.has(name)) throw functionAsColumn(name);
    const hidden = own.find((other) => other.schema === schema);
    if (hidden && (kind === 'operator' || isCalled)) throw ambiguous(hidden);
  }
  const left = new Set(own.map(({ schema }) => schema));
  const kept = path.filter((schema) => schema !== 'pg_catalog' && !left.has(schema));
  const isUnchanged = path[0] === 'pg_catalog' && kept.length === path.length - 1;
  return isUnchanged ? undefined : ['pg_catalog', ...kept].map(quoteName).join(', ');
}

/** Temporary tables are not looked at: nobody makes any over these connections. */
const OWN_NAMES = `
with
  path as (
    select name, ordinal from pg_catalog.unnest(pg_catalog.current_schemas(true)) with ordinality
      as schemas (name, ordinal)
    where name not like 'pg\\_temp%'),
  members as (
    select classid, objid from pg_catalog.pg_depend
    where deptype = 'e' and refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass)
select * from (
  select 'schema' as kind, name, name as schema, false as is_extension, false as is_unary, ordinal
  from path
  union all
  select 'column', proname, '', false, true, 0 from pg_catalog.pg_proc
  where proname = any($3::text[]) and pronamespace = 'pg_catalog'::pg_catalog.regnamespace
    and pronargs > 0 and pronargs - pronargdefaults <= 1
  union all
  select 'function', proname, nspname,
    (select count(*) > 0 from members
     where classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and objid = pg_proc.oid),
    pronargs > 0 and pronargs - pronargdefaults <= 1, 0
  from pg_catalog.pg_proc join pg_catalog.pg_namespace on pg_namespace.oid = pronamespace
  where proname = any($1::text[]) and nspname <> 'pg_catalog'
    and nspname in (select name from path)
  union all
  select 'operator', oprname, nspname,
    (select count(*) > 0 from members
     where classid = 'pg_catalog.pg_operator'::pg_catalog.regclass and objid = pg_operator.oid),
    false, 0
  from pg_catalog.pg_operator join pg_catalog.pg_namespace on pg_namespace.oid = oprnamespace
  where oprname = any($2::text[]) and nspname <> 'pg_catalog'
    and nspname in (select name from path)
) names order by ordinal`;

/**
 * Refuses a statement that may use a cast by a function that somebody defined. Casts have no schema. Implicit ones
 * between types of PostgreSQL, which only a superuser can define, are part of how the database reads any statement.
 * @throws {ProblemError}
 */
async function refuseOwnCasts(
  client: PoolClient,
  { types, functions, usesRows }: StatementNames,
  tables: readonly CatalogTable[],
): Promise<void> {
  const targets = functions.some((name) => name.includes('json')) ? [...types, 'json', 'jsonb'] : types;
  const { rows } = await client.query(OWN_CASTS, [tables.map(({ oid }) => oid), usesRows, targets]);
  const [cast] = rows;
  if (cast === undefined) return;
  throw queryError(
    `This database casts ${cast.source} to ${cast.target} by a function of its own, which is not allowed; select single columns, and leave out the cast.`,
  );
}

/**
 * The types that occur in the tables of a statement: those of the columns, of the rows, and those
 * which these consist of; then the casts between them and the types of PostgreSQL.
 */
const OWN_CASTS = `
with recursive
  own_casts as (
    select castsource, casttarget, castcontext from pg_catalog.pg_cast
    join pg_catalog.pg_proc on pg_proc.oid = castfunc
    where pronamespace <> 'pg_catalog'::pg_catalog.regnamespace
      and not exists (
        select from pg_catalog.pg_depend
        where classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and objid = pg_proc.oid
          and deptype = 'e')),
  parts (whole, part) as (
    select oid, typelem from pg_catalog.pg_type where typelem <> 0
    union all select oid, typbasetype from pg_catalog.pg_type where typbasetype <> 0
    union all select rngtypid, rngsubtype from pg_catalog.pg_range
    union all
    select pg_type.oid, atttypid from pg_catalog.pg_type
    join pg_catalog.pg_attribute on attrelid = typrelid
    where typrelid <> 0 and attnum > 0 and not attisdropped),
  used (type) as (
    select atttypid from pg_catalog.pg_attribute
    where attrelid = any($1::oid[]) and not attisdropped and exists (select from own_casts)
    union
    select reltype from pg_catalog.pg_class where oid = any($1::oid[]) and $2::boolean
    union
    select part from used join parts on whole = type)
select pg_catalog.format_type(castsource, null) as source,
  pg_catalog.format_type(casttarget, null) as target
from own_casts
join pg_catalog.pg_type source on source.oid = castsource
join pg_catalog.pg_type target on target.oid = casttarget
where exists (select from own_casts)
  and (source.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
       or castsource in (select type from used))
  and (target.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
       or casttarget in (select type from used))
  and (target.typname = any($3::text[])
       or castcontext = 'i'
          and (castsource in (select type from used) or casttarget in (select type from used)))
limit 1`;

function functionAsColumn(name: string): ProblemError {
  return queryError(`The name ${name} is also that of a function; write the column without its table.`);
}

function ambiguous({ kind, name }: FoundName): ProblemError {
  const written = kind === 'operator' ? `operator(pg_catalog.${name})` : `pg_catalog.${name}`;
  return queryError(`The ${kind} ${name} is ambiguous in this database; write ${written}.`);
}

interface CatalogTable {
  readonly oid: string;
  readonly schema: string;
  readonly table: string;
}

/**
 * Returns the tables that a statement names, in their order.
 * @param allowed the tables that it may read: `table` or `schema.table`
 * @throws {ProblemError} if it names another table
 */
async function findAllowedTables(
  client: PoolClient,
  tables: readonly TableName[],
  allowed: readonly string[],
): Promise<CatalogTable[]> {
  const found = await findTables(client, [...allowed.map(splitName), ...tables]);
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
export async function describeTables(client: PoolClient, names: readonly string[]): Promise<TableDescription[]> {
  const tables = await findTables(client, names.map(splitName));
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
async function findTables(client: PoolClient, tables: readonly TableName[]): Promise<(CatalogTable | undefined)[]> {
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

function quoteTable({ schema, table }: TableName): string {
  return schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;
}

function formatName({ schema, table }: TableName): string {
  return schema === undefined ? table : `${schema}.${table}`;
}
