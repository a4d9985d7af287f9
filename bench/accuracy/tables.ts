import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Papa from 'papaparse';
import { array, number, object, optional, parse, picklist, string } from 'valibot';

/** The cells that are gaps. */
const MISSING: readonly string[] = ['', 'NA'];

/** The share of the rows of a table that measure a model. */
const TEST_SHARE = 0.2;

/** A table is tuned on, or only looked at once a change is done. */
export const SETS = ['tuned', 'once'] as const;

const Entry = object({
  name: string(),
  /** Beside the manifest; NAME.csv without it. */
  file: optional(string()),
  target: string(),
  task: picklist(['regression', 'classification']),
  set: picklist(SETS),
  /** The address of the data, and their licence where it is known. */
  source: string(),
  license: optional(string()),
  /** Columns that say the target in other words, or name the row. */
  omitted: optional(array(string()), []),
  /** The number of splits, if it is fewer than usual. */
  splits: optional(number()),
});

const Manifest = object({ tables: array(Entry) });

/** A cell as text by the name of its column; an empty one is missing. */
export type Row = Readonly<Record<string, string>>;

export type Task = 'regression' | 'classification';

export interface DataTable {
  readonly name: string;
  readonly target: string;
  readonly task: Task;
  readonly set: (typeof SETS)[number];
  readonly maxSplits: number;
  /** The path of the CSV, and its columns that are left out. */
  readonly file: string;
  readonly omitted: readonly string[];
  readonly rows: readonly Row[];
  /** Changes with the file. */
  readonly digest: string;
}

/** The rows of a table that train a model, and those that measure it, as indexes. */
export interface Split {
  readonly index: number;
  readonly training: readonly number[];
  readonly test: readonly number[];
}

export interface Choice {
  readonly sets: readonly string[];
  /** Only these, if any are named. */
  readonly names?: readonly string[] | undefined;
}

/** A table that is not in the manifest was named. */
export class UnknownTableError extends Error {}

/**
 * Reads the tables of a manifest, `tables.json`, that are chosen, one at a time.
 * @throws {UnknownTableError} before the first
 */
export async function* readTables(manifest: string, { sets, names }: Choice): AsyncGenerator<DataTable> {
  const { tables } = parse(Manifest, JSON.parse(await readFile(manifest, 'utf8')));
  const unknown = names?.filter((name) => tables.every((table) => table.name !== name)) ?? [];
  if (unknown.length > 0) throw new UnknownTableError(`There is no table ${unknown.join(', ')} in ${manifest}`);
  for (const { name, file = `${name}.csv`, splits = Number.POSITIVE_INFINITY, ...entry } of tables) {
    if (names ? !names.includes(name) : !sets.includes(entry.set)) continue;
    const path = resolve(join(dirname(manifest), file));
    const text = await readFile(path, 'utf8');
    const all = Papa.parse<Row>(text, { header: true, skipEmptyLines: true }).data;
    const digest = createHash('sha256').update(text).update(JSON.stringify(entry.omitted)).digest('hex').slice(0, 12);
    yield {
      name,
      file: path,
      maxSplits: splits,
      digest,
      rows: all.map((row) => without(row, entry.omitted)),
      ...entry,
    };
  }
}

function without(row: Row, columns: readonly string[]): Row {
  return columns.length === 0
    ? row
    : Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)));
}

/**
 * Splits a table at random, seeded by its name, so that a table added to the others changes none of their splits.
 *
 * @param maxRows the most rows that train, and that measure.
 */
export function splitTable({ name, target, rows }: DataTable, index: number, maxRows: number): Split {
  const order = rows
    .map((row, at) => ({ at, isUsed: !MISSING.includes(row[target] ?? ''), key: hash(`${name}/${index}/${at}`) }))
    .filter(({ isUsed }) => isUsed)
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ at }) => at);
  const count = Math.round(TEST_SHARE * order.length);
  return { index, test: order.slice(0, count).slice(0, maxRows), training: order.slice(count).slice(0, maxRows) };
}

function hash(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
