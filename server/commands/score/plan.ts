import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { columnName } from 'roster-prediction/arrow';
import { quoteName } from '../../databases/driver.js';
import { exactPattern } from '../../databases/duckdb/sql-text.js';
import type { ScoredModel } from './model.js';
import type { RowColumn } from './row-batch.js';
import { describeFile, listFiles, type Table, type TableColumn } from './tables.js';

/** A file to write, and the files whose rows it gets. */
export interface Output {
  readonly path: string;
  readonly inputs: readonly Table[];
  /** The columns that the model reads. */
  readonly sent: readonly (RowColumn & { readonly sql: string })[];
  /** The columns that the file gets beside the answers. */
  readonly kept: readonly string[];
}

export interface PlanOptions {
  readonly from: readonly string[];
  readonly to: string;
  /** The columns that files get beside the answers; undefined for all. */
  readonly columns?: readonly string[] | undefined;
  readonly allowMissing: boolean;
}

/**
 * Finds the files to read and those to write, and checks their columns.
 * @throws in words for the user, if there are none, or they cannot be scored
 */
export async function planOutputs(
  connection: DuckDBConnection,
  model: ScoredModel,
  options: PlanOptions,
): Promise<Output[]> {
  const patterns = options.from.map(toPattern);
  const listed = await Promise.all(patterns.map((pattern) => listFiles(connection, pattern)));
  const paths = [...new Set(listed.flat())];
  const isFolder = namesFolder(options.to);
  if (!isFolder && !/\.parquet$/i.test(options.to)) {
    throw new Error(`--to names a file that ends in .parquet, or a folder that ends in /, not ${options.to}`);
  }
  const groups = isFolder ? toFolder(paths, options.to) : [{ path: options.to, inputs: paths }];
  const all = new Set(paths.map((path) => resolve(path)));
  const overwritten = groups.find(({ path }) => all.has(resolve(path)));
  if (overwritten) {
    throw new Error(
      `${overwritten.path} would be read and written; choose another --to, or a --from that leaves it out`,
    );
  }
  const outputs: Output[] = [];
  for (const { path, inputs } of groups) {
    const tables: Table[] = [];
    for (const input of inputs) tables.push(await describeFile(connection, input));
    const [first] = tables;
    if (!first) continue;
    for (const other of tables) refuseDifferent(first, other);
    outputs.push({ path, inputs: tables, ...chooseColumns(first, model, options) });
  }
  return outputs;
}

/** A file or a folder that exists is read by its name, and any other text is a pattern. */
function toPattern(from: string): string {
  const found = statSync(from, { throwIfNoEntry: false });
  if (!found) return from;
  return found.isDirectory() ? join(exactPattern(from), '*.parquet') : exactPattern(from);
}

function namesFolder(to: string): boolean {
  return /[/\\]$/.test(to) || (existsSync(to) && statSync(to).isDirectory());
}

/** Returns a file in a folder for each path, below the folder that all paths have in common. */
function toFolder(paths: readonly string[], to: string) {
  const folders = paths.map((path) => dirname(resolve(path)).split(sep));
  const [first = []] = folders;
  const end = first.findIndex((name, depth) => folders.some((other) => other[depth] !== name));
  const common = first.slice(0, end < 0 ? first.length : end).join(sep) || sep;
  return paths.map((path) => ({ path: join(to, relative(common, resolve(path))), inputs: [path] }));
}

function refuseDifferent(first: Table, other: Table): void {
  const [ours, theirs] = [first, other].map(({ columns }) => new Map(columns.map(({ name, type }) => [name, type])));
  for (const [name, type] of ours ?? []) {
    const found = theirs?.get(name);
    if (found === type) continue;
    const has = found === undefined ? 'does not have it' : `has it as ${found}`;
    throw new Error(
      `the files have different columns: ${first.path} has ${name} as ${type}, ${other.path} ${has}; score them into a folder, or write them alike`,
    );
  }
  const [more] = other.columns.filter(({ name }) => !ours?.has(name));
  if (!more) return;
  throw new Error(
    `the files have different columns: ${other.path} has ${more.name}, which ${first.path} does not have; score them into a folder, or write them alike`,
  );
}

function chooseColumns({ path, columns }: Table, model: ScoredModel, options: PlanOptions) {
  const found = new Map<string, TableColumn>();
  // An exact name comes before one with blanks at its ends.
  for (const column of columns) if (!found.has(columnName(column.name))) found.set(columnName(column.name), column);
  for (const column of columns) found.set(column.name, column);
  const missing = model.columns.filter((name) => !found.has(name));
  if (missing.length === model.columns.length) {
    throw new Error(`${path} has none of the columns of the model, which reads ${list(model.columns)}`);
  }
  if (missing.length > 0 && !options.allowMissing) {
    throw new Error(
      `${path} lacks ${list(missing)}, which the model reads; send --allow-missing to count them as missing values`,
    );
  }
  const sent = model.columns.flatMap((name) => {
    const column = found.get(name);
    if (!column) return [];
    const type = model.sentType(name, column.type);
    if (!type) {
      throw new Error(
        `the column ${column.name} of ${path} is ${column.type}, which no model reads; write it as a number, a date or a text`,
      );
    }
    return [{ name, type, sql: type.sql.replace('?', () => quoteName(column.name)) }];
  });
  const unknown = options.columns?.filter((name) => !columns.some((column) => column.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`--columns names ${list(unknown)}, but ${path} has ${list(columns.map(({ name }) => name))}`);
  }
  return { sent, kept: options.columns ?? columns.map(({ name }) => name) };
}

/** The most names that a message lists. */
const MAX_LISTED = 20;

function list(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return more > 0 ? `${names.slice(0, MAX_LISTED).join(', ')} and ${more} more` : names.join(', ');
}
